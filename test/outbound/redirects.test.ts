import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { productionGuard, resolver, startServer, testNetworkGuard } from './test-network.js'

const redirect = (response: ServerResponse, location: string, status = 302) =>
  response.writeHead(status, { location }).end('moved')

/** Redirects `/n` to `/n-1` and answers `/0`. */
const countdown = () =>
  startServer((request, response) => {
    const left = Number(request.url?.slice(1))
    if (left > 0) redirect(response, `/${left - 1}`)
    else response.end('arrived')
  })

describe('a redirect is checked like a first request', () => {
  test.each(['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', 'internal.example'])(
    'to %s: refused, and nothing is sent there',
    async (host) => {
      const secret = await startServer((_request, response) => response.end('internal secret'))
      const open = await startServer((_request, response) => redirect(response, `http://${host}:${secret.port}/`))
      const outbound = productionGuard({
        lookup: resolver({ 'open.example': ['127.0.0.1'], 'internal.example': ['127.0.0.1'] }),
        allowedHosts: ['open.example'],
      })
      await expect(outbound.fetch(`http://open.example:${open.port}/`)).rejects.toMatchObject({ code: 'address' })
      expect(open.requests).toHaveLength(1)
      expect(secret.connections()).toBe(0)
    },
  )

  test.each(['//[::ffff:7f00:1]:PORT/', '\\\\127.1:PORT\\', 'http:\\\\0x7f.1:PORT'])(
    'relative and unusual forms do not bypass this rule: %s',
    async (location) => {
      const secret = await startServer((_request, response) => response.end('internal secret'))
      const open = await startServer((_request, response) =>
        redirect(response, location.replace('PORT', String(secret.port))),
      )
      const outbound = productionGuard({
        lookup: resolver({ 'open.example': ['127.0.0.1'] }),
        allowedHosts: ['open.example'],
      })
      await expect(outbound.fetch(`http://open.example:${open.port}/`)).rejects.toMatchObject({ code: 'address' })
      expect(secret.connections()).toBe(0)
    },
  )

  test.each(['/agent/holder', '/openid4vci/..%2fagent/holder'])("to this service's own %s: refused", async (path) => {
    const own = await startServer((_request, response) => response.end('management'))
    const open = await startServer((_request, response) =>
      redirect(response, `http://issuer.example:${own.port}${path}`),
    )
    const outbound = testNetworkGuard({ ownOrigins: [`http://issuer.example:${own.port}`] })
    await expect(outbound.fetch(`http://open.example:${open.port}/`)).rejects.toMatchObject({ code: 'own-path' })
    expect(own.connections()).toBe(0)
  })

  test.each(['file:///etc/passwd', 'openid4vp://?client_id=x', 'data:text/plain,x'])(
    'to %s: refused',
    async (location) => {
      const open = await startServer((_request, response) => redirect(response, location))
      const refused = testNetworkGuard().fetch(`http://open.example:${open.port}/`)
      await expect(refused).rejects.toMatchObject({ code: 'scheme' })
    },
  )

  test('to an address with a user name: refused', async () => {
    const open = await startServer((_request, response) => redirect(response, 'http://open.example@evil.example/'))
    const refused = testNetworkGuard().fetch(`http://open.example:${open.port}/`)
    await expect(refused).rejects.toMatchObject({ code: 'url' })
  })

  test('to an invalid address: refused', async () => {
    const open = await startServer((_request, response) => redirect(response, 'http://a b/'))
    const refused = testNetworkGuard().fetch(`http://open.example:${open.port}/`)
    await expect(refused).rejects.toMatchObject({ code: 'redirects' })
  })
})

describe('the number of redirects', () => {
  test('three redirects are followed', async () => {
    const server = await countdown()
    const response = await testNetworkGuard().fetch(`http://open.example:${server.port}/3`)
    expect(await response.text()).toBe('arrived')
    expect(response.redirected).toBe(true)
    expect(response.url).toBe(`http://open.example:${server.port}/0`)
  })

  test('a fourth redirect is not followed', async () => {
    const server = await countdown()
    const refused = testNetworkGuard().fetch(`http://open.example:${server.port}/4`)
    await expect(refused).rejects.toMatchObject({
      code: 'redirects',
      message: `open.example:${server.port} redirects more than 3 times.`,
    })
    expect(server.requests.map(({ url }) => url)).toEqual(['/4', '/3', '/2', '/1'])
  })

  test('a loop ends at the same limit', async () => {
    const server = await startServer((_request, response) => redirect(response, '/'))
    const refused = testNetworkGuard().fetch(`http://open.example:${server.port}/`)
    await expect(refused).rejects.toMatchObject({ code: 'redirects' })
    expect(server.requests).toHaveLength(4)
  })
})

describe('methods (RFC 9110 §15.4)', () => {
  test.each([301, 302, 303, 307, 308])(
    '%i of a POST is refused, so that the body is not sent to another address',
    async (status) => {
      const elsewhere = await startServer((_request, response) => response.end())
      const server = await startServer((_request, response) =>
        redirect(response, `http://evil.example:${elsewhere.port}/`, status),
      )
      const request = { method: 'POST', body: 'code=secret' }
      const refused = testNetworkGuard().fetch(`http://open.example:${server.port}/`, request)
      await expect(refused).rejects.toMatchObject({ code: 'redirects' })
      expect(server.requests).toHaveLength(1)
      expect(elsewhere.connections()).toBe(0)
    },
  )

  test('303 of a POST is refused within the same origin too', async () => {
    const server = await startServer((_request, response) => redirect(response, '/next', 303))
    const refused = testNetworkGuard().fetch(`http://open.example:${server.port}/`, { method: 'POST' })
    await expect(refused).rejects.toMatchObject({ code: 'redirects' })
    expect(server.requests).toHaveLength(1)
  })

  test.each([301, 302, 303, 307, 308])('%i keeps GET a GET and HEAD a HEAD', async (status) => {
    const server = await startServer((request, response) =>
      request.url === '/' ? redirect(response, '/next', status) : response.end(),
    )
    const outbound = testNetworkGuard()
    await outbound.fetch(`http://open.example:${server.port}/`)
    await outbound.fetch(`http://open.example:${server.port}/`, { method: 'HEAD' })
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'HEAD', 'HEAD'])
  })

  test.each([300, 304, 305])('%i is returned to the caller', async (status) => {
    const server = await startServer((_request, response) => redirect(response, '/next', status))
    const response = await testNetworkGuard().fetch(`http://open.example:${server.port}/`)
    expect(response.status).toBe(status)
    expect(server.requests).toHaveLength(1)
  })

  test('a redirect without an address is returned to the caller', async () => {
    const server = await startServer((_request, response) => response.writeHead(302).end())
    expect((await testNetworkGuard().fetch(`http://open.example:${server.port}/`)).status).toBe(302)
  })
})

describe('redirect modes of fetch', () => {
  test.each(['GET', 'POST'])('manual returns the redirect of a %s, and does not follow it', async (method) => {
    const server = await startServer((_request, response) => redirect(response, 'http://127.0.0.1/'))
    const request = { method, redirect: 'manual' } as const
    const response = await testNetworkGuard().fetch(`http://open.example:${server.port}/`, request)
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://127.0.0.1/'])
  })

  test('error refuses a redirect', async () => {
    const server = await startServer((_request, response) => redirect(response, '/next'))
    const refused = testNetworkGuard().fetch(`http://open.example:${server.port}/`, { redirect: 'error' })
    await expect(refused).rejects.toMatchObject({ code: 'redirects' })
    expect(server.requests).toHaveLength(1)
  })
})

describe('credentials of the caller are not sent to another origin', () => {
  const headers = {
    authorization: 'DPoP token',
    dpop: 'proof',
    cookie: 'session=1',
    'oauth-client-attestation': 'attestation',
    'x-client-secret': 'secret',
    accept: 'application/json',
  }

  async function requestsOf(location: (here: number, there: number) => string) {
    const there = await startServer((_request, response) => response.end())
    const here = await startServer((request, response) =>
      request.url === '/' ? redirect(response, location(here.port, there.port)) : response.end(),
    )
    await testNetworkGuard().fetch(`http://open.example:${here.port}/`, { headers })
    return { here: here.requests, there: there.requests }
  }

  test.each([
    ['another host', (_here: number, there: number) => `http://other.example:${there}/`],
    ['another port of the same host', (_here: number, there: number) => `http://open.example:${there}/`],
  ])('%s', async (_where, location) => {
    const { there } = await requestsOf(location)
    const received = there[0]?.headers ?? {}
    expect(Object.keys(received).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
    expect(received.accept).toBe('application/json')
  })

  test('but they are sent within the origin', async () => {
    const { here } = await requestsOf(() => '/next')
    expect(here[1]?.headers).toMatchObject(headers)
  })

  test('and they are not sent again after a redirect back to the first origin', async () => {
    const there = await startServer((_request, response) => redirect(response, `http://open.example:${here.port}/back`))
    const here = await startServer((request, response) =>
      request.url === '/' ? redirect(response, `http://other.example:${there.port}/`) : response.end(),
    )
    await testNetworkGuard().fetch(`http://open.example:${here.port}/`, { headers })
    expect(here.requests[1]?.url).toBe('/back')
    expect(here.requests[1]?.headers).not.toHaveProperty('authorization')
    expect(here.requests[1]?.headers).not.toHaveProperty('dpop')
  })
})

import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { fetchAuthorizationServerMetadata } from '@openid4vc/oauth2'
import { describe, expect, test } from 'vitest'
import {
  productionGuard,
  resolver,
  startRawServer,
  startServer,
  startTlsServer,
  testNetworkGuard,
} from './test-network.js'

const at = (port: number, path = '/') => `http://wallet.example:${port}${path}`

/** A server that answers with the received request. */
const echo = () =>
  startServer(async (request: IncomingMessage, response) => {
    const { method, url, headers } = request
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ method, url, type: headers['content-type'], body: await text(request) }))
  })

describe('fetch for libraries', () => {
  test('accepts a string, a URL or a Request', async () => {
    const { port } = await echo()
    const { fetch } = testNetworkGuard()
    const url = at(port, '/a?b=c#d')
    for (const input of [url, new URL(url), new Request(url)]) {
      expect(await (await fetch(input)).json()).toMatchObject({ method: 'GET', url: '/a?b=c', body: '' })
    }
  })

  test('lets init override a Request', async () => {
    const { port } = await echo()
    const request = new Request(at(port), { method: 'POST', body: 'kept' })
    const response = await testNetworkGuard().fetch(request, { method: 'PUT' })
    expect(await response.json()).toMatchObject({ method: 'PUT', body: 'kept' })
  })

  test.each([
    ['text', 'a=b', 'text/plain;charset=UTF-8', 'a=b'],
    ['a form', new URLSearchParams({ a: 'b c' }), 'application/x-www-form-urlencoded;charset=UTF-8', 'a=b+c'],
    ['bytes', new Uint8Array([97, 98]), undefined, 'ab'],
  ])('sends %s', async (_what, body, type, sent) => {
    const { port } = await echo()
    const response = await testNetworkGuard().fetch(at(port), { method: 'POST', body })
    expect(await response.json()).toEqual({
      method: 'POST',
      url: '/',
      body: sent,
      ...(type === undefined ? {} : { type }),
    })
  })

  test('returns a standard Response for every status', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(404, {
        'content-type': 'application/json',
        'set-cookie': ['a=1', 'b=2'],
        'x-name': 'J\u00fcrgen',
      })
      response.end('{"error":"not_found"}')
    })
    const response = await testNetworkGuard().fetch(at(server.port, '/x'))
    expect(response).toBeInstanceOf(Response)
    expect([response.ok, response.status, response.statusText]).toEqual([false, 404, 'Not Found'])
    expect([response.url, response.redirected]).toEqual([at(server.port, '/x'), false])
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(response.headers.get('x-name')).toBe('J\u00fcrgen')
    expect(await response.clone().json()).toEqual({ error: 'not_found' })
    expect(await response.text()).toBe('{"error":"not_found"}')
  })

  test('does not quote a text that is not JSON, also in a clone', async () => {
    const server = await startServer((_request, response) => response.end('{"token":"s3cret"oops}'))
    const response = await testNetworkGuard().fetch(at(server.port))
    const refusal = {
      code: 'content',
      message: `wallet.example:${server.port} answered with something that is not JSON.`,
    }
    const clone = response.clone()
    expect([clone.url, await clone.clone().text()]).toEqual([at(server.port), '{"token":"s3cret"oops}'])
    await expect(clone.json()).rejects.toMatchObject(refusal)
    await expect(response.json()).rejects.toMatchObject(refusal)
    await expect(response.json()).rejects.toThrow(TypeError)
  })

  test.each([204, 205, 304])('gives %i no body', async (status) => {
    const server = await startServer((_request, response) => response.writeHead(status).end())
    const response = await testNetworkGuard().fetch(at(server.port))
    expect([response.status, response.body]).toEqual([status, null])
  })

  test('refuses a status that HTTP does not allow (RFC 9110 §15)', async () => {
    const server = await startRawServer((socket) => socket.end('HTTP/1.1 799 Strange\r\ncontent-length: 0\r\n\r\n'))
    await expect(testNetworkGuard().fetch(at(server.port))).rejects.toMatchObject({ code: 'status' })
  })

  test("ends with the caller's own reason when the caller aborts", async () => {
    const server = await startServer(() => controller.abort(new Error('enough')))
    const controller = new AbortController()
    const { fetch } = testNetworkGuard()
    await expect(fetch(at(server.port), { signal: controller.signal })).rejects.toThrow('enough')
    await expect(fetch(at(server.port), { signal: controller.signal })).rejects.toThrow('enough')
    expect(server.requests).toHaveLength(1)
  })

  test.each(['host', 'connection', 'transfer-encoding', 'content-length', 'upgrade', 'expect'])(
    'does not let a caller set %s',
    async (name) => {
      const server = await startServer((_request, response) => response.end())
      await testNetworkGuard().fetch(at(server.port), { headers: { [name]: 'other.example' } })
      expect(server.requests[0]?.headers).not.toHaveProperty(name, 'other.example')
      expect(server.requests[0]?.headers.host).toBe(`wallet.example:${server.port}`)
    },
  )

  test('works with @openid4vc/oauth2', async () => {
    const server = await startTlsServer((request, response) => {
      if (request.url !== '/.well-known/oauth-authorization-server') return response.writeHead(404).end()
      response.setHeader('content-type', 'application/json')
      return response.end(JSON.stringify({ issuer, token_endpoint: `${issuer}/token` }))
    })
    const issuer = `https://wallet.example:${server.port}`
    const outbound = testNetworkGuard({ allowHttp: false })
    expect(await fetchAuthorizationServerMetadata(issuer, outbound.fetch)).toMatchObject({ issuer })
  })
})

describe('TLS', () => {
  test('connects to the checked address, sends the name of the host, and checks the certificate against this name', async () => {
    const server = await startTlsServer((_request, response) => response.end('secure'))
    const outbound = testNetworkGuard({ allowHttp: false })
    expect((await outbound.fetchText(`https://wallet.example:${server.port}/`)).text).toBe('secure')
    expect(server.names).toEqual(['wallet.example'])
  })

  test('a certificate for another name is refused, and no request is sent', async () => {
    const server = await startTlsServer((_request, response) => response.end('secure'))
    const refused = testNetworkGuard({ allowHttp: false }).fetch(`https://other.example:${server.port}/`)
    await expect(refused).rejects.toMatchObject({
      code: 'connect',
      message: `Request to other.example:${server.port} failed (ERR_TLS_CERT_ALTNAME_INVALID).`,
    })
    expect(server.requests).toHaveLength(0)
  })

  test('a certificate of an unknown authority is refused', async () => {
    const server = await startTlsServer((_request, response) => response.end('secure'))
    const refused = testNetworkGuard({ ca: undefined }).fetch(`https://wallet.example:${server.port}/`)
    await expect(refused).rejects.toMatchObject({ code: 'connect' })
    expect(server.requests).toHaveLength(0)
  })

  test('every new connection is verified again', async () => {
    const server = await startTlsServer((request, response) => {
      response.setHeader('connection', 'close')
      response.end(String((request.socket as { isSessionReused?: () => boolean }).isSessionReused?.()))
    })
    const outbound = testNetworkGuard()
    const reused = async () => (await outbound.fetchText(`https://wallet.example:${server.port}/`)).text
    expect([await reused(), await reused()]).toEqual(['false', 'false'])
  })
})

describe('fetchJson', () => {
  test('reads JSON with any content type, and asks for it by Accept', async () => {
    const server = await startServer((request, response) => {
      response.setHeader('content-type', 'text/plain')
      response.end(`\ufeff${JSON.stringify({ accept: request.headers.accept, x: request.headers['x-a'] })}`)
    })
    const outbound = testNetworkGuard()
    expect(await outbound.fetchJson(at(server.port))).toEqual({ accept: 'application/json' })
    const options = { accept: 'application/did+json', headers: { 'x-a': '1' } }
    expect(await outbound.fetchJson(new URL(at(server.port)), options)).toEqual({
      accept: 'application/did+json',
      x: '1',
    })
    const own = { headers: { Accept: 'application/ld+json' } }
    expect(await outbound.fetchJson(at(server.port), own)).toEqual({ accept: 'application/ld+json' })
  })

  test.each([300, 404, 500])('status %i is an error that names the status', async (status) => {
    const server = await startServer((_request, response) => response.writeHead(status).end('{}'))
    await expect(testNetworkGuard().fetchJson(at(server.port))).rejects.toMatchObject({
      code: 'status',
      message: `wallet.example:${server.port} answered with status ${status}.`,
    })
  })

  test.each(['', 'internal secret', '{"a":'])('"%s" is not JSON, and is not quoted', async (body) => {
    const server = await startServer((_request, response) => response.end(body))
    const error = await testNetworkGuard()
      .fetchJson(at(server.port))
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'content' })
    // The message of a syntax error of JSON.parse would quote the text.
    expect(error).not.toHaveProperty('cause')
    expect(String(error)).toBe(`OutboundError: wallet.example:${server.port} answered with something that is not JSON.`)
  })

  test('bytes that are not UTF-8 are refused', async () => {
    const server = await startServer((_request, response) => response.end(Buffer.from([0x22, 0xff, 0x22])))
    await expect(testNetworkGuard().fetchJson(at(server.port))).rejects.toMatchObject({ code: 'content' })
  })
})

describe('fetchText', () => {
  test('returns text, content type and status', async () => {
    const server = await startServer((request, response) => {
      response.writeHead(203, { 'content-type': 'application/statuslist+jwt' }).end(request.headers.accept)
    })
    const fetched = await testNetworkGuard().fetchText(at(server.port), { accept: 'application/statuslist+jwt' })
    expect(fetched).toEqual({
      text: 'application/statuslist+jwt',
      contentType: 'application/statuslist+jwt',
      status: 203,
    })
  })

  test('an error status is an error', async () => {
    const server = await startServer((_request, response) => response.writeHead(410).end('gone'))
    await expect(testNetworkGuard().fetchText(at(server.port))).rejects.toMatchObject({ code: 'status' })
  })
})

describe('the content of an error', () => {
  test('for a closed port is the host and a code, not the address', async () => {
    const server = await startServer(() => {})
    const outbound = productionGuard({
      lookup: resolver({ 'internal.example': ['127.0.0.1'] }),
      allowedHosts: ['internal.example'],
    })
    const closed = server.port === 1 ? 2 : 1
    const error = await outbound.fetch(`http://internal.example:${closed}/`).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'OutboundError', code: 'connect' })
    expect(String(error)).toBe(`OutboundError: Request to internal.example:${closed} failed (ECONNREFUSED).`)
  })

  test('for an unknown name is the name', async () => {
    const outbound = productionGuard({ lookup: resolver({}) })
    await expect(outbound.fetch('http://unknown.example/')).rejects.toMatchObject({
      code: 'connect',
      message: 'Request to unknown.example failed (ENOTFOUND).',
    })
  })

  test('a name without addresses', async () => {
    const outbound = productionGuard({ lookup: resolver({ 'empty.example': [] }) })
    await expect(outbound.fetch('http://empty.example/')).rejects.toMatchObject({ code: 'connect' })
  })

  test('an answer that is not HTTP', async () => {
    const server = await startRawServer((socket) => socket.end('internal secret\r\n\r\n'))
    const error = await testNetworkGuard()
      .fetch(at(server.port))
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'connect' })
    expect(String(error)).not.toContain('secret')
  })
})

test('close ends kept connections, and nothing is sent afterwards', async () => {
  const server = await startServer((_request, response) => response.end())
  const outbound = testNetworkGuard()
  await outbound.fetch(at(server.port))
  await outbound.close()
  await expect(outbound.fetch(at(server.port))).rejects.toMatchObject({ code: 'connect' })
  expect(server.requests).toHaveLength(1)
})

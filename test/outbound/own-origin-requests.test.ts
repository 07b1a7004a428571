import { describe, expect, test } from 'vitest'
import { isOwnRequest, ownRequestMac } from '../../server/outbound/own-origin.js'
import { isProtocolPath } from './protocol-paths.js'
import { productionGuard, resolver, startServer, testNetworkGuard } from './test-network.js'

const key = new Uint8Array(32).fill(7)
const clock = () => new Date('2026-01-01T00:00:00Z')

/**
 * Starts a service at a private address. Its guard knows the service's origin, and checks addresses as in production.
 */
async function ownService(ownPathAllowed: (path: string) => boolean = isProtocolPath) {
  const server = await startServer((_request, response) => response.end('{"ok":true}'))
  const origin = `http://issuer.example:${server.port}`
  const outbound = productionGuard({
    lookup: resolver({ 'issuer.example': ['127.0.0.1'] }),
    ownOrigins: [origin],
    ownPathAllowed,
    ownRequestMac: ownRequestMac(key, clock),
  })
  return { server, origin, outbound }
}

describe("the service's own origin, at a private address", () => {
  test.each(['/.well-known/openid-credential-issuer', '/openid4vci/token?x=/agent', '/vct/ProofOfPurchase'])(
    'answers on the protocol path %s',
    async (path) => {
      const { outbound, origin } = await ownService()
      expect(await outbound.fetchJson(`${origin}${path}`)).toEqual({ ok: true })
    },
  )

  test('a request carries a mark that the service itself recognises, for its method and path', async () => {
    const { outbound, origin, server } = await ownService()
    await outbound.fetch(`${origin}/openid4vci/token?x=1`, { method: 'POST', body: 'a=b' })
    const [request] = server.requests
    const mark = request?.headers['x-credence-internal']
    expect(isOwnRequest(key, clock, 'POST', request?.url ?? '', mark)).toBe(true)
    expect(isOwnRequest(key, clock, 'GET', request?.url ?? '', mark)).toBe(false)
  })

  test.each([
    '/agent/holder',
    '/holders/1/process',
    '/api/v1/offerings',
    '/trpc/offerings.list',
    '/flows',
    '/schemas',
    '/credentials/verify',
    '/',
    '',
    '?/openid4vci/token',
    '#/openid4vci/token',
    '/Agent/holder',
    '/OPENID4VCI/token',
    '/openid4vci/../agent/holder',
    '/openid4vci/%2e%2e/agent/holder',
    '/openid4vci/.%2E/agent/holder',
    '/openid4vci/..%2fagent/holder',
    '/openid4vci/..%5Cagent/holder',
    '/openid4vci/%252e%252e/agent/holder',
    '/openid4vci//agent/holder',
    '/openid4vci//../../agent/holder',
    '/openid4vci/..\\agent\\holder',
    '/openid4vci/..;/agent/holder',
    '//agent/openid4vci/token',
    '/openid4vci/\t../agent/holder',
  ])('the path %s is refused before anything is sent', async (path) => {
    const { outbound, origin, server } = await ownService()
    await expect(outbound.fetch(`${origin}${path}`)).rejects.toMatchObject({
      code: 'own-path',
      message: expect.stringContaining('issuer.example'),
    })
    expect(server.connections()).toBe(0)
  })

  test.each([
    '/openid4vci/../agent/holder',
    '/openid4vci/..%2fagent/holder',
    '/openid4vci/%252e%252e/agent/holder',
    '/openid4vci//agent/holder',
    '/openid4vci/..;/agent/holder',
  ])('even with a predicate that allows every path: %s', async (path) => {
    const { outbound, origin, server } = await ownService((path) => path.startsWith('/openid4vci/'))
    await expect(outbound.fetch(`${origin}${path}`)).rejects.toMatchObject({ code: 'own-path' })
    expect(server.connections()).toBe(0)
  })

  test('paths are also refused if the own origin is public', async () => {
    const server = await startServer((_request, response) => response.end())
    const origin = `http://issuer.example:${server.port}`
    const outbound = testNetworkGuard({ ownOrigins: [origin] })
    await expect(outbound.fetch(`${origin}/agent/holder`)).rejects.toMatchObject({ code: 'own-path' })
    expect(server.connections()).toBe(0)
  })

  test('another port of the same host is not the own origin', async () => {
    const { outbound } = await ownService()
    const database = await startServer((_request, response) => response.end())
    const refused = outbound.fetch(`http://issuer.example:${database.port}/openid4vci/token`)
    await expect(refused).rejects.toMatchObject({ code: 'address' })
    expect(database.connections()).toBe(0)
  })

  test('another name of the same address is not the own origin', async () => {
    const { server } = await ownService()
    const outbound = productionGuard({
      lookup: resolver({ 'alias.example': ['127.0.0.1'] }),
      ownOrigins: [`http://issuer.example:${server.port}`],
    })
    for (const path of ['/agent/holder', '/openid4vci/token']) {
      const refused = outbound.fetch(`http://alias.example:${server.port}${path}`)
      await expect(refused).rejects.toMatchObject({ code: 'address' })
    }
    expect(server.connections()).toBe(0)
  })

  test('the same host over another scheme is not the own origin', async () => {
    const { outbound, server } = await ownService()
    const refused = outbound.fetch(`https://issuer.example:${server.port}/openid4vci/token`)
    await expect(refused).rejects.toMatchObject({ code: 'address' })
    expect(server.connections()).toBe(0)
  })
})

describe('the mark of own requests and other origins', () => {
  test('a request to another origin has no mark, even if the caller sets one', async () => {
    const other = await startServer((_request, response) => response.end())
    const outbound = testNetworkGuard({ ownOrigins: ['http://issuer.example'], ownRequestMac: () => 'mark' })
    const headers = { 'X-Credence-Internal': 'forged' }
    await outbound.fetch(`http://wallet.example:${other.port}/`, { headers })
    expect(other.requests[0]?.headers).not.toHaveProperty('x-credence-internal')
  })

  test('a mark of the caller does not replace the mark of the guard', async () => {
    const own = await startServer((_request, response) => response.end())
    const origin = `http://issuer.example:${own.port}`
    const outbound = testNetworkGuard({ ownOrigins: [origin], ownRequestMac: () => 'mark' })
    await outbound.fetch(`${origin}/openid4vci/token`, { headers: { 'x-credence-internal': 'forged' } })
    expect(own.requests[0]?.headers['x-credence-internal']).toBe('mark')
  })

  test('is removed at a redirect to another origin', async () => {
    const other = await startServer((_request, response) => response.end())
    const own = await startServer((_request, response) =>
      response.writeHead(302, { location: `http://wallet.example:${other.port}/` }).end(),
    )
    const origin = `http://issuer.example:${own.port}`
    const outbound = testNetworkGuard({ ownOrigins: [origin], ownRequestMac: () => 'mark' })
    await outbound.fetch(`${origin}/openid4vp/requests/1`)
    expect(own.requests[0]?.headers['x-credence-internal']).toBe('mark')
    expect(other.requests).toHaveLength(1)
    expect(other.requests[0]?.headers).not.toHaveProperty('x-credence-internal')
  })

  test('is made again for each request of a redirect within the own origin', async () => {
    const own = await startServer((request, response) =>
      request.url === '/vct/B' ? response.end() : response.writeHead(302, { location: '/vct/B' }).end(),
    )
    const origin = `http://issuer.example:${own.port}`
    const outbound = testNetworkGuard({
      ownOrigins: [origin],
      ownRequestMac: (method, url) => `${method} ${new URL(url).pathname}`,
    })
    await outbound.fetch(`${origin}/vct/A`)
    expect(own.requests.map(({ headers }) => headers['x-credence-internal'])).toEqual(['GET /vct/A', 'GET /vct/B'])
  })
})

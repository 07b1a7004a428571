import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'

/** The headers of Chromium when a user opens an address. */
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8' }

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const get = (path: string, headers: Readonly<Record<string, string>>) => service.request('GET', path, { headers })

describe('an unknown address', () => {
  it.each(['/nothing', '/api/v1/nothing', '/console-of-others', '/%3Cscript%3E'])(
    'is a page for a browser: %s',
    async (path) => {
      for (const headers of [BROWSER, { accept: 'text/html' }]) {
        const { status, headers: sent, text } = await get(path, headers)
        expect(status).toBe(404)
        expect(sent.get('content-type')).toBe('text/html; charset=utf-8')
        expect(sent.get('vary')).toContain('Accept')
        expect(sent.get('cache-control')).toBe('no-store')
        expect(sent.get('content-security-policy')).toContain("default-src 'none'")
        expect(text).toContain('<h1>There is nothing here</h1>')
        expect(text).not.toContain('script')
      }
    },
  )

  it.each([
    {},
    { accept: '*/*' },
    { accept: 'application/json' },
    { accept: 'application/json, text/html' },
    { accept: 'application/json, text/plain, */*' },
    { accept: 'text/html;q=0.5, application/json' },
    { accept: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8' },
    { accept: 'text/css,*/*;q=0.1' },
    { accept: 'text/event-stream' },
  ])('is the envelope for all other clients: %o', async (headers) => {
    const { status, headers: sent, json } = await get('/nothing', headers)
    expect(status).toBe(404)
    expect(sent.get('content-type')).toBe('application/json; charset=utf-8')
    expect(sent.get('vary')).toContain('Accept')
    expect(json).toEqual({
      statusCode: 404,
      message: 'Cannot GET /nothing',
      path: '/nothing',
      timestamp: expect.any(String),
      error: 'Not Found',
    })
  })

  it('is the envelope for a request that opens no page, for every Accept header', async () => {
    const { status, json } = await service.request('POST', '/nothing', { headers: BROWSER })
    expect([status, json.message]).toEqual([404, 'Cannot POST /nothing'])
  })

  it('is a refusal of tRPC over RPC, and refusals of routes stay JSON', async () => {
    const rpc = await get('/trpc/nothing.at', BROWSER)
    expect([rpc.status, rpc.json.error.json.data.code]).toEqual([404, 'NOT_FOUND'])
    const rest = await get('/agent/holders', BROWSER)
    expect([rest.status, rest.json.statusCode]).toEqual([401, 401])
  })
})

describe('too many requests', () => {
  it('shows a person a page in the common style, and other clients the envelope', async () => {
    const { databaseUrl, identityProvider } = service
    await using limited = await startService({ databaseUrl, identityProvider, env: { RATE_LIMIT_MAX: '2' } })
    const ask = (path: string, headers: Readonly<Record<string, string>>) => limited.request('GET', path, { headers })
    await ask('/version', {})
    await ask('/version', {})
    for (const path of ['/', '/version', '/receive/nothing']) {
      const { status, headers, text } = await ask(path, BROWSER)
      expect(status).toBe(429)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(text).toContain('Wait a minute')
    }
    expect((await ask('/pages/style.css', BROWSER)).status).toBe(200)
    const rest = await ask('/version', { accept: '*/*' })
    expect([rest.status, rest.json.message]).toEqual([429, 'Too Many Requests'])
    expect(Number(rest.headers.get('retry-after'))).toBeGreaterThan(0)
    const rpc = await ask('/trpc/service.version', BROWSER)
    expect([rpc.status, rpc.json.error.json.data.code]).toEqual([429, 'TOO_MANY_REQUESTS'])
  })
})

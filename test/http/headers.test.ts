import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { sendPath } from './raw.js'

const APP = 'https://app.example'

let service: TestService
/** A service with AUTH_DISABLED. */
let open: TestService

beforeAll(async () => {
  service = await startService({ env: { CORS_ORIGINS: `${APP} http://localhost:5173` } })
  const { databaseUrl, identityProvider } = service
  open = await startService({ databaseUrl, identityProvider, env: { AUTH_DISABLED: 'true', CORS_ORIGINS: APP } })
})
afterAll(async () => {
  await open.close()
  await service.close()
})

describe('security headers', () => {
  it.each(['/version', '/nothing', '/agent/holders', '/trpc/service.version', '/', '/health/liveness'])(
    'are on every answer: %s',
    async (path) => {
      const { headers } = await service.request('GET', path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('strict-transport-security')).toMatch(/^max-age=\d{8}/)
      expect(headers.get('content-security-policy')).toContain("default-src 'self'")
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
      expect(headers.get('x-powered-by')).toBeNull()
      expect(headers.get('server')).toBeNull()
    },
  )

  it('allow the API reference to load its own files and inline styles, and forbid frames', async () => {
    const { headers } = await service.request('GET', '/api-docs')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy.split('; ')).toEqual([
      "default-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ])
  })
})

/** The preflight request that a browser sends before a request with a token. */
const preflight = (on: TestService, path: string, origin: string) =>
  sendPath(on.url, 'OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,x-client-secret',
    },
  })

describe('browser origins', () => {
  const management = ['/agent/holders', '/api/v1/offerings', '/credentials/verify', '/trpc/offerings.list', '/schemas']
  const open_ = [
    '/.well-known/openid-credential-issuer',
    '/.well-known/did-configuration',
    `/${crypto.randomUUID()}/did.json`,
    '/status-lists/x',
    '/status-lists/x/suspension',
    '/token-status-lists/x',
    '/trust-lists/x',
    '/vct/x',
    '/images/x',
    '/api/v1/schemas/x',
    '/openid4vci/nonce',
    '/openid4vp/requests/x',
  ]

  it.each(management)('of CORS_ORIGINS may call %s', async (path) => {
    for (const origin of [APP, 'http://localhost:5173']) {
      const allowed = await preflight(service, path, origin)
      expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([204, origin])
      expect(allowed.headers['access-control-allow-headers']).toBe('authorization,x-client-secret')
      expect(allowed.headers['access-control-allow-credentials']).toBeUndefined()
      const { headers } = await service.request('GET', path, { headers: { origin } })
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('vary')).toMatch(/origin/i)
      expect(headers.get('access-control-expose-headers')).toContain('x-request-id')
    }
  })

  it.each(management)('other origins may not: %s', async (path) => {
    for (const origin of [
      'https://evil.example',
      'null',
      `${APP}.evil.example`,
      'http://app.example',
      'http://localhost:1',
    ]) {
      const refused = await preflight(service, path, origin)
      expect(refused.headers['access-control-allow-origin']).toBeUndefined()
      const { headers } = await service.request('GET', path, { headers: { origin } })
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it.each(open_)('any origin may call %s, without credentials', async (path) => {
    const allowed = await preflight(service, path, 'https://wallet.example')
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([204, '*'])
    expect(allowed.headers['access-control-allow-credentials']).toBeUndefined()
    const { headers } = await service.request('GET', path, { headers: { origin: 'https://wallet.example' } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it('can read errors, such as the envelope of a 401', async () => {
    const answer = await service.request('GET', '/agent/holders', { headers: { origin: APP } })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, APP])
  })
})

describe('AUTH_DISABLED', () => {
  it('makes every caller the same admin; a wrong token or a wrong secret is ignored', async () => {
    const headers = { authorization: 'Bearer x', 'x-client-secret': 'y' }
    const holder = await open.request('POST', '/agent/holder', { headers, body: { method: 'key' } })
    expect(holder.status).toBe(201)
    expect((await open.request('GET', '/agent/holders')).json).toHaveLength(1)
    expect((await open.request('GET', '/api/v1/verifier/vp-queries')).status).toBe(200)
    expect((await open.request('GET', `/holders/${holder.json.id}/dids`)).status).toBe(200)
    expect((await open.request('GET', '/trpc/agentHolders.list?input={"json":{}}')).status).toBe(200)
  })

  it('names this admin in the audit events for calls that otherwise need the client secret', async () => {
    const body = { query: [{ fields: [{ path: ['$.credentialSubject.productName'] }] }] }
    const saved = await open.request('POST', '/api/v1/verifier/vp-queries', { body })
    expect(saved.status, saved.text).toBe(201)
    const { json } = await open.request('GET', `/api/v1/audit-events?subjectId=${saved.json.id}`)
    expect(json.items).toMatchObject([{ action: 'vp-query.created', actor: 'local-admin' }])
  })

  const withHost = (host: string, path = '/agent/holders') => sendPath(open.url, 'GET', path, { headers: { host } })

  it.each(['localhost', 'localhost:3000', 'LOCALHOST', '127.0.0.1:1', '127.1.2.3', '[::1]', '[::1]:3000'])(
    'answers for the loopback name %s',
    async (host) => {
      expect((await withHost(host)).status).toBe(200)
    },
  )

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example:3000',
    'localhost@evil.example',
    '192.168.1.5',
    '0.0.0.0',
    '[::2]',
  ])('refuses any other host: %s (DNS rebinding)', async (host) => {
    for (const path of ['/agent/holders', '/version', '/trpc/agentHolders.list', '/nothing']) {
      const answer = await withHost(host, path)
      expect(answer.status).toBe(403)
      const body = JSON.parse(answer.body)
      expect(body.message ?? body.error.json.message).toBe('Host is not allowed.')
    }
  })

  it.each(['https://evil.example', 'null', 'http://localhost.evil.example', 'not an origin'])(
    'refuses requests of a page of %s, also without a preflight',
    async (origin) => {
      const holders = async () => (await open.request('GET', '/agent/holders')).json.length
      const before = await holders()
      const body = JSON.stringify({ method: 'key' })
      const sent = await sendPath(open.url, 'POST', '/agent/holder', { headers: { origin }, body })
      expect([sent.status, JSON.parse(sent.body).message]).toEqual([403, 'Origin is not allowed.'])
      expect(await holders()).toBe(before)
    },
  )

  describe('and a cross-site request without an Origin (Sec-Fetch-Site: cross-site)', () => {
    const ask = async (method: string, path: string, headers: Record<string, string>) =>
      (await sendPath(open.url, method, path, { headers, ...(method === 'POST' ? { body: '{}' } : {}) })).status
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
    const opened = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

    it.each([
      '/agent/holders',
      '/trpc/agentHolders.list?input={"json":{}}',
      '/api/v1/offerings',
      '/version',
      '/api-docs-json',
      '/nothing',
    ])('is refused at %s', async (path) => {
      const answer = await sendPath(open.url, 'GET', path, { headers: image })
      const body = JSON.parse(answer.body)
      expect([answer.status, body.message ?? body.error.json.message]).toEqual([
        403,
        'Cross-site requests are not allowed.',
      ])
    })

    it('is answered at the public routes for wallets', async () => {
      const uuid = crypto.randomUUID()
      for (const path of ['/.well-known/openid-credential-issuer', '/.well-known/did-configuration']) {
        expect(await ask('GET', path, image)).toBe(200)
      }
      for (const path of [`/openid4vci/offers/${uuid}`, `/openid4vp/requests/${uuid}`, `/${uuid}/did.json`]) {
        expect(await ask('GET', path, image)).not.toBe(403)
      }
    })

    it('is answered if it opens a page, but not if it sends a form or loads a page in another way', async () => {
      expect(await ask('GET', '/api-docs-json', opened)).toBe(200)
      expect(await ask('POST', '/agent/holder', opened)).toBe(403)
      expect(await ask('GET', '/api-docs-json', { ...opened, 'sec-fetch-mode': 'cors' })).toBe(403)
      expect(await ask('POST', '/trpc/agentHolders.create', image)).toBe(403)
    })

    it.each(['same-origin', 'same-site', 'none'])('is answered if it is %s', async (site) => {
      expect(await ask('GET', '/agent/holders', { ...image, 'sec-fetch-site': site })).toBe(200)
    })

    it('is answered if its origin is this machine under another name', async () => {
      const headers = { ...image, 'sec-fetch-mode': 'cors', origin: 'http://127.0.0.1:5173', host: 'localhost:3000' }
      expect(await ask('GET', '/agent/holders', headers)).toBe(200)
    })

    it('is answered if callers must authenticate', async () => {
      const { status } = await sendPath(service.url, 'GET', '/version', { headers: image })
      expect(status).toBe(200)
    })
  })

  it.each(['http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:3000'])(
    'answers a page of %s',
    async (origin) => {
      const { status, headers } = await open.request('GET', '/agent/holders', { headers: { origin } })
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, origin])
    },
  )

  it('answers for the host of a base URL', async () => {
    const { databaseUrl, identityProvider } = service
    const env = { AUTH_DISABLED: 'true', VERIFIER_BASE_URL: 'https://verifier.example/path' }
    await using own = await startService({ databaseUrl, identityProvider, env })
    const ask = (host: string) => sendPath(own.url, 'GET', '/agent/holders', { headers: { host } })
    expect((await ask('verifier.example')).status).toBe(200)
    expect((await ask('VERIFIER.example:443')).status).toBe(200)
    expect((await ask('other.example')).status).toBe(403)
  })

  it.each(['http://localhost:5173', 'http://127.0.0.1:8080', 'https://localhost', 'http://[::1]:1'])(
    'accepts the loopback origin %s',
    async (origin) => {
      for (const path of ['/agent/holders', '/.well-known/openid-credential-issuer']) {
        expect((await preflight(open, path, origin)).headers['access-control-allow-origin']).toBe(origin)
      }
    },
  )

  it.each([APP, 'https://evil.example', 'null', 'http://localhost.evil.example', 'file://'])(
    'accepts no other origin, not even an origin of CORS_ORIGINS: %s',
    async (origin) => {
      for (const path of ['/agent/holders', '/.well-known/openid-credential-issuer']) {
        expect((await preflight(open, path, origin)).headers['access-control-allow-origin']).toBeUndefined()
        const { headers } = await open.request('GET', path, { headers: { origin } })
        expect(headers.get('access-control-allow-origin')).toBeNull()
      }
    },
  )
})

import { type IncomingHttpHeaders, request, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPublicApp } from '../../server/app.js'
import { isOpenRoute, routesOf } from '../../server/http/routes.js'
import { createAppServer } from '../../server/http/server.js'
import { restRouter } from '../support/contracts.js'
import { KEPT_ALIVE } from '../support/kept-alive.js'
import { portOf } from '../support/local-server.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'
import { makeSchema } from '../verifier/actors.js'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

let service: TestService
let server: Server
let port: number

beforeAll(async () => {
  service = await startService({ env: { AUTH_DISABLED: 'true', OIDC_JWKS_URL: '', RATE_LIMIT_MAX: '400' } })
  await makeSchema(service)
  const made = createAppServer(KEPT_ALIVE)
  server = made.server
  made.serve(createPublicApp(service.service.publicApp()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = portOf(server)
})
afterAll(async () => {
  server?.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await service?.close()
})

interface Got {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/**
 * Sends a request to the public listener with everything that might identify a caller, and with the Host of this
 * machine.
 */
function ask(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Got> {
  const sent = {
    host: 'localhost',
    'x-forwarded-host': 'localhost',
    authorization: 'Bearer local-admin',
    'x-client-secret': CLIENT_SECRET,
    'x-console': '1',
    'sec-fetch-site': 'same-origin',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers: sent }, async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() })
    })
    asked.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

const concrete = (template: string) => template.replaceAll(/\{\w+\}/g, crypto.randomUUID())

describe('the public listener', () => {
  it('has exactly these routes: a new route is closed unless its contract opens it to strangers', () => {
    const open = routesOf(restRouter).filter(isOpenRoute)
    expect(open.map(({ method, template }) => `${method} ${template}`).toSorted()).toEqual([
      'GET /',
      'GET /.well-known/did-configuration',
      'GET /.well-known/did-configuration.json',
      'GET /.well-known/jwks.json',
      'GET /.well-known/jwt-vc-issuer',
      'GET /.well-known/oauth-authorization-server',
      'GET /.well-known/openid-credential-issuer',
      'GET /api/v1/offerings/{id}/qr-code',
      'GET /api/v1/schemas/{id}',
      'GET /api/v1/schemas/{id}/images/{image}',
      'GET /api/v1/verifier/qr-codes/{id}',
      'GET /images/{id}',
      'GET /openid4vci/authorize',
      'GET /openid4vci/authorize/callback',
      'GET /openid4vci/authorize/{id}',
      'GET /openid4vci/offers/{id}',
      'GET /openid4vp/requests/{id}',
      'GET /pages/language',
      'GET /pages/live.js',
      'GET /pages/style.css',
      'GET /present/{id}',
      'GET /present/{id}/events',
      'GET /present/{id}/return',
      'GET /receive/{id}',
      'GET /receive/{id}/events',
      'GET /status-lists/{id}',
      'GET /status-lists/{id}/suspension',
      'GET /token-status-lists',
      'GET /token-status-lists/{id}',
      'GET /trust-lists/{name}',
      'GET /vct/{name}',
      'GET /{uuid}/.well-known/did.json',
      'GET /{uuid}/did.json',
      'POST /openid4vci/authorize/{id}',
      'POST /openid4vci/challenge',
      'POST /openid4vci/credential',
      'POST /openid4vci/deferred-credential',
      'POST /openid4vci/nonce',
      'POST /openid4vci/notification',
      'POST /openid4vci/par',
      'POST /openid4vci/token',
      'POST /openid4vp/dc-api/{id}',
      'POST /openid4vp/requests/{id}',
      'POST /openid4vp/responses/{id}',
      'POST /present/{id}/decline',
    ])
    // No public route is for authenticated callers.
    expect(new Set(open.map(({ rest }) => rest.access))).toEqual(new Set(['public', 'wallet', 'optional']))
  })

  it('every other route does not exist there, for every caller and every Host', async () => {
    const closed = routesOf(restRouter).filter((route) => !isOpenRoute(route))
    expect(closed.length).toBeGreaterThan(50)
    for (const { method, template } of closed) {
      const { status, text } = await ask(method, concrete(template), {}, method === 'POST' ? {} : undefined)
      expect([method, template, status], text).toEqual([method, template, 404])
    }
  })

  it.each([
    ['GET', '/trpc/service.version'],
    ['GET', '/trpc/schemas.list'],
    ['GET', '/api-docs'],
    ['GET', '/api-docs/'],
    ['GET', '/api-docs-json'],
    ['GET', '/console/'],
    ['GET', '/console/types'],
    ['GET', '/console/login'],
    ['GET', '/console/session'],
    ['GET', '/health/readiness'],
    ['GET', '/SCHEMAS'],
    ['GET', '//schemas'],
    ['GET', '/pages/../schemas'],
    ['GET', '/pages/%2e%2e/schemas'],
    ['HEAD', '/agent/holders'],
    ['OPTIONS', '/schemas'],
    ['PUT', '/schemas'],
  ])('%s %s does not exist there', async (method, path) => {
    expect((await ask(method, path)).status).toBe(404)
  })

  it('the main listener has these routes', async () => {
    for (const path of ['/version', '/agent/holders', '/health/readiness', '/api-docs-json'])
      expect((await service.request('GET', path)).status, path).toBe(200)
  })

  it('its first page links only to existing pages', async () => {
    const { status, text } = await ask('GET', '/', BROWSER)
    expect([status, text]).toEqual([200, expect.stringContaining('Issuer metadata')])
    expect(text).not.toMatch(/\/console|\/api-docs|\/health/)
  })

  it('a caller there is not the local admin: an offering for one recipient shows a QR code, and never its subject', async () => {
    const made = await service.request('POST', '/api/v1/offerings', {
      body: {
        credential_type: 'ProofOfPurchase',
        credential_subject: { product: 'Espresso machine' },
        recipient: 'did:web:customer.example',
      },
    })
    expect(made.status, made.text).toBe(201)
    const path = new URL(made.json.qr_code_url).pathname
    const sent = await ask('GET', path, BROWSER)
    expect(sent.status).toBe(303)
    const page = await ask('GET', new URL(sent.headers.location ?? '').pathname, BROWSER)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Open my wallet')])
    expect(page.text).not.toContain('Espresso machine')
    expect((await ask('GET', path.replace('/qr-code', ''))).status).toBe(404)
  })

  it('a caller there cannot enter claims and get a credential, unlike the local admin', async () => {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'wallet',
      redirect_uri: 'https://wallet.example/callback',
      scope: 'ProofOfPurchase',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
      state: 'x',
    })
    const path = `/openid4vci/authorize?${query}`
    const begun = await fetch(`${service.url}${path}`, { redirect: 'manual' })
    expect(begun.headers.get('location')).toContain('/openid4vci/authorize/')
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
    const form = await fetch(begun.headers.get('location') ?? '', { headers: { cookie } })
    expect(await form.text()).toContain('<form')
    const stranger = await ask('GET', path, BROWSER)
    const next = stranger.headers.location ?? ''
    const shown = next.startsWith(service.url)
      ? await ask('GET', new URL(next).pathname, {
          ...BROWSER,
          cookie: String(stranger.headers['set-cookie']?.[0]).split(';')[0] ?? '',
        })
      : stranger
    expect(shown.text).not.toContain('<form')
    // A stranger who has the address of the local admin's form and the cookie cannot use the form at the public
    // listener either.
    const { pathname } = new URL(begun.headers.get('location') ?? '')
    expect((await ask('GET', pathname, { ...BROWSER, cookie })).text).not.toContain('<form')
  })

  it('strangers use up only their own rate limit', async () => {
    let refused = 0
    for (let calls = 0; calls < 410; calls++) if ((await ask('GET', '/openid4vci/offers/x')).status === 429) refused++
    expect(refused).toBeGreaterThan(0)
    expect((await service.request('GET', '/version')).status).toBe(200)
  })
})

import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startOpenidProvider } from '../support/openid-provider.js'
import { CLIENT_SECRET, startService } from '../support/service.js'
import { ask, Browser, type ConsoleService, logIn, OF_CONSOLE, sessionRows, startConsole } from './actors.js'

const ALICE = { sub: 'alice', name: 'Alice', roles: ['admin'] }

let it0: ConsoleService
beforeAll(async () => {
  it0 = await startConsole({ env: { KEY_ENCRYPTION_KEY: `${'A'.repeat(42)}E` }, maintenance: false })
})
afterAll(() => it0[Symbol.asyncDispose]())
beforeEach(() => {
  Object.assign(it0.provider, { user: ALICE, jwt: true, refreshTokens: true, accessSeconds: 3600, away: false })
})
afterEach(() => {
  it0.provider.away = false
})

const who = (browser: Browser) => ask(it0.service, browser, 'GET', '/console/session')
const metadataOf = ({ provider: { issuer } }: ConsoleService) => ({
  issuer,
  authorization_endpoint: `${issuer}/auth`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
})
const sessionCookieOf = (browser: Browser) => browser.jar(it0.service.url).get('console') ?? ''

describe('a login', () => {
  it('leads through the provider to the console, with a session that knows its user', async () => {
    const { browser, answer } = await logIn(it0)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${it0.service.url}/console/`])
    const { json } = await who(browser)
    expect(json).toEqual({
      mode: 'login',
      user: {
        ...ALICE,
        isAdmin: true,
        mayIssue: true,
        mayVerify: true,
        operations: expect.arrayContaining(['audit.list', 'credentials.revoke', 'vpQueries.create']),
      },
      idleAt: expect.any(String),
      endsAt: expect.any(String),
    })
    expect(Date.parse(json.idleAt) - Date.now()).toBeLessThanOrEqual(30 * 60_000)
    expect(Date.parse(json.endsAt) - Date.now()).toBeGreaterThan(11.9 * 3600_000)
  })

  it('asks for a code with PKCE, state and nonce (OpenID Connect Core 1.0 §3.1.2.1, RFC 7636)', async () => {
    const { headers } = await new Browser().open(`${it0.service.url}/console/login`)
    const asked = Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)
    expect(asked).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'openid profile',
      redirect_uri: `${it0.service.url}/console/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  it('has new values that cannot be guessed', async () => {
    const asked = await Promise.all(
      [1, 2].map(async () => {
        const { headers } = await new Browser().open(`${it0.service.url}/console/login`)
        return new URL(headers.get('location') ?? '').searchParams
      }),
    )
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect([name, new Set(asked.map((one) => one.get(name))).size]).toEqual([name, 2])
  })

  it('sets cookies that scripts and other sites cannot use', async () => {
    const { browser } = await logIn(it0)
    const [login, session] = browser.setCookies.filter((cookie) => cookie.startsWith('console'))
    expect(login).toMatch(/^console-login=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/)
    expect(session).toMatch(/^console=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  it('stores neither the id nor a token in readable form', async () => {
    const { browser } = await logIn(it0)
    const [id = ''] = sessionCookieOf(browser).split('.')
    const row = (await sessionRows(it0.service)).at(-1)
    expect(row?.id_hash).toBe(createHash('sha256').update(id).digest('base64url'))
    expect(row?.content).not.toContain('accessToken')
    expect(JSON.stringify(row)).not.toContain(id)
    const { text } = await who(browser)
    expect(text).not.toMatch(/eyJ/)
  })

  it.each([
    ['/console/offers?state=open', '/console/offers?state=open'],
    ['/console/../api-docs', '/console/'],
    ['//evil.example/console/', '/console/'],
    ['https://evil.example/console/', '/console/'],
    ['/console/\\evil', '/console/'],
    ['/console/logout', '/console/'],
    ['/api-docs', '/console/'],
    ['javascript:alert(1)', '/console/'],
  ])('asked to return to %s returns to %s', async (to, expected) => {
    const { answer } = await logIn(it0, `?return=${encodeURIComponent(to)}`)
    expect(answer.headers.get('location')).toBe(`${it0.service.url}${expected}`)
  })
})

describe('a login that begins at another name of this machine', () => {
  const named = (path: string) => `${it0.service.url.replace('127.0.0.1', 'localhost')}${path}`

  it('continues at the base URL, to which the provider sends the browser back, and ends at its original address', async () => {
    const browser = new Browser()
    const callback = await browser.followTo(
      named('/console/login?return=%2Fconsole%2Foffers'),
      `${it0.service.url}/console/callback`,
    )
    const answer = await browser.open(callback)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${it0.service.url}/console/offers`])
    expect((await who(browser)).json.user).toMatchObject({ sub: 'alice' })
    expect(browser.cookies(named('/'))).toBe('')
  })

  it('is moved only once: behind a proxy that names another host, the login continues', async () => {
    const { status, headers } = await new Browser().open(named('/console/login?moved=1'))
    expect([status, headers.get('location')?.startsWith(it0.provider.issuer)]).toEqual([303, true])
  })
})

describe('a login with another account', () => {
  const promptOf = async (service: ConsoleService, query: string) => {
    const { headers } = await new Browser().open(`${service.service.url}/console/login${query}`)
    return new URL(headers.get('location') ?? '').searchParams.get('prompt')
  }

  it('lets the user choose at the provider (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
    expect(await promptOf(it0, '?account=other')).toBe('select_account')
    expect(await promptOf(it0, '')).toBeNull()
    const moved = await new Browser().open(
      `${it0.service.url.replace('127.0.0.1', 'localhost')}/console/login?account=other`,
    )
    expect(new URL(moved.headers.get('location') ?? '').searchParams.get('account')).toBe('other')
    expect((await it0.service.request('GET', '/console/login?account=mine')).status).toBe(400)
  })

  it.each([
    [['none', 'login', 'consent'], 'login'],
    [['login', 'select_account'], 'select_account'],
  ])('at a provider that lists the prompts %s asks for %s', async (prompts, expected) => {
    await using fresh = await startConsole({ maintenance: false })
    fresh.provider.metadata = { ...metadataOf(fresh), prompt_values_supported: prompts }
    expect(await promptOf(fresh, '?account=other')).toBe(expected)
  })
})

describe('a provider at a private address', () => {
  it('needs no entry of OUTBOUND_ALLOWED_HOSTS, because the operator has configured it', async () => {
    await using unlisted = await startConsole({ env: { OUTBOUND_ALLOWED_HOSTS: '' }, maintenance: false })
    const { browser, answer } = await logIn(unlisted)
    expect(answer.status).toBe(303)
    expect((await ask(unlisted.service, browser, 'GET', '/console/session')).json.user).toMatchObject({ sub: 'alice' })
  })

  it('attack: is no address that a caller may name, nor is another port of its host', async () => {
    await using unlisted = await startConsole({ env: { OUTBOUND_ALLOWED_HOSTS: '' }, maintenance: false })
    const { browser } = await logIn(unlisted)
    const holder = await ask(unlisted.service, browser, 'POST', '/agent/holder', { body: { method: 'key' } })
    unlisted.provider.requests.length = 0
    for (const host of [unlisted.provider.issuer, 'http://127.0.0.1:1']) {
      const uri = `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${host}/jwks`)}`
      const path = `/holders/${holder.json.id}/process`
      const { status, text } = await ask(unlisted.service, browser, 'POST', path, { body: { uri } })
      expect([host, status, text]).toEqual([
        host,
        expect.any(Number),
        expect.stringContaining('address that is not public'),
      ])
    }
    expect(unlisted.provider.requests).toEqual([])
  })

  it('attack: cannot send the service on to another private address by its metadata', async () => {
    await using other = await startOpenidProvider()
    await using unlisted = await startConsole({ env: { OUTBOUND_ALLOWED_HOSTS: '' }, maintenance: false })
    await other.register(unlisted.service.url)
    unlisted.provider.metadata = { ...metadataOf(unlisted), token_endpoint: `${other.issuer}/token` }
    const { answer } = await logIn(unlisted)
    expect([answer.status, other.requests]).toEqual([503, []])
  })
})

describe('no session is made', () => {
  let before: number
  beforeEach(async () => {
    before = (await sessionRows(it0.service)).length
  })
  const expectNone = async (browser: Browser) => {
    expect(sessionCookieOf(browser)).toBe('')
    expect(await sessionRows(it0.service)).toHaveLength(before)
  }

  it('of a login that was refused', async () => {
    it0.provider.user = null
    const { browser, answer } = await logIn(it0)
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('refused or cancelled')])
    await expectNone(browser)
  })

  it('for a user without a role, whose tokens are revoked', async () => {
    it0.provider.user = { sub: 'holder', roles: ['user'] }
    it0.provider.requests.length = 0
    const { browser, answer } = await logIn(it0)
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('You have no role here')])
    expect(it0.provider.requests).toContain('/token/revocation')
    await expectNone(browser)
  })

  it('for a user without a role, who reads which roles are enough and whom to ask', async () => {
    const env = { ADMIN_ROLE: 'boss', ISSUER_ROLE: 'registrar<', VERIFIER_ROLE: '' }
    await using named = await startConsole({ env, maintenance: false })
    named.provider.user = { sub: 'holder', name: 'Hana <b>', roles: ['admin'] }
    const text = await (await logIn(named)).answer.text()
    expect(text).toContain('You are signed in as <b>Hana &lt;b&gt;</b>, but your account has no role')
    expect(text).toContain('<li><code>boss</code> may do everything</li>')
    expect(text).toContain('<li><code>registrar&lt;</code> may issue credentials</li>')
    expect(text).not.toContain('may verify credentials')
    expect(text).toContain(`Ask the people who manage the accounts of ${new URL(named.provider.issuer).host}`)
    expect(text).toContain(`<a href="${named.service.url}/console/login?account=other">Use another account</a>`)
  })

  it('of an opaque access token, with a sentence that says so', async () => {
    it0.provider.jwt = false
    const { browser, answer } = await logIn(it0)
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('access token is not a JWT')])
    await expectNone(browser)
  })

  it('while the provider is unreachable', async () => {
    await using fresh = await startConsole({ maintenance: false })
    fresh.provider.away = true
    const answer = await new Browser().open(`${fresh.service.url}/console/login`)
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('cannot be used at the moment')])
  })

  it('of an answer in another browser', async () => {
    const browser = new Browser()
    const callback = await browser.followTo(`${it0.service.url}/console/login`, `${it0.service.url}/console/callback`)
    const other = new Browser()
    expect((await other.open(callback)).status).toBe(400)
    await expectNone(other)
  })

  it('of an answer with another state', async () => {
    const browser = new Browser()
    const callback = new URL(
      await browser.followTo(`${it0.service.url}/console/login`, `${it0.service.url}/console/callback`),
    )
    const { href } = callback
    callback.searchParams.set('state', 'x'.repeat(43))
    expect((await browser.open(callback.href)).status).toBe(400)
    await expectNone(browser)
    // The refused answer does not use up the login.
    expect((await browser.open(href)).status).toBe(303)
  })

  it('of a used answer, from any browser: the provider is not asked', async () => {
    const { browser, callback } = await logIn(it0)
    const copy = new Browser()
    for (const [name, value] of browser.jar(it0.service.url)) copy.jar(it0.service.url).set(name, value)
    copy.jar(it0.service.url).delete('console')
    it0.provider.requests.length = 0
    expect((await copy.open(callback)).status).toBe(400)
    expect(it0.provider.requests).toEqual([])
    expect(sessionCookieOf(copy)).toBe('')
  })

  it('of a login that took more than ten minutes', async () => {
    let now = Date.now()
    await using late = await startConsole({ clock: () => new Date(now), maintenance: false })
    const browser = new Browser()
    const callback = await browser.followTo(`${late.service.url}/console/login`, `${late.service.url}/console/callback`)
    now += 601_000
    expect((await browser.open(callback)).status).toBe(400)
  })
})

describe('a session', () => {
  it('gets a new id; the session that the browser had before ends', async () => {
    const { browser } = await logIn(it0)
    const former = sessionCookieOf(browser)
    await logIn(it0, '', browser)
    expect(sessionCookieOf(browser)).not.toBe(former)
    const old = new Browser()
    old.jar(it0.service.url).set('console', former)
    expect((await who(old)).json.user).toBeNull()
    expect((await ask(it0.service, old, 'GET', '/api/v1/offerings')).status).toBe(401)
  })

  it('with an invented id is refused without the database', async () => {
    const { browser } = await logIn(it0)
    const [id = '', mac = ''] = sessionCookieOf(browser).split('.')
    const find = it0.service.platform.stores.consoleSessions.find
    let asked = 0
    Object.assign(it0.service.platform.stores.consoleSessions, {
      find: (...given: Parameters<typeof find>) => {
        asked += 1
        return find(...given)
      },
    })
    const other = Buffer.from(id, 'base64url').reverse().toString('base64url')
    for (const forged of [`${other}.${mac}`, id, `${id}.`, `${id}.${'A'.repeat(43)}`, 'x']) {
      browser.jar(it0.service.url).set('console', forged)
      const { status, json } = await ask(it0.service, browser, 'POST', '/schemas', { body: {} })
      expect([forged, status, json.message]).toEqual([forged, 401, 'Session has ended. Log in again.'])
    }
    expect(asked).toBe(0)
    Object.assign(it0.service.platform.stores.consoleSessions, { find })
  })

  it('ends by signing out: tokens are revoked, the session is deleted, and the browser goes to the logout page of the provider, without a hint', async () => {
    const { browser } = await logIn(it0)
    it0.provider.requests.length = 0
    const { status, json, headers } = await ask(it0.service, browser, 'POST', '/console/logout', { body: {} })
    expect(status).toBe(200)
    const location = new URL(json.location)
    expect(location.origin + location.pathname).toBe(`${it0.provider.issuer}/session/end`)
    expect(Object.fromEntries(location.searchParams)).toEqual({
      client_id: 'client_secret_basic',
      post_logout_redirect_uri: `${it0.service.url}/console/callback`,
    })
    expect(headers.get('set-cookie')).toMatch(/^console=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/)
    expect(it0.provider.requests).toContain('/token/revocation')
    const again = await ask(it0.service, browser, 'POST', '/schemas', { body: {} })
    expect([again.status, again.json.message]).toEqual([401, 'Session has ended. Log in again.'])
    expect((await who(browser)).json.user).toBeNull()
    expect((await ask(it0.service, browser, 'POST', '/console/logout', { body: {} })).status).toBe(401)
  })

  it('whose browser returns from the logout page of the provider, is not signed in and sees the console', async () => {
    const { browser } = await logIn(it0)
    await ask(it0.service, browser, 'POST', '/console/logout', { body: {} })
    const answer = await browser.open(`${it0.service.url}/console/callback`)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${it0.service.url}/console/`])
    expect((await who(browser)).json.user).toBeNull()
  })

  it('ends here even if the provider is unreachable', async () => {
    const { browser } = await logIn(it0)
    it0.provider.away = true
    expect((await ask(it0.service, browser, 'POST', '/console/logout', { body: {} })).status).toBe(200)
    expect((await ask(it0.service, browser, 'POST', '/schemas', { body: {} })).status).toBe(401)
  })

  it.each([
    ['no x-console', { 'x-console': '' }],
    ['another x-console', { 'x-console': '2' }],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['somebody who typed it', { 'sec-fetch-site': 'none' }],
    ['another site with the right origin', { 'sec-fetch-site': 'cross-site', origin: 'self' }],
  ])('is ignored with %s', async (_, headers: Record<string, string>) => {
    const { browser } = await logIn(it0)
    const sent = { ...headers, ...(headers.origin === undefined ? {} : { origin: it0.service.url }) }
    const { status, json } = await ask(it0.service, browser, 'POST', '/schemas', { body: {}, headers: sent })
    expect([status, json.message]).toEqual([401, 'Unauthorized'])
  })

  it('is valid without Fetch Metadata only if the Origin is the own origin', async () => {
    const { browser } = await logIn(it0)
    const cookie = browser.cookies(it0.service.url)
    const status = async (headers: Record<string, string>) =>
      (
        await it0.service.request('GET', '/api/v1/verifier/vp-queries', {
          headers: { cookie, 'x-console': '1', ...headers },
        })
      ).status
    expect(await status({ origin: it0.service.url })).not.toBe(401)
    expect(await status({ origin: 'https://evil.example' })).toBe(401)
    expect(await status({ origin: 'null' })).toBe(401)
    expect(await status({})).toBe(401)
  })

  it('is ignored if there is an Authorization', async () => {
    const { browser } = await logIn(it0)
    const headers = { authorization: 'Bearer wrong' }
    const { status, json } = await ask(it0.service, browser, 'POST', '/schemas', { body: {}, headers })
    expect([status, json.message]).toEqual([401, 'Invalid access token.'])
    expect((await ask(it0.service, browser, 'GET', '/console/session', { headers })).json.user).toBeNull()
    expect((await ask(it0.service, browser, 'POST', '/console/logout', { body: {}, headers })).status).toBe(401)
    expect((await who(browser)).json.user).toMatchObject({ sub: 'alice' })
  })

  it('does not help a wrong client secret, which is refused', async () => {
    const { browser } = await logIn(it0)
    const answerTo = (headers: Record<string, string>) =>
      ask(it0.service, browser, 'GET', '/api/v1/verifier/vp-queries', { headers })
    expect((await answerTo({})).status).toBe(200)
    const { status, json } = await answerTo({ 'x-client-secret': 'wrong' })
    expect([status, json.message]).toEqual([401, 'Unauthorized'])
    expect((await answerTo({ 'x-client-secret': CLIENT_SECRET })).status).toBe(200)
  })

  it('is not available to other origins over CORS', async () => {
    const { status, headers } = await it0.service.request('OPTIONS', '/schemas', {
      headers: {
        ...OF_CONSOLE,
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-console',
      },
    })
    expect(status).toBeLessThan(500)
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('is not available to origins of CORS_ORIGINS either: these origins may only call without cookies', async () => {
    const origin = 'https://app.example'
    await using named = await startService({ env: { CORS_ORIGINS: origin }, maintenance: false })
    const { headers } = await named.request('GET', '/api/v1/verifier/vp-queries', { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('and its cookie stay after a logout request that no page of the console sent', async () => {
    const { browser } = await logIn(it0)
    const headers = { 'x-console': '', 'sec-fetch-site': 'cross-site' }
    const answer = await ask(it0.service, browser, 'POST', '/console/logout', { headers })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([401, null])
    expect((await who(browser)).json.user).toMatchObject({ sub: 'alice' })
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { ask, type ConsoleService, envOf, logIn, OF_CONSOLE, sessionRows, startConsole } from './actors.js'

const ADMIN = { sub: 'alice', roles: ['admin'] }
/**
 * The clock is moved by this time. Tokens of ten seconds have then expired, even if the login was slow on a busy
 * machine.
 */
const RUN_OUT = 60_000

let open: ConsoleService
let now: number

beforeAll(async () => {
  now = Date.now()
  open = await startConsole({ clock: () => new Date(now), maintenance: false })
})
afterAll(() => open[Symbol.asyncDispose]())
beforeEach(async () => {
  now = Date.now()
  Object.assign(open.provider, { refreshTokens: true, accessSeconds: 10, away: false, user: ADMIN })
  await query(open.service.databaseUrl, 'DELETE FROM console_sessions')
})

/** A second process with the same database. It has not called the provider yet. */
const startOther = (): Promise<TestService> =>
  startService({
    databaseUrl: open.service.databaseUrl,
    env: { ...envOf(open.provider), ISSUER_BASE_URL: open.service.url, VERIFIER_BASE_URL: open.service.url },
    clock: () => new Date(now),
    maintenance: false,
  })

const tokenRequests = () => open.provider.requests.filter((path) => path === '/token').length

describe('new tokens', () => {
  it('are stored even if their verification keys cannot be fetched, because the former refresh token is used up', async () => {
    const { browser } = await logIn(open)
    await using other = await startOther()
    const headers = { cookie: browser.cookies(open.service.url) }
    const status = async () => (await ask(other, browser, 'GET', '/api/v1/verifier/vp-queries', { headers })).status
    now += RUN_OUT
    Object.assign(open.provider, { away: ['/jwks'], accessSeconds: 3600 })
    open.provider.requests.length = 0
    const answer = await ask(other, browser, 'GET', '/api/v1/verifier/vp-queries', { headers })
    expect([answer.status, answer.json.message]).toEqual([503, 'Identity provider is unavailable.'])
    expect(tokenRequests()).toBe(1)
    open.provider.away = false
    // If a refresh token is used twice, the provider ends all tokens of its login.
    await expect.poll(status, { interval: 500 }).toBe(200)
    expect(await sessionRows(open.service)).toHaveLength(1)
  })

  it('of another user end the session', async () => {
    const { browser } = await logIn(open)
    const { signIn } = open.service.platform
    if (signIn === undefined) throw new Error('Nobody can sign in.')
    const { refresh } = signIn
    Object.assign(open.provider, { user: { sub: 'mallory', roles: ['admin'] }, accessSeconds: 3600 })
    const mallory = await logIn(open)
    const headers = { ...OF_CONSOLE, cookie: mallory.browser.cookies(open.service.url) }
    const foreign = await open.service.platform.consoleSessions?.described(headers)
    const { accessToken = '' } = foreign?.content ?? {}
    Object.assign(signIn, { refresh: async () => ({ accessToken, refreshToken: 'another' }) })
    now += RUN_OUT
    const answer = await ask(open.service, browser, 'GET', '/api/v1/verifier/vp-queries')
    Object.assign(signIn, { refresh })
    expect([answer.status, answer.json.message]).toEqual([401, 'Session has ended. Log in again.'])
  })

  it('that are refused end the session', async () => {
    const { browser } = await logIn(open)
    now += RUN_OUT
    Object.assign(open.provider, { jwt: false, accessSeconds: 3600 })
    const answer = await ask(open.service, browser, 'GET', '/api/v1/verifier/vp-queries')
    open.provider.jwt = true
    expect([answer.status, answer.json.message]).toEqual([401, 'Session has ended. Log in again.'])
    expect(await sessionRows(open.service)).toEqual([])
  })
})

it('a session survives the end of a process during the renewal: another process renews it after the time limit', async () => {
  const { browser } = await logIn(open)
  const held = `UPDATE console_sessions SET renewal = 'died', renewal_until = to_timestamp(${(now + RUN_OUT + 25_000) / 1000})`
  await query(open.service.databaseUrl, held)
  now += RUN_OUT
  open.provider.accessSeconds = 3600
  open.provider.requests.length = 0
  const waiting = ask(open.service, browser, 'GET', '/api/v1/verifier/vp-queries')
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(tokenRequests()).toBe(0)
  now += 26_000
  expect((await waiting).status).toBe(200)
  expect(tokenRequests()).toBe(1)
})

it('a session ends after twelve hours even if the expiry of its token is later than any date (RFC 7519 §4.1.4)', async () => {
  Object.assign(open.provider, { refreshTokens: false, accessSeconds: 1e15 })
  const { browser } = await logIn(open)
  const status = async () => (await ask(open.service, browser, 'GET', '/api/v1/verifier/vp-queries')).status
  const quarter = 15 * 60_000
  for (let passed = quarter; passed < 12 * 60 * 60_000; passed += quarter) {
    now += quarter
    expect(await status()).toBe(200)
  }
  now += quarter
  expect(await status()).toBe(401)
})

it('a session whose token cannot be checked has not ended: without the keys the answer is a 503', async () => {
  open.provider.accessSeconds = 3600
  const { browser } = await logIn(open)
  await using fresh = await startOther()
  open.provider.away = ['/jwks']
  const headers = { cookie: browser.cookies(open.service.url) }
  for (const path of ['/api/v1/verifier/vp-queries', '/console/session']) {
    const { status, json } = await ask(fresh, browser, 'GET', path, { headers })
    expect([path, status, json.message]).toEqual([path, 503, 'Identity provider is unavailable.'])
  }
})

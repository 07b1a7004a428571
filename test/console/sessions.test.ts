import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { query } from '../support/postgres.js'
import { type ServiceOptions, startService, type TestService } from '../support/service.js'
import { ask, type ConsoleService, envOf, logIn, sessionRows, startConsole } from './actors.js'

const MINUTE = 60_000
const ADMIN = { sub: 'alice', roles: ['admin'] }

let open: ConsoleService
let service: TestService
let now: number

beforeAll(async () => {
  open = await startConsole({ clock: () => new Date(now), maintenance: false })
  service = open.service
})
afterAll(() => open[Symbol.asyncDispose]())
beforeEach(async () => {
  now = Date.now()
  Object.assign(open.provider, { refreshTokens: true, accessSeconds: 24 * 3600, away: false, user: ADMIN })
  await query(open.service.databaseUrl, 'DELETE FROM console_sessions')
})

/** A second process with the same database. */
const startOther = (options: ServiceOptions = {}): Promise<TestService> =>
  startService({
    databaseUrl: open.service.databaseUrl,
    env: { ...envOf(open.provider), ISSUER_BASE_URL: open.service.url, VERIFIER_BASE_URL: open.service.url },
    maintenance: false,
    ...options,
  })

describe('a session ends', () => {
  it('after 30 minutes without activity, and not before', async () => {
    const { browser } = await logIn(open)
    now += 29 * MINUTE
    expect((await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')).status).toBe(200)
    now += 29 * MINUTE
    expect((await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')).status).toBe(200)
    now += 30 * MINUTE
    expect((await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')).status).toBe(401)
  })

  it('after 12 hours in any case', async () => {
    const { browser } = await logIn(open)
    const end = now + 12 * 60 * MINUTE
    while (now + 20 * MINUTE < end) {
      now += 20 * MINUTE
      expect((await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')).status).toBe(200)
    }
    now = end
    expect((await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')).status).toBe(401)
  })

  it('with its access token, if there is no refresh token', async () => {
    Object.assign(open.provider, { refreshTokens: false, accessSeconds: 600 })
    const { browser } = await logIn(open)
    const { json } = await ask(service, browser, 'GET', '/console/session')
    // The provider counts from the time of the login, in whole seconds.
    expect(Math.abs(Date.parse(json.endsAt) - (now + 10 * MINUTE))).toBeLessThan(60_000)
    expect(json.idleAt).toBe(json.endsAt)
    now += 9 * MINUTE
    expect((await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')).status).toBe(200)
    now += 2 * MINUTE
    expect((await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')).status).toBe(401)
  })

  it('and then the maintenance job of a running service removes it with its tokens', async () => {
    await logIn(open)
    await query(open.service.databaseUrl, "UPDATE console_sessions SET expires_at = now() - interval '1 second'")
    await using _ = await startOther({ maintenance: true, maintenanceEveryMs: 50 })
    await expect.poll(() => sessionRows(service)).toEqual([])
  })

  it('and is not removed earlier', async () => {
    await logIn(open)
    const { removeExpired } = service.platform.stores.consoleSessions
    expect((await removeExpired(new Date(now + 29 * MINUTE), 10)).count).toBe(0)
    expect((await removeExpired(new Date(now + 31 * MINUTE), 10)).count).toBe(1)
    expect(await sessionRows(service)).toEqual([])
  })
})

describe('activity', () => {
  const seen = async () => (await sessionRows(service))[0]?.last_seen_at.getTime()

  it('is written at most once a minute', async () => {
    const { browser } = await logIn(open)
    const first = now
    for (const seconds of [10, 40, 59]) {
      now = first + seconds * 1000
      await Promise.all([1, 2, 3].map(() => ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')))
      expect(await seen()).toBe(first)
    }
    now = first + MINUTE
    await Promise.all([1, 2, 3].map(() => ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')))
    expect(await seen()).toBe(now)
  })

  it('is written by only one of two processes, even if both have read the session at once', async () => {
    const { browser } = await logIn(open)
    await using other = await startOther({ clock: () => new Date(now + 1_000) })
    const { databaseUrl } = service
    await query(databaseUrl, 'CREATE TABLE seen (at timestamptz)')
    await query(
      databaseUrl,
      "CREATE FUNCTION note_seen() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO seen VALUES (NEW.last_seen_at); RETURN NEW; END'",
    )
    await query(
      databaseUrl,
      'CREATE TRIGGER note_seen AFTER UPDATE OF last_seen_at ON console_sessions FOR EACH ROW EXECUTE FUNCTION note_seen()',
    )
    now += MINUTE
    // All processes read before one of them writes.
    const stores = [service, other].map(({ platform }) => platform.stores.consoleSessions)
    let arrived = 0
    let go = () => {}
    const all = new Promise<void>((resolve) => {
      go = resolve
    })
    for (const store of stores) {
      const { seen: write } = store
      Object.assign(store, {
        seen: async (...given: Parameters<typeof write>) => {
          arrived += 1
          if (arrived === 2) go()
          await all
          return write(...given)
        },
      })
    }
    const headers = { cookie: browser.cookies(service.url) }
    const answers = await Promise.all(
      [service, other].map((one) => ask(one, browser, 'GET', '/api/v1/verifier/vp-queries', { headers })),
    )
    expect([arrived, ...answers.map(({ status }) => status)]).toEqual([2, 200, 200])
    expect(await query(databaseUrl, 'SELECT at FROM seen')).toHaveLength(1)
    await query(databaseUrl, 'DROP TRIGGER note_seen ON console_sessions')
  })

  it('is not a stream, and not the query for the session', async () => {
    const { browser } = await logIn(open)
    const first = now
    now += 5 * MINUTE
    await ask(service, browser, 'GET', '/console/session')
    await ask(service, browser, 'GET', `/verification-sessions/${crypto.randomUUID()}/events`)
    expect(await seen()).toBe(first)
  })
})

/**
 * Logs in. The provider's tokens have times of the machine, so the clock of the service is set by the machine again. Otherwise
 * a token of four seconds would be valid for longer after a slow login.
 */
async function logInNow() {
  const session = await logIn(open)
  now = Date.now()
  return session
}

describe('tokens', () => {
  it('are renewed before they expire, by only one of two processes that need them at once', async () => {
    open.provider.accessSeconds = 4
    await using other = await startOther()
    const { browser } = await logInNow()
    open.provider.accessSeconds = 3600
    open.provider.requests.length = 0
    const cookie = browser.cookies(service.url)
    const answers = await Promise.all(
      [service, other, service, other].map((one) =>
        one.request('GET', '/api/v1/verifier/vp-queries', {
          headers: { cookie, 'x-console': '1', 'sec-fetch-site': 'same-origin' },
        }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    // A second use of one refresh token would end all tokens of the login (RFC 9700 §4.14.2).
    expect(open.provider.requests.filter((path) => path === '/token')).toHaveLength(1)
    now += 20 * MINUTE
    expect((await ask(other, browser, 'GET', '/api/v1/verifier/vp-queries', { headers: { cookie } })).status).toBe(200)
  })

  it('are not renewed again by a request that has read the session before the renewal', async () => {
    open.provider.accessSeconds = 4
    const { browser } = await logInNow()
    const store = service.platform.stores.consoleSessions
    const [row] = await sessionRows(service)
    const before = await store.find(row?.id_hash ?? '', new Date(now))
    if (before === undefined) throw new Error('There is no session.')
    open.provider.accessSeconds = 3600
    expect((await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')).status).toBe(200)
    const take = (session: typeof before) => store.takeRenewal(session, 'mine', new Date(now + MINUTE), new Date(now))
    expect(await take(before)).toBe(false)
    const after = await store.find(before.idHash, new Date(now))
    expect(await take(after ?? before)).toBe(true)
  })

  it('that are renewed do not extend a session without activity', async () => {
    open.provider.accessSeconds = 4
    const { browser } = await logInNow()
    open.provider.accessSeconds = 3600
    expect((await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')).status).toBe(200)
    now += 30 * MINUTE
    expect((await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')).status).toBe(401)
  })

  it('that cannot be renewed end the session', async () => {
    open.provider.accessSeconds = 4
    const { browser } = await logInNow()
    open.provider.user = { sub: 'alice', roles: ['user'] }
    const refused = await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')
    expect(refused.status).toBe(401)
    expect(await sessionRows(service)).toEqual([])
  })

  it('that expire while the provider is unreachable do not end the session: the answer is a 503', async () => {
    open.provider.accessSeconds = 10
    const { browser } = await logInNow()
    now += 11_000
    open.provider.away = true
    const answer = await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')
    expect([answer.status, answer.json.message]).toEqual([503, 'Identity provider is unavailable.'])
    open.provider.away = false
    open.provider.accessSeconds = 3600
    expect((await ask(service, browser, 'GET', '/api/v1/verifier/vp-queries')).status).toBe(200)
  })
})

it('records made with a session name its user', async () => {
  const { browser } = await logIn(open)
  const body = { query: [{ fields: [{ path: ['$.type'] }] }] }
  const made = await ask(service, browser, 'POST', '/api/v1/verifier/vp-queries', { body })
  expect(made.status).toBe(201)
  const [event] = await query<{ actor: string }>(
    service.databaseUrl,
    `SELECT actor FROM audit_events WHERE subject_id = '${made.json.id}'`,
  )
  expect(event?.actor).toBe('alice')
})

describe('the rate limit', () => {
  it('counts a session separately from its address, and an invalid session with its address', async () => {
    await using limited = await startConsole({
      env: { RATE_LIMIT_MAX: '12', CONSOLE_RATE_LIMIT_MAX: '5' },
      maintenance: false,
    })
    const { browser } = await logIn(limited)
    const statuses = async (headers: Record<string, string>, times: number) => {
      const all: number[] = []
      for (let time = 0; time < times; time += 1)
        all.push((await ask(limited.service, browser, 'GET', '/version', { headers })).status)
      return all
    }
    // The login and the callback count as two of the twelve requests that the address may make.
    expect(await statuses({}, 6)).toEqual([200, 200, 200, 200, 200, 429])
    expect(await statuses({ cookie: 'console=forged' }, 11)).toEqual([...Array(10).fill(200), 429])
  })

  it('counts the console separately with AUTH_DISABLED too', async () => {
    await using free = await startService({
      env: { AUTH_DISABLED: 'true', OIDC_JWKS_URL: '', RATE_LIMIT_MAX: '3', CONSOLE_RATE_LIMIT_MAX: '2' },
      maintenance: false,
    })
    const status = async (headers: Record<string, string>) =>
      (await free.request('GET', '/version', { headers })).status
    const page = { 'x-console': '1', 'sec-fetch-site': 'same-origin' }
    expect([await status(page), await status(page), await status(page)]).toEqual([200, 200, 429])
    expect([await status({}), await status({}), await status({}), await status({})]).toEqual([200, 200, 200, 429])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Change } from '../../server/console/changes/change.js'
import { postSchema, SUBJECT } from '../issuer/purchase.js'
import { query, startOwnPostgres } from '../support/postgres.js'
import { CLIENT_SECRET, type ServiceOptions, startService, type TestService } from '../support/service.js'
import { dcql } from '../verifier/actors.js'
import { ask as askConsole, logIn, OF_CONSOLE, startConsole } from './actors.js'
import { EVENTS, EVERYTHING, openChanges, watchChanges } from './change-reader.js'

const ENV = { ISSUER_ROLE: 'credence-issuer', VERIFIER_ROLE: 'credence-verifier' }
const OPTIONS: ServiceOptions = { env: ENV, maintenance: false, changesEveryMs: 100 }
const MINUTE = 60_000

let service: TestService
let issuer: string
let type: string

beforeAll(async () => {
  service = await startService(OPTIONS)
  issuer = await service.bearer('ida', { roles: ['credence-issuer'] })
  type = (await postSchema(service, issuer)).name
})
afterAll(() => service.close())

/** Records audit events in one statement, in this order. */
const record = (events: readonly (readonly [subject: string, id: string])[], at = service) =>
  query(
    at.databaseUrl,
    `INSERT INTO audit_events (action, subject, subject_id)
     SELECT 'attack', e.subject, e.id FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS e(subject, id, place) ORDER BY e.place`,
    [events.map(([subject]) => subject), events.map(([, id]) => id)],
  )

async function post(path: string, body: unknown, roles: readonly string[]) {
  const authorization = await service.bearer('ida', { roles })
  const { json, status, text } = await service.request('POST', path, { authorization, body })
  expect(status, text).toBeLessThan(300)
  return json
}

describe('attack: readers of changes', () => {
  /**
   * Every kind of subject in the audit, some unknown kinds, and the name of a member that every JavaScript object has.
   */
  const STATELESS = {
    'vp-query': 'vp-query',
    'trusted-issuer': 'trusted-issuer',
    issuer: 'issuer',
    verifier: 'verifier',
    'registration-certificate': 'registration-certificate',
    key: 'agent',
    did: 'agent',
    holder: 'holder',
    wallet_credential: 'wallet',
    wallet_pending_issuance: 'wallet',
    wallet_presentation: 'wallet',
    flow: 'wallet',
    'console-session': 'other',
    unheard: 'other',
    constructor: 'other',
    __proto__: 'other',
    offering: 'offering',
  } as const

  const OF_ISSUERS = ['credential', 'credential-offer-session', 'issuer', 'offering']
  const OF_VERIFIERS = ['registration-certificate', 'trusted-issuer', 'verification-session', 'verifier', 'vp-query']
  const OF_ADMINS = ['agent', 'holder', 'other', 'wallet']

  it('each caller receives only the kinds in their lists, and only changes of things that they may read', async () => {
    const signed = await post('/credentials/sign', { type, credential_subject: SUBJECT, format: 'dc+sd-jwt' }, [
      'credence-issuer',
    ])
    const offered = await post(
      '/credential-offers',
      { credentialConfigurationIds: [type], credentialSubject: SUBJECT },
      ['credence-issuer'],
    )
    const asked = await post('/authorization-requests', { dcqlQuery: dcql(service, 'dc+sd-jwt') }, [
      'credence-verifier',
    ])
    expect(signed).toBeDefined()
    const [{ schema = '', credential = '' } = {}] = await query<{ schema: string; credential: string }>(
      service.databaseUrl,
      'SELECT (SELECT min(id) FROM schemas) AS schema, (SELECT min(id) FROM credentials) AS credential',
    )

    await using issuing = await watchChanges(service, ['credence-issuer'])
    await using verifying = await watchChanges(service, ['credence-verifier'])
    await using all = await watchChanges(service, ['admin'])
    await using backend = await openChanges(service, { 'x-client-secret': CLIENT_SECRET })
    expect((await backend.next()).change).toEqual(EVERYTHING)

    await record([
      ['schema', schema],
      ['credential', credential],
      ['offering', offered.credentialOfferSessionId],
      ['verification-session', asked.verificationSessionId],
      ...Object.keys(STATELESS).map((subject) => [subject, `of ${subject}`] as const),
      ['offering', 'last'],
      ['vp-query', 'last'],
    ])
    const kinds = (changes: readonly Change[]) =>
      [...new Set(changes.map(({ kind }) => kind))].filter((kind) => kind !== 'everything').toSorted()
    const heard = await all.until('vp-query', 'last')
    expect(kinds(heard)).toEqual([...OF_ISSUERS, ...OF_VERIFIERS, ...OF_ADMINS, 'schema'].toSorted())
    expect(heard).toEqual(
      expect.arrayContaining(
        Object.entries(STATELESS).map(([subject, kind]) => ({ kind, id: `of ${subject}`, state: null })),
      ),
    )
    // Issuers have registration certificates too. The change has only the id of the certificate.
    expect(kinds(await issuing.until('offering', 'last'))).toEqual([
      ...OF_ISSUERS,
      'registration-certificate',
      'schema',
    ])
    expect(kinds(await verifying.until('vp-query', 'last'))).toEqual([...OF_VERIFIERS, 'schema'].toSorted())
    expect(kinds(await backend.until('vp-query', 'last'))).toEqual(
      [...OF_ISSUERS, ...OF_VERIFIERS, 'schema'].toSorted(),
    )
  })

  it('a credential reports the session that it was taken in, and counting reports statistics', async () => {
    const { credentialOfferSessionId: id } = await post(
      '/credential-offers',
      { credentialConfigurationIds: [type], credentialSubject: SUBJECT },
      ['credence-issuer'],
    )
    const [{ credential = '' } = {}] = await query<{ credential: string }>(
      service.databaseUrl,
      `INSERT INTO redemptions (id, offering_id, credential_id) SELECT 'taken', $1, min(id) FROM credentials
       RETURNING credential_id AS credential`,
      [id],
    )
    await using changes = await watchChanges(service, ['credence-issuer'])
    // There is no announcement: only the event of the credential reports the session's new state.
    await query(service.databaseUrl, `UPDATE credential_offer_sessions SET state = 'CredentialIssued' WHERE id = $1`, [
      id,
    ])
    await record([['credential', credential]])
    const told = await changes.until('credential', credential)
    expect(told).toContainEqual({ kind: 'credential-offer-session', id, state: 'CredentialIssued' })
    await service.platform.stores.statistics.fold(new Date(), 1_000)
    await changes.until('statistics', null)
  })

  it('a caller who returns with other roles receives only the changes that these roles missed', async () => {
    await using all = await watchChanges(service, ['admin'])
    const authorization = await service.bearer('watcher', { roles: ['admin'] })
    await using before = await openChanges(service, { authorization })
    const { id } = await before.next()
    await record([
      ['key', 'secret'],
      ['offering', 'theirs'],
      ['vp-query', 'own'],
    ])
    await all.until('vp-query', 'own')
    const lesser = await service.bearer('watcher', { roles: ['credence-verifier'] })
    await using again = await openChanges(service, { authorization: lesser, 'last-event-id': id })
    expect((await again.next()).change).toEqual({ kind: 'vp-query', id: 'own', state: null })
  })
})

describe('attack: Last-Event-ID', () => {
  it('of a stranger, of a forgotten change or of a future change gives `everything`', async () => {
    await using all = await watchChanges(service, ['admin'])
    const authorization = await service.bearer('watcher', { roles: ['admin'] })
    const first = async (lastEventId: string) => {
      await using reader = await openChanges(service, { authorization, 'last-event-id': lastEventId })
      return await reader.next()
    }
    const { id } = await first('')
    const [series, number = ''] = id.split('.')
    for (const unknown of [
      `x${series}.${number}`,
      number,
      `${series}.`,
      `${series}.-1`,
      `${series}.${number}.${number}`,
      `${series}.1e3`,
      `${series}.${Number(number) + 1}`,
      `${series}.999999999999999`,
      `${series}.9999999999999999`,
    ]) {
      expect((await first(unknown)).change, unknown).toEqual(EVERYTHING)
    }
    // More changes happen after the id of the early change than the process remembers.
    await record([['vp-query', 'early']])
    await all.until('vp-query', 'early')
    for (const part of ['a', 'b']) {
      await record(Array.from({ length: 600 }, (_, n) => ['vp-query', `${part}${n}`] as const))
      await all.until('everything', null)
    }
    expect((await first(id)).change).toEqual(EVERYTHING)
  })

  it('that is not an id is a 400 that names the header', async () => {
    const authorization = await service.bearer('watcher', { roles: ['admin'] })
    for (const garbage of ['a b', '💥'.normalize().replace(/./gu, '%'), 'x'.repeat(101), '<script>']) {
      const { status, json } = await service.request('GET', EVENTS, {
        authorization,
        headers: { 'last-event-id': garbage },
      })
      expect([status, [json.message].flat()[0]]).toEqual([400, 'lastEventId must be the id of an event'])
    }
    expect((await service.request('GET', `${EVENTS}?lastEventId=a%00b`, { authorization })).status).toBe(400)
  })
})

describe('attack: more changes than a stream can send', () => {
  it('a reader that has not taken 200 changes hears that everything may have changed, and then continues', async () => {
    await using changes = await watchChanges(service, ['admin'])
    await record(Array.from({ length: 300 }, (_, n) => ['vp-query', `of many ${n}`] as const))
    expect((await changes.next()).change).toEqual(EVERYTHING)
    await record([['vp-query', 'after many']])
    expect((await changes.next()).change).toEqual({ kind: 'vp-query', id: 'after many', state: null })
  })

  it('a record with frequent changes is sent once, at the position of its last change', async () => {
    await using changes = await watchChanges(service, ['admin'])
    await record([
      ['vp-query', 'first'],
      ...Array.from({ length: 250 }, () => ['vp-query', 'often'] as const),
      ['vp-query', 'last'],
    ])
    expect((await changes.until('vp-query', 'last')).map(({ id }) => id)).toEqual(['first', 'often', 'last'])
  })
})

describe('attack: numbers of audit events that come late', () => {
  /** Reserves numbers of audit events without using them, as transactions do that have not ended. */
  async function takeNumbers(count: number): Promise<number> {
    const [row] = await query<{ last: string }>(
      service.databaseUrl,
      `SELECT max(nextval(pg_get_serial_sequence('audit_events', 'id')))::text AS last FROM generate_series(1, $1)`,
      [count],
    )
    return Number(row?.last)
  }
  const arrive = (number: number, id: string) =>
    query(
      service.databaseUrl,
      `INSERT INTO audit_events (id, action, subject, subject_id) OVERRIDING SYSTEM VALUE VALUES ($1, 'attack', 'vp-query', $2)`,
      [number, id],
    )

  it('are sent once, whichever missing number arrives first, also if two ranges of numbers are missing', async () => {
    await using changes = await watchChanges(service, ['admin'])
    const one = await takeNumbers(3)
    await record([['vp-query', 'beside one']])
    await changes.until('vp-query', 'beside one')
    const two = await takeNumbers(2)
    await record([['vp-query', 'beside two']])
    await changes.until('vp-query', 'beside two')
    await arrive(one - 1, 'late of one')
    await arrive(two, 'late of two')
    await changes.until('vp-query', 'late of two')
    await arrive(one, 'later of one')
    expect((await changes.until('vp-query', 'later of one')).map(({ id }) => id)).not.toContain('late of one')
  })
})

describe('attack: a stream ends in time', () => {
  it('when the service stops', async () => {
    await using own = await startService(OPTIONS)
    await using changes = await watchChanges(own, ['admin'])
    const ended = expect(changes.next()).rejects.toThrow('The stream ended')
    own.platform.changes.end()
    await ended
    const authorization = await own.bearer('watcher', { roles: ['admin'] })
    expect((await own.request('GET', EVENTS, { authorization })).status).toBe(503)
    expect(own.platform.events.open()).toBe(0)
  })

  it('with its access token, even while it sends', async () => {
    let now = Date.now()
    await using own = await startService({ ...OPTIONS, clock: () => new Date(now) })
    const authorization = await own.bearer('watcher', { roles: ['admin'], expiresIn: 600 })
    await using changes = await openChanges(own, { authorization })
    expect((await changes.next()).change).toEqual(EVERYTHING)
    now += 9 * MINUTE
    await record([['vp-query', 'before']], own)
    await changes.until('vp-query', 'before')
    const ended = expect(changes.until('vp-query', 'after')).rejects.toThrow('The stream ended')
    now += 2 * MINUTE
    await ended
    await expect.poll(() => own.platform.events.open()).toBe(0)
    expect((await own.request('GET', EVENTS, { authorization })).status).toBe(401)
  })

  it('at most a minute after its session: after sign-out, or without the role, no event arrives', async () => {
    let now = Date.now()
    await using open = await startConsole({ ...OPTIONS, clock: () => new Date(now) })
    const at = open.service
    for (const end of ['logout', 'role'] as const) {
      open.provider.user = { sub: 'alice', name: 'Alice', roles: ['credence-issuer'] }
      const { browser } = await logIn(open)
      const headers = { ...OF_CONSOLE, cookie: browser.cookies(at.url) }
      await using changes = await openChanges(at, headers)
      expect((await changes.next()).change).toEqual(EVERYTHING)
      if (end === 'logout')
        expect((await askConsole(at, browser, 'POST', '/console/logout', { body: {} })).status).toBe(200)
      else open.provider.user = { sub: 'alice', name: 'Alice', roles: [] }
      const ended = expect(changes.until('offering', 'never')).rejects.toThrow('The stream ended')
      now += MINUTE
      await ended
      // The session has the roles of its access token. When the token expires and is renewed, the session gets the
      // roles of the new token.
      if (end === 'role') now += 24 * 60 * MINUTE
      expect((await openChanges(at, headers)).status, end).toBe(401)
    }
  })
})

describe('attack: the database', () => {
  it('cannot be read for a while: then everything is reported as changed, because a change may be lost', async () => {
    await using changes = await watchChanges(service, ['admin'])
    await query(
      service.databaseUrl,
      `ALTER TABLE audit_events RENAME TO kept; CREATE SEQUENCE failures;
       CREATE VIEW audit_events AS SELECT * FROM kept WHERE 0 = 1 / (nextval('failures') * 0);
       INSERT INTO kept (action, subject, subject_id) VALUES ('attack', 'vp-query', 'unread')`,
    )
    const failed = async () => (await query(service.databaseUrl, 'SELECT is_called FROM failures'))[0]
    await expect.poll(failed).toEqual({ is_called: true })
    await query(
      service.databaseUrl,
      'DROP VIEW audit_events; DROP SEQUENCE failures; ALTER TABLE kept RENAME TO audit_events',
    )
    expect((await changes.next()).change).toEqual(EVERYTHING)
    await record([['vp-query', 'after failures']])
    await changes.until('vp-query', 'after failures')
  })

  it('is unavailable: each stream is refused with 503, and does not count as an open stream', async () => {
    await using postgres = await startOwnPostgres()
    await using own = await startService({
      ...OPTIONS,
      env: { ...ENV, MAX_STREAMS_PER_CALLER: '1' },
      databaseUrl: postgres.url,
      databaseWaitMs: 2_000,
    })
    const authorization = await own.bearer('watcher', { roles: ['admin'] })
    await postgres.stop()
    for (let time = 1; time <= 2; time += 1) {
      expect((await own.request('GET', EVENTS, { authorization })).status).toBe(503)
    }
    expect(own.platform.events.open()).toBe(0)
    await postgres.restart()
    await using changes = await watchChanges(own, ['admin'])
    await record([['vp-query', 'back']], own)
    await changes.until('vp-query', 'back')
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Issuer, JWT_VC, movingClock, startIssuer } from '../issuer/openid4vci/actors.js'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { issuanceTasks } from '../issuer/openid4vci/issuance-tasks.js'
import { runTask } from '../support/maintenance.js'
import { query } from '../support/postgres.js'
import { newWallet } from '../support/wallet-actor.js'

const DAY = 86_400
const clock = movingClock()
let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now, maintenance: false })
})
afterAll(() => issuer.service.close())

const run = (sql: string, values: unknown[] = []) => query(issuer.service.databaseUrl, sql, values)
/** Lets this process run the task again later. */
const ofEvents = () => issuer.service.features.sessionEvents.tasks
const maintain = async (tasks = ofEvents()) => {
  for (const task of [...issuanceTasks(issuer.service), ...tasks]) await runTask(task, clock.now())
}
const partitions = async () =>
  (
    await run("SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'session_events'::regclass")
  ).map(({ name }) => name)
/** The partitions that contain the events of a session. */
const placesOf = async (id: string) =>
  (
    await run('SELECT DISTINCT tableoid::regclass::text AS name FROM session_events WHERE session_id = $1 ORDER BY 1', [
      id,
    ])
  ).map(({ name }) => name)

/** Takes a credential. The request has a new proof. */
async function take(token: string) {
  const iat = Math.floor(clock.now().getTime() / 1000)
  const jwt = await (await newWallet()).proof(issuer.service.url, await issuer.nonce(), { payload: { iat } })
  const taken = await issuer.requestCredential(token, { credential_configuration_id: JWT_VC, proofs: { jwt: [jwt] } })
  expect(taken.status, taken.text).toBe(200)
  return taken
}

/** An offer whose credential a wallet has taken and acknowledged. */
async function accepted(): Promise<string> {
  const id = (await issuer.makeOffer()).credentialOfferSessionId
  const token = await issuer.token(id)
  const taken = await take(token)
  await issuer.notify(token, { notification_id: taken.json.notification_id, event: 'credential_accepted' })
  return id
}

describe('events of sessions', () => {
  it('are dropped with the partition of their day when no session has events in it; no single row is deleted', async () => {
    const ids = [await accepted(), await accepted()]
    const [place] = await placesOf(ids[0] ?? '')
    expect(place).toMatch(/^session_events_\d{8}_00$/)
    clock.ahead = 29 * DAY
    await maintain()
    expect(await partitions()).toContain(place)
    // The sessions are deleted, so no caller can read the events any more.
    clock.ahead = 31 * DAY
    await maintain(ofEvents().slice(1))
    for (const id of ids) {
      const answer = await issuer.service.request('GET', `/credential-offer-sessions/${id}`, {
        authorization: await issuer.authorization(),
      })
      expect(answer.json.message).toBe('Credential offer session not found.')
      expect(await placesOf(id)).toEqual([place])
    }
    await maintain()
    expect(await partitions()).not.toContain(place)
    for (const id of ids) expect(await placesOf(id)).toEqual([])
  })

  it('stay as long as one remaining session has events in the partition, and can be read over all its days', async () => {
    clock.ahead = 40 * DAY
    await maintain()
    clock.ahead = 42 * DAY
    const other = await accepted()
    const id = (await issuer.makeOffer({ expiresInSeconds: 30 * DAY })).credentialOfferSessionId
    const early = await issuer.code(id)
    expect(early).toBeDefined()
    const [place] = await placesOf(id)
    expect(place).toMatch(/^session_events_\d{8}_00$/)
    const tasks = ofEvents()
    clock.ahead = 70 * DAY
    await maintain(tasks)
    clock.ahead = 71 * DAY
    const token = await issuer.token(id)
    const taken = await take(token)
    expect((await placesOf(id)).length).toBe(2)
    await issuer.notify(token, { notification_id: taken.json.notification_id, event: 'credential_accepted' })
    // All other sessions of its day are deleted.
    for (const days of [74, 75, 99]) {
      clock.ahead = days * DAY
      await maintain(tasks)
      expect(await partitions()).toContain(place)
      // The events are deleted at most three days after their session.
      expect(await placesOf(other)).toEqual(days < 75 ? [place] : [])
    }
    await using events = await readEvents(issuer.service, `/credential-offer-sessions/${id}/events`, {
      authorization: await issuer.authorization(),
      'last-event-id': '1',
    })
    const states: string[] = []
    for (let count = 0; count < 4; count += 1) states.push(JSON.parse((await events.next()).data ?? '{}').state)
    expect(states).toEqual(['OfferRetrieved', 'TokenIssued', 'CredentialIssued', 'Accepted'])
    clock.ahead = 102 * DAY
    await maintain(tasks)
    expect(await partitions()).not.toContain(place)
  })

  it('of removed sessions from before partitioning are deleted one by one, the others stay', async () => {
    clock.ahead = 88 * DAY
    const [first] = await run(
      "SELECT min(substring(pg_get_expr(relpartbound, oid) FROM 'FROM [(]''([^'']+)''[)]'))::timestamptz AS since FROM pg_class WHERE relispartition AND relname LIKE 'session_events_2%'",
    )
    await run('CREATE TABLE session_events_former (LIKE session_events INCLUDING ALL)')
    await run(
      `ALTER TABLE session_events ATTACH PARTITION session_events_former FOR VALUES FROM (MINVALUE) TO ('${first?.since.toISOString()}')`,
    )
    const id = (await issuer.makeOffer()).credentialOfferSessionId
    // There are more rows than one statement checks.
    const happen = (session: string) =>
      run(
        "INSERT INTO session_events (session_id, seq, changes, at) SELECT $1, n, '{}', $2::timestamptz - interval '1 day' FROM generate_series(2, 400) n",
        [session, first?.since],
      )
    for (const session of [id, 'gone']) await happen(session)
    const tasks = ofEvents()
    await maintain(tasks)
    expect(await placesOf('gone')).toEqual([])
    expect(await run('SELECT count(*)::int AS n FROM session_events WHERE session_id = $1', [id])).toEqual([{ n: 399 }])
    // The task checks the partition once a day.
    await happen('gone later')
    clock.ahead += DAY - 60
    await maintain(tasks)
    expect(await placesOf('gone later')).toEqual(['session_events_former'])
    clock.ahead += 60
    await maintain(tasks)
    expect(await placesOf('gone later')).toEqual([])
    await run('DROP TABLE session_events_former')
  })

  it('in the default partition are deleted with their session', async () => {
    clock.ahead = 95 * DAY
    const id = await accepted()
    expect(await placesOf(id)).toEqual(['session_events_default'])
    clock.ahead = 126 * DAY
    await maintain()
    expect(await placesOf(id)).toEqual([])
  })
})

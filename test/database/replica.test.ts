import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { StatementError, TooSlowError } from '../../server/database/errors.js'
import { replicaLists } from '../../server/database/replica/lists.js'
import { createLog } from '../../server/log/log.js'
import { postOffering, postSchema, SUBJECT } from '../issuer/purchase.js'
import { ofMetric, parseSamples } from '../metrics/scrape.js'
import { createTestDatabase, query } from '../support/postgres.js'
import { type ReplicatedPostgres, startReplicatedPostgres } from '../support/replica.js'
import { CLIENT_SECRET, type ServiceOptions, startService, type TestService } from '../support/service.js'
import { recordStatements } from '../support/statements.js'
import { LOOPBACK, newWallet } from '../support/wallet.js'
import { ITEM } from '../verifier/actors.js'

let postgres: ReplicatedPostgres
/**
 * Three processes of one installation, which share only the databases. Two of them use the replica, the third does not.
 */
let one: TestService
let two: TestService
let unaware: TestService
let holderId: string
let headers: Record<string, string>
let credentialType: string

const said: { level: number; msg: string; reason?: string; standing?: string }[] = []
const log = createLog('info', { write: (line: string) => void said.push(JSON.parse(line)) })

const CLIENT = { 'x-client-secret': CLIENT_SECRET }
/** A caller without an identity, who therefore has no recorded changes. */
const STRANGER = {}

const onReplica = (statement: string) => query(postgres.replica.url, statement)

/** Waits until the replica has replayed the primary's writes. */
async function level(): Promise<void> {
  const [{ lsn } = {}] = await query<{ lsn: string }>(postgres.primary.url, 'SELECT pg_current_wal_lsn()::text AS lsn')
  const isLevel = () => onReplica(`SELECT pg_last_wal_replay_lsn() >= '${lsn}' AS level`)
  await expect.poll(isLevel).toEqual([{ level: true }])
}

/** Waits until the replica shows all commits. */
async function caughtUp(): Promise<void> {
  // A test server writes commits to disk with a delay. A commit that waits for the disk also writes all earlier
  // commits.
  const commit = "BEGIN; SET LOCAL synchronous_commit = on; SELECT pg_logical_emit_message(true, 'test', ''); COMMIT"
  await query(postgres.primary.url, commit)
  await level()
}

/** Pauses the replay: the replica still receives the primary's writes, but does not show them. */
async function delay(): Promise<void> {
  await caughtUp()
  await onReplica('SELECT pg_wal_replay_pause()')
  await expect.poll(() => onReplica('SELECT pg_get_wal_replay_pause_state() AS state')).toEqual([{ state: 'paused' }])
}

/** Ends the ten seconds that follow each change. */
const later = () => query(postgres.primary.url, 'UPDATE recent_writers SET expires_at = clock_timestamp()')

/**
 * Starts a process with a replica. It has no maintenance, because a task of the maintenance would count the simulated
 * time as its working time.
 */
const start = (replicaUrl: string, options: ServiceOptions = {}) =>
  startService({
    databaseUrl: postgres.primary.url,
    identityProvider: unaware.identityProvider,
    maintenance: false,
    env: { ...LOOPBACK, DATABASE_REPLICA_URL: replicaUrl },
    ...options,
  })

const now = performance.now.bind(performance)
/** Milliseconds that are added to the clock of the processes. */
let ahead = 0
/**
 * The clock of the processes stands still at this time, and only `pass` moves it. So a busy machine may take any time
 * between two reads. Without a time, the clock goes.
 */
let stopped: number | undefined = now()
const pass = (ms: number) => {
  ahead += ms
}

beforeAll(async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => (stopped ?? now()) + ahead)
  postgres = await startReplicatedPostgres()
  unaware = await startService({ databaseUrl: postgres.primary.url, env: LOOPBACK, maintenance: false })
  one = await start(postgres.replica.url, { log })
  two = await start(postgres.replica.url)
  const wallet = await newWallet(unaware, 'alice')
  holderId = wallet.id
  headers = { authorization: wallet.authorization, ...CLIENT }
  credentialType = (await postSchema(unaware, wallet.authorization)).name
  for (const path of ['/agent/did', '/agent/issuer', '/agent/verifier'])
    await unaware.request('POST', path, { headers, body: { method: 'key' } })
  await unaware.request('POST', '/api/v1/verifier/vp-queries', { headers, body: { query: [ITEM] } })
  await unaware.request('POST', '/api/v1/trusted-issuers', { headers, body: { issuer: 'https://university.example' } })
  const offering = await postOffering(unaware, { credential_type: credentialType })
  expect((await wallet.process(offering.offering_full_url)).status).toBe(200)
  await unaware.features.walletPresentations.record(holderId, 'alice', {
    verifier: 'x',
    credentials: [],
    state: 'accepted',
  })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await Promise.all([one?.close(), two?.close(), unaware?.close()])
  await postgres?.[Symbol.asyncDispose]()
})

beforeEach(async () => {
  await later()
  await caughtUp()
  // Makes all earlier observations of the replica outdated, also failed reads.
  pass(600_000)
  await areUp(one, two)
  for (const service of [one, two]) readBefore.set(service, await readsOf(service))
  said.length = 0
})
afterEach(async () => {
  stopped ??= now()
  await onReplica('ALTER SYSTEM RESET ALL')
  await onReplica('SELECT pg_reload_conf()')
  await onReplica('SELECT pg_wal_replay_resume()')
})

const OFFERINGS = '/api/v1/offerings'
const VP_QUERIES = '/api/v1/verifier/vp-queries'

async function idsAt(service: TestService, path: string, who: Record<string, string>): Promise<string[]> {
  const { status, json, text } = await service.request('GET', path, { headers: who })
  expect(status, text).toBe(200)
  return json.map((entry: { id?: string; did?: string }) => entry.id ?? entry.did)
}

async function pageAt(service: TestService, path: string): Promise<string[]> {
  const { status, json, text } = await service.request('GET', path, { headers })
  expect(status, text).toBe(200)
  return json.items.map((item: { id: string }) => item.id)
}

/** The sources from which a process has read lists since it started. */
async function readsOf({ platform }: TestService): Promise<Map<string, number>> {
  const samples = parseSamples(await platform.metrics.registry.metrics())
  const counted = Object.entries(ofMetric(samples, 'credence_list_reads_total'))
  return new Map(counted.map(([name, count]) => [/source="(\w+)"/.exec(name)?.[1] ?? '', count]))
}

const readBefore = new Map<TestService, Map<string, number>>()

/** The sources from which a process has read lists in this test. */
async function sourcesOf(service: TestService): Promise<Record<string, number>> {
  const before = readBefore.get(service)
  const counts = [...(await readsOf(service))].map(([source, count]) => [source, count - (before?.get(source) ?? 0)])
  return Object.fromEntries(counts.filter(([, count]) => count !== 0))
}

/** Waits until each process uses the replica. Time passes, so that the processes ask the replica again. */
const areUp = (...services: readonly TestService[]) =>
  expect
    .poll(() => {
      pass(1_000)
      return Promise.all(services.map(health))
    })
    .toEqual(services.map(() => ({ status: 'up' })))

const warnings = () => said.filter(({ level }) => level === 40)

const health = async (service: TestService) => (await service.request('GET', '/health/readiness')).json.details.replica

describe('lists of a service with a replica', () => {
  it('are all read from the replica, with the same result', async () => {
    const lists = [
      OFFERINGS,
      VP_QUERIES,
      '/agent/dids',
      '/agent/issuers',
      '/agent/verifiers',
      '/agent/holders',
      `/holders/${holderId}/dids`,
      `/holders/${holderId}/credentials`,
      `/holders/${holderId}/presentations`,
    ]
    for (const path of lists) {
      const ids = await idsAt(one, path, headers)
      expect(ids.length, path).toBeGreaterThan(0)
      expect(ids).toEqual(await idsAt(unaware, path, headers))
    }
    const pages = ['audit-events', 'schemas', 'credentials', 'trusted-issuers'].map((name) => `/api/v1/${name}`)
    for (const path of pages) {
      const page = await pageAt(one, path)
      expect(page.length, path).toBeGreaterThan(0)
      expect(page).toEqual(await pageAt(unaware, path))
    }
    // The redemptions of offerings are a separate read.
    expect(await sourcesOf(one)).toEqual({ replica: lists.length + pages.length + 1 })
    expect(await sourcesOf(unaware)).toEqual({})
    expect(await health(one)).toEqual({ status: 'up' })
    expect(warnings()).toEqual([])
  })

  it('are read from the primary, in every process, for a caller who changed something within ten seconds', async () => {
    await idsAt(two, OFFERINGS, STRANGER)
    await delay()
    const { offering_id: id } = await postOffering(one, { credential_type: credentialType })
    for (const service of [one, two]) {
      expect(await idsAt(service, OFFERINGS, CLIENT)).toContain(id)
      expect(await idsAt(service, OFFERINGS, STRANGER)).not.toContain(id)
    }
    // Redemptions are a separate read, so a caller who may see them makes two reads.
    expect(await sourcesOf(two)).toEqual({ replica: 2, wrote: 2 })
    await later()
    expect(await idsAt(two, OFFERINGS, CLIENT)).not.toContain(id)
    expect(warnings()).toEqual([])
  })

  it('of sessions come from the primary, so that their creators find them', async () => {
    await delay()
    const made = await one.request('POST', '/authorization-requests', { headers, body: { query: [ITEM] } })
    const offered = await one.request('POST', '/credential-offers', {
      headers,
      body: { credentialConfigurationIds: [credentialType], credentialSubject: SUBJECT },
    })
    expect([made.status, offered.status], offered.text).toEqual([201, 201])
    expect(await pageAt(two, '/api/v1/verification-sessions?limit=1')).toEqual([made.json.verificationSessionId])
    expect(await pageAt(two, '/api/v1/credential-offer-sessions?limit=1')).toEqual([
      offered.json.credentialOfferSessionId,
    ])
    expect(await sourcesOf(two)).toEqual({})
  })

  it('are read from the primary for a caller who changed something that a list shows', async () => {
    const done = async (method: string, path: string, body?: unknown) => {
      await later()
      const answer = await one.request(method, path, { headers, ...(body === undefined ? {} : { body }) })
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
      await pageAt(two, '/api/v1/trusted-issuers')
      return answer.json
    }
    const schema = await done('POST', '/schemas', { name: 'Withdrawn', version: 1, schema: { type: 'object' } })
    await done('DELETE', `/schemas/${schema.id}`)
    const subject = { type: credentialType, credential_subject: SUBJECT }
    const { id } = await done('POST', '/api/v1/credentials', subject)
    await done('POST', `/api/v1/credentials/${id}/revoke`)
    await done('POST', '/credentials/sign', { ...subject, format: 'dc+sd-jwt' })
    const trusted = await done('POST', '/api/v1/trusted-issuers', { issuer: 'https://other.example' })
    await done('DELETE', `/api/v1/trusted-issuers/${trusted.id}`)
    expect(await sourcesOf(two)).toEqual({ wrote: 7 })
  })

  it('of one user do not depend on changes by another user', async () => {
    await idsAt(two, OFFERINGS, STRANGER)
    await delay()
    const root = { authorization: await one.bearer('root', { roles: ['admin'] }) }
    const toor = { authorization: await one.bearer('toor', { roles: ['admin'] }) }
    const made = await one.request('POST', '/agent/issuer', { headers: root, body: { method: 'key' } })
    expect(await idsAt(two, '/agent/issuers', root)).toContain(made.json.id)
    await idsAt(two, '/agent/issuers', toor)
    expect(await sourcesOf(two)).toMatchObject({ wrote: 1, replica: 2 })
  })

  it('show a change also to a caller whose connection broke before the answer', async () => {
    const holding = new pg.Client({ connectionString: postgres.primary.url })
    await holding.connect()
    await holding.query('BEGIN; LOCK TABLE vp_queries IN SHARE MODE')
    const change = one.request('POST', VP_QUERIES, { headers: CLIENT, body: { query: [ITEM] } })
    const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    await expect.poll(() => query(postgres.primary.url, waiting)).toEqual([{ n: 1 }])
    await idsAt(two, VP_QUERIES, CLIENT)
    expect(await sourcesOf(two)).toEqual({ wrote: 1 })
    await holding.query('COMMIT')
    await holding.end()
    expect((await change).status).toBe(201)
  })

  it('cost no statement for actions of wallets and verifiers, and one statement for a change of a list', async () => {
    const record = recordStatements()
    try {
      const notes = () => record.sent().filter((text) => /recent_writers/.test(text)).length
      const asked = await one.request('POST', '/authorization-requests', { headers, body: { query: [ITEM] } })
      expect(asked.status).toBe(201)
      await one.request('POST', '/openid4vci/nonce')
      await one.request('GET', '/.well-known/openid-credential-issuer')
      expect(notes()).toBe(0)
      await one.request('POST', VP_QUERIES, { headers: CLIENT, body: { query: [ITEM] } })
      expect(notes()).toBe(1)
      // A request that the contract refuses changes nothing.
      await one.request('POST', VP_QUERIES, { headers: CLIENT, body: {} })
      expect(notes()).toBe(1)
    } finally {
      record.stop()
    }
  })

  it('records of changes are deleted an hour after their end', async () => {
    await one.request('POST', VP_QUERIES, { headers: CLIENT, body: { query: [ITEM] } })
    const noted = () => query(postgres.primary.url, 'SELECT caller FROM recent_writers')
    expect((await noted()).length).toBeGreaterThan(0)
    await query(postgres.primary.url, `UPDATE recent_writers SET expires_at = expires_at - interval '61 minutes'`)
    await using _ = await start(postgres.replica.url, { maintenance: true })
    await expect.poll(noted).toEqual([])
  })
})

describe('a read that the replica ends', () => {
  /** The replica still holds a lock that the primary has already released, so readers of the replica wait. */
  async function locked(): Promise<void> {
    const holder = new pg.Client({ connectionString: postgres.primary.url })
    await holder.connect()
    await holder.query('BEGIN; LOCK TABLE vp_queries IN ACCESS EXCLUSIVE MODE; SELECT pg_switch_wal()')
    await delay()
    await holder.query('COMMIT')
    await holder.end()
  }
  const waitingThere = `FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%vp_queries%'`

  it('is repeated on the primary, and the next read uses the replica again', async () => {
    await idsAt(one, OFFERINGS, STRANGER)
    await locked()
    const list = idsAt(one, VP_QUERIES, CLIENT)
    await expect.poll(() => onReplica(`SELECT count(*)::int AS n ${waitingThere}`)).toEqual([{ n: 1 }])
    await onReplica(`SELECT pg_cancel_backend(pid) ${waitingThere}`)
    expect(await list).toEqual(await idsAt(unaware, VP_QUERIES, CLIENT))
    await idsAt(one, OFFERINGS, STRANGER)
    expect(await sourcesOf(one)).toEqual({ replica: 2, failed: 1 })
    expect(warnings()).toEqual([])
  })

  it.runIf(process.env.PROOF)(
    'that does not answer within three seconds is replaced by the primary too, and the replica is not used for a second',
    async () => {
      await idsAt(one, OFFERINGS, STRANGER)
      await locked()
      expect(await idsAt(one, VP_QUERIES, CLIENT)).toEqual(await idsAt(unaware, VP_QUERIES, CLIENT))
      expect(await sourcesOf(one)).toEqual({ replica: 1, failed: 1 })
      expect(warnings()).toEqual([
        expect.objectContaining({
          msg: 'lists are read from the primary',
          standing: 'away',
          reason: expect.stringContaining('timeout'),
        }),
      ])
    },
  )
})

it('a read that took too long at the replica is not repeated at the primary, and does not count against the replica', async () => {
  const failed = vi.fn()
  const lists = replicaLists({
    primary: 'primary',
    replica: 'replica',
    standby: { standing: async () => 'replica', failed },
    wrote: async () => undefined,
    onRead: () => {},
  })
  const tooSlow = new TooSlowError(new StatementError(new Error('canceling statement due to statement timeout')))
  const read = vi.fn(async (_stores: string) => Promise.reject(tooSlow))
  const readList = await lists.readerFor([])
  await expect(readList(read)).rejects.toBe(tooSlow)
  expect([read.mock.calls, failed.mock.calls]).toEqual([[['replica']], []])
})

describe('a replica that cannot be used', () => {
  it('because its delay is unknown', async () => {
    // The replica has now replayed all earlier commits, so it starts at once. It does not replay later commits.
    await query(postgres.primary.url, 'CHECKPOINT')
    await level()
    await onReplica(`ALTER SYSTEM SET recovery_min_apply_delay = '1h'`)
    await postgres.replica.stop()
    await postOffering(unaware, { credential_type: credentialType })
    await postgres.replica.restart()
    pass(600_000)
    await idsAt(one, OFFERINGS, STRANGER)
    expect(await idsAt(one, OFFERINGS, STRANGER)).toEqual(await idsAt(unaware, OFFERINGS, STRANGER))
    expect(await sourcesOf(one)).toEqual({ behind: 2 })
    expect(warnings()).toEqual([expect.objectContaining({ standing: 'behind' })])
    expect(await health(one)).toEqual({ status: 'degraded' })
    await onReplica('ALTER SYSTEM RESET ALL')
    await onReplica('SELECT pg_reload_conf()')
    await caughtUp()
    await areUp(one)
    await idsAt(one, OFFERINGS, STRANGER)
    expect(await sourcesOf(one)).toEqual({ behind: 2, replica: 1 })
  })

  it('because it is unreachable is not used, with one warning, and is used again when it is reachable', async () => {
    await idsAt(one, OFFERINGS, STRANGER)
    await postgres.replica.stop()
    for (let count = 0; count < 5; count += 1)
      expect(await idsAt(one, OFFERINGS, STRANGER)).toEqual(await idsAt(unaware, OFFERINGS, STRANGER))
    expect(await sourcesOf(one)).toEqual({ replica: 1, failed: 1, away: 4 })
    expect(warnings()).toEqual([expect.objectContaining({ standing: 'away' })])
    expect((await one.request('GET', '/health/readiness')).status).toBe(200)
    expect(await health(one)).toEqual({ status: 'degraded' })
    await postgres.replica.restart()
    await areUp(one)
    await idsAt(one, OFFERINGS, STRANGER)
    expect((await sourcesOf(one)).replica).toBe(2)
    expect(said.filter(({ msg }) => msg === 'lists are read from the replica again')).toHaveLength(1)
  })

  it('because it belongs to another database never answers a list', async () => {
    await using other = await createTestDatabase()
    const beside = Object.assign(new URL(postgres.replica.url), { pathname: '/template1' }).href
    for (const url of [postgres.primary.url, other.url, beside]) {
      said.length = 0
      await using stray = await start(url, { log })
      expect(await idsAt(stray, OFFERINGS, STRANGER)).toEqual(await idsAt(unaware, OFFERINGS, STRANGER))
      expect(await sourcesOf(stray)).toEqual({ away: 1 })
      expect(warnings()).toEqual([expect.objectContaining({ reason: 'It is no replica of DATABASE_URL.' })])
    }
  })

  it('because its reads fail again and again is asked less and less, with few log lines', async () => {
    // This account may read the replay position of the replica, but may not read any list.
    await query(postgres.primary.url, "CREATE ROLE reader LOGIN PASSWORD 'reader'")
    await caughtUp()
    const url = Object.assign(new URL(postgres.replica.url), { username: 'reader', password: 'reader' })
    await using refused = await start(url.href, { log })
    const list = () => idsAt(refused, VP_QUERIES, CLIENT)
    const expected = await idsAt(unaware, VP_QUERIES, CLIENT)
    for (const failures of [1, 2, 3]) {
      // Simultaneous failures count as one failure.
      expect(await Promise.all([list(), list(), list()])).toEqual([expected, expected, expected])
      expect(warnings()).toHaveLength(failures)
      // The replica is not used for 1 second, then for 2 and for 4 seconds.
      pass(2 ** (failures - 1) * 1_000 - 500)
      expect(await health(refused)).toEqual({ status: 'degraded' })
      pass(500)
      await expect.poll(() => health(refused)).toEqual({ status: 'up' })
    }
    pass(120_000)
    await list()
    pass(1_000)
    await expect.poll(() => health(refused)).toEqual({ status: 'up' })
  })

  it.runIf(process.env.PROOF)('because it is more than ten seconds behind', async () => {
    await idsAt(one, OFFERINGS, STRANGER)
    await delay()
    const { offering_id: id } = await postOffering(unaware, { credential_type: credentialType })
    stopped = undefined
    const began = Date.now()
    let seconds = 0
    while (!(await idsAt(one, OFFERINGS, STRANGER)).includes(id)) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      seconds = (Date.now() - began) / 1_000
    }
    process.stdout.write(`A replica that stands still was read for ${seconds} s.\n`)
    expect(seconds).toBeGreaterThan(8)
    expect(seconds).toBeLessThan(11)
    expect(warnings()).toEqual([expect.objectContaining({ standing: 'behind' })])
    await onReplica('SELECT pg_wal_replay_resume()')
    await expect.poll(() => health(one)).toEqual({ status: 'up' })
  })
})

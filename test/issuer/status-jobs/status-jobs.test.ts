import { randomUUID } from 'node:crypto'
import { getListFromStatusListJWT } from '@sd-jwt/jwt-status-list'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStatusWorkStore } from '../../../server/issuer/status-jobs/work-store.js'
import { claimsInClear } from '../../../server/keys/claims/vault.js'
import { columnsWith } from '../../keys/stolen.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK } from '../../support/wallet.js'
import { postOffering, postSchema } from '../purchase.js'
import { begin, copyCredential, ended, JOBS, post, read, type Signed, sign as signFor } from './jobs.js'
import { publishedStatus } from './published.js'

const KEK = Buffer.alloc(32, 9).toString('base64url')
const NOBODY = '00000000-0000-4000-8000-000000000000'

let service: TestService
let authorization: string

beforeAll(async () => {
  service = await startService({ env: { ...LOOPBACK, KEY_ENCRYPTION_KEY: KEK }, maintenance: false })
  authorization = await service.bearer('alice')
})
afterAll(() => service.close())

const newType = async (members = {}): Promise<string> => (await postSchema(service, authorization, members)).name
const sign = (type: string, format?: string) => signFor(service, authorization, type, format)
const act = (id: string, name: string) => service.request('POST', `${JOBS}/${id}/${name}`, { client: true })

const statusOf = async (id: string) =>
  (await service.request('GET', `/api/v1/credentials/${id}/status`, { client: true })).json

const eventsOf = async (id: string) =>
  (await service.request('GET', `/api/v1/credentials/${id}/history`, { client: true })).json.events

const verified = async ({ credential }: Signed) =>
  (await service.request('POST', '/credentials/verify', { authorization, body: { credential } })).json

const published = ({ credential }: Signed) => publishedStatus(credential)

/** A job that waits: it is paused before it has counted. */
async function waiting(body: unknown): Promise<string> {
  const { id } = await begin(service, body)
  expect((await act(id, 'pause')).json.state).toBe('paused')
  return id
}

describe('a status job', () => {
  it('revokes the credentials of a type, in the published list too, when it is done', async () => {
    const [type, other] = [await newType(), await newType()]
    const first = await sign(type)
    const mine = [first, await sign(type, 'jwt_vc_json'), await sign(type)]
    const kept = await sign(other)
    expect(await published(first)).toBe(0)
    const job = await begin(service, {
      action: 'revoke',
      reason: 'cessation',
      note: 'Fraud.',
      filter: { schema: type },
    })
    expect(job).toMatchObject({ action: 'revoke', reason: 'cessation', filter: { schema: type }, matched: 3 })
    expect(JSON.stringify(job)).not.toContain('Fraud')
    const done = await ended(service, job.id)
    expect(done).toMatchObject({ state: 'done', matched: 3, done: 3, unchanged: 0, failed: 0, failures: {} })
    expect(await published(first)).toBe(1)
    expect(await published(kept)).toBe(0)
    for (const each of mine) {
      expect(await verified(each)).toEqual({ isValid: false, error: 'Credential has been revoked.' })
      expect(await statusOf(each.id)).toEqual({ status: 'revoked', reason: 'cessation', note: 'Fraud.' })
      const [event] = await eventsOf(each.id)
      expect(event).toMatchObject({ action: 'credential.revoked', detail: { reason: 'cessation', job: job.id } })
    }
    expect(await verified(kept)).toMatchObject({ isValid: true })
  })

  it('keeps the note as ciphertext, and forgets its own copy when it has ended', async () => {
    const type = await newType()
    const { id } = await sign(type)
    const job = await begin(service, { action: 'revoke', note: 'Lost-in-Lisbon', filter: { ids: [id] } })
    await ended(service, job.id)
    const rows = await query(
      service.databaseUrl,
      'SELECT status_note::text AS note, NULL AS job FROM credentials WHERE id = $1',
      [id],
    )
    expect(String(rows[0]?.note)).toMatch(/^"[\w.-]+"$/)
    expect(
      await query(service.databaseUrl, 'SELECT confidential FROM credential_status_jobs WHERE id = $1', [job.id]),
    ).toEqual([{ confidential: null }])
    expect(await query(service.databaseUrl, 'SELECT 1 FROM content_keys WHERE row_id = $1', [job.id])).toEqual([])
    expect((await statusOf(id)).note).toBe('Lost-in-Lisbon')
  })

  it('changes an instance of each format, and the credentials of one offering', async () => {
    const type = await newType()
    const { id: offering } = await postOffering(service, { credential_type: type })
    const claim = async () =>
      (await service.request('POST', `/api/v1/offerings/${offering}/claim`, { authorization })).json.id
    const [first, second, alone] = [await claim(), await claim(), (await sign(type)).id]
    const job = await begin(service, { action: 'revoke', filter: { offering } })
    expect(await ended(service, job.id)).toMatchObject({ matched: 2, done: 2 })
    expect([await statusOf(first), await statusOf(second), await statusOf(alone)].map(({ status }) => status)).toEqual([
      'revoked',
      'revoked',
      'active',
    ])
  })

  it('revokes by references, which are stored nowhere in the clear', async () => {
    const type = await newType()
    const claim = async (reference: string): Promise<string> => {
      const { id } = await postOffering(service, { credential_type: type, reference })
      return (await service.request('POST', `/api/v1/offerings/${id}/claim`, { authorization })).json.id
    }
    const ids = [await claim('Case-A-17'), await claim('Case-A-18'), await claim('Case-A-1')]
    const id = await waiting({ action: 'revoke', filter: { references: ['Case-A-17', 'Case-A-1', 'Case-A'] } })
    expect((await read(service, id)).filter).toEqual({ referenceCount: 3 })
    expect(await columnsWith(service.databaseUrl, ['Case-A'])).toEqual([])
    await act(id, 'resume')
    expect(await ended(service, id)).toMatchObject({ matched: 2, done: 2 })
    expect((await Promise.all(ids.map(statusOf))).map(({ status }) => status)).toEqual(['revoked', 'active', 'revoked'])
  })

  it('combines the members of its filter: type, ids and times', async () => {
    const [type, other] = [await newType(), await newType()]
    const [first, second] = [await sign(type), await sign(type)]
    const foreign = await sign(other)
    const at = (await service.request('GET', `/api/v1/credentials/${second.id}/history`, { client: true })).json
      .credential.createdAt
    const count = async (filter: object) =>
      (await post(service, { action: 'revoke', filter, dryRun: true })).json.matched
    const ids = [first.id, second.id, foreign.id, NOBODY]
    expect(await count({ ids })).toBe(3)
    expect(await count({ ids, schema: type })).toBe(2)
    expect(await count({ schema: type, issuedFrom: at })).toBe(1)
    expect(await count({ schema: type, issuedTo: at })).toBe(1)
    expect(await count({ schema: type, issuedFrom: at, issuedTo: at })).toBe(0)
    expect(await count({ schema: 'Unknown_type' })).toBe(0)
  })

  it('suspends and reinstates what can be suspended, and counts the others as failed', async () => {
    const [type, plain] = [await newType({ suspendable: true }), await newType()]
    const [good, revoked, suspended] = [await sign(type), await sign(type), await sign(type)]
    const never = await sign(plain)
    const change = (id: string, name: string) =>
      service.request('POST', `/api/v1/credentials/${id}/${name}`, { client: true })
    await change(revoked.id, 'revoke')
    await change(suspended.id, 'suspend')
    const ids = [good, revoked, suspended, never].map(({ id }) => id)
    const counts = {
      matched: 4,
      unchanged: 1,
      failed: 2,
      failures: { revoked: 1, notSuspendable: 1 },
    }
    const dry = await post(service, { action: 'suspend', filter: { ids }, dryRun: true })
    expect([dry.status, dry.json]).toEqual([200, { dryRun: true, change: 1, ...counts }])
    const job = await begin(service, { action: 'suspend', filter: { ids } })
    expect(await ended(service, job.id)).toMatchObject({ state: 'done', done: 2, ...counts })
    expect(await published(good)).toBe(2)
    expect(await published(revoked)).toBe(1)
    const back = await begin(service, { action: 'reinstate', filter: { schema: type } })
    expect(await ended(service, back.id)).toMatchObject({ done: 2, failed: 1, failures: { revoked: 1 } })
    expect([await published(good), await published(suspended), await published(revoked)]).toEqual([0, 0, 1])
    expect(await verified(never)).toMatchObject({ isValid: true })
  })

  it('with dryRun changes nothing and stores nothing', async () => {
    const type = await newType()
    const only = await sign(type)
    const before = (await service.request('GET', JOBS, { client: true })).json
    const answer = await post(service, { action: 'revoke', filter: { schema: type }, dryRun: true })
    expect([answer.status, answer.json]).toEqual([
      200,
      { dryRun: true, matched: 1, change: 1, unchanged: 0, failed: 0, failures: {} },
    ])
    expect((await service.request('GET', JOBS, { client: true })).json).toEqual(before)
    expect((await statusOf(only.id)).status).toBe('active')
  })

  it('a revoked credential keeps its reason and has no second event', async () => {
    const type = await newType()
    const { id } = await sign(type)
    await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true, body: { reason: 'superseded' } })
    const before = await eventsOf(id)
    const job = await begin(service, { action: 'revoke', reason: 'other', note: 'No.', filter: { ids: [id, id] } })
    expect(await ended(service, job.id)).toMatchObject({ matched: 1, done: 1, unchanged: 1, filter: { idCount: 1 } })
    expect(await statusOf(id)).toEqual({ status: 'revoked', reason: 'superseded' })
    expect(await eventsOf(id)).toEqual(before)
  })

  it('leaves credentials that are issued after it was created', async () => {
    const type = await newType()
    await sign(type)
    const id = await waiting({ action: 'revoke', filter: { schema: type } })
    const later = await sign(type)
    await act(id, 'resume')
    expect(await ended(service, id)).toMatchObject({ matched: 1, done: 1 })
    expect((await statusOf(later.id)).status).toBe('active')
  })

  it('counts revocations in the statistics as single revocations do', async () => {
    const counted = async () => {
      for (const task of service.features.statistics.tasks) await runTask(task, new Date())
      const { json } = await service.request('GET', '/api/v1/statistics', { client: true })
      return json.steps.at(-1).revoked as number
    }
    const type = await newType()
    await Promise.all([sign(type), sign(type)])
    const before = await counted()
    await ended(service, (await begin(service, { action: 'revoke', filter: { schema: type } })).id)
    expect(await counted()).toBe(before + 2)
  })
})

describe('pause, resume and cancel', () => {
  it('a paused job changes nothing until it is resumed', async () => {
    const type = await newType()
    const only = await sign(type)
    const id = await waiting({ action: 'revoke', filter: { schema: type } })
    const other = await begin(service, { action: 'revoke', filter: { ids: [NOBODY] } })
    await ended(service, other.id)
    expect((await statusOf(only.id)).status).toBe('active')
    expect((await act(id, 'pause')).json).toMatchObject({ id, state: 'paused' })
    expect((await act(id, 'resume')).status).toBe(200)
    expect(await ended(service, id)).toMatchObject({ state: 'done', done: 1 })
    expect((await statusOf(only.id)).status).toBe('revoked')
  })

  it('a cancelled job ends, and leaves the rest as it is', async () => {
    const type = await newType()
    const only = await sign(type)
    const id = await waiting({ action: 'revoke', note: 'Secret.', filter: { schema: type } })
    expect((await act(id, 'cancel')).json).toMatchObject({ id, state: 'cancelled', done: 0 })
    expect((await act(id, 'cancel')).json).toMatchObject({ id, state: 'cancelled' })
    for (const name of ['pause', 'resume']) {
      const answer = await act(id, name)
      expect([answer.status, answer.json.message]).toEqual([409, 'Status job is cancelled already.'])
    }
    expect((await statusOf(only.id)).status).toBe('active')
    const rows = await query(service.databaseUrl, 'SELECT confidential FROM credential_status_jobs WHERE id = $1', [id])
    expect(rows).toEqual([{ confidential: null }])
    await ended(service, (await begin(service, { action: 'revoke', filter: { schema: type } })).id)
    expect((await statusOf(only.id)).status).toBe('revoked')
  })

  it('a job that is done is neither paused nor cancelled', async () => {
    const { id } = await begin(service, { action: 'revoke', filter: { ids: [NOBODY] } })
    expect(await ended(service, id)).toMatchObject({ state: 'done', matched: 0, done: 0, failed: 0 })
    for (const name of ['pause', 'resume', 'cancel']) {
      const answer = await act(id, name)
      expect([answer.status, answer.json.message]).toEqual([409, 'Status job is done already.'])
    }
  })

  it('each change of a job is in the audit log, with its actor', async () => {
    const admin = await service.bearer('root', { roles: ['admin'] })
    const answer = await service.request('POST', JOBS, {
      authorization: admin,
      body: { action: 'revoke', filter: { ids: [NOBODY] } },
    })
    expect([answer.status, answer.json.createdBy]).toEqual([202, 'root'])
    const { id } = answer.json
    await ended(service, id)
    const { json } = await service.request('GET', `/api/v1/audit-events?subjectId=${id}`, { authorization: admin })
    expect(json.items.map(({ action, actor }: { action: string; actor?: string }) => [action, actor])).toEqual([
      ['credential-status-job.done', undefined],
      ['credential-status-job.created', 'root'],
    ])
  })
})

describe('a list of jobs', () => {
  it('has the newest first, page by page', async () => {
    const first = await begin(service, { action: 'revoke', filter: { ids: [NOBODY] } })
    await ended(service, first.id)
    const second = await begin(service, { action: 'revoke', filter: { ids: [NOBODY] } })
    await ended(service, second.id)
    const page = (await service.request('GET', `${JOBS}?limit=1`, { client: true })).json
    expect(page.items.map(({ id }: { id: string }) => id)).toEqual([second.id])
    const next = (await service.request('GET', `${JOBS}?limit=1&cursor=${page.nextCursor}`, { client: true })).json
    expect(next.items).toEqual([await read(service, first.id)])
  })
})

describe('refused', () => {
  const refusal = async (body: unknown) => {
    const { status, json } = await post(service, body)
    return [status, [json.message].flat().join()]
  }

  it('a filter with an unknown member', async () => {
    expect(await refusal({ action: 'revoke', filter: { scheme: 'X' } })).toEqual([
      400,
      'property scheme should not exist',
    ])
  })

  it('an empty filter, with the number of all credentials, unless all is true', async () => {
    const [{ count } = { count: 0 }] = await query<{ count: number }>(
      service.databaseUrl,
      'SELECT count(*)::int AS count FROM credentials',
    )
    expect(await refusal({ action: 'revoke', filter: {} })).toEqual([
      400,
      `filter is empty and matches all ${count} credentials: set all to true to change them`,
    ])
    const all = await post(service, { action: 'revoke', filter: { all: true }, dryRun: true })
    expect(all.json.matched).toBe(count)
    expect((await refusal({ action: 'revoke', filter: { all: true, schema: 'X' } }))[0]).toBe(400)
    expect((await refusal({ action: 'revoke', filter: { all: false } }))[0]).toBe(400)
    expect((await refusal({ action: 'revoke', filter: { ids: [] } }))[0]).toBe(400)
    expect((await refusal({ action: 'revoke' }))[0]).toBe(400)
  })

  it('more credentials than a job may change, with their number', async () => {
    const { createStatusJobs } = await import('../../../server/issuer/status-jobs/status-jobs.js')
    const { statusJobs, statusWork } = service.platform.stores
    // A million rows would take minutes: only the number of the database is another one here.
    const jobs = createStatusJobs({
      store: statusJobs,
      work: {
        ...statusWork,
        count: async () => 1_000_001,
        create: async () => ({ outcome: 'too-large', matched: 10_000_001 }),
      },
      names: service.platform.names,
      clock: () => new Date(),
      newId: () => NOBODY,
    })
    const filter = { all: true as const }
    await expect(jobs.create(null, { action: 'revoke', filter, dryRun: true })).rejects.toThrow(
      'filter matches 1,000,001 credentials, and a job may change at most 1,000,000',
    )
    await expect(jobs.create(null, { action: 'revoke', filter })).rejects.toThrow(
      'filter matches more than 10,000,000 credentials, and a job may change at most 1,000,000',
    )
  })

  it('more credentials than a job may change, by the statement that stores the job', async () => {
    const type = await newType()
    await copyCredential(service.databaseUrl, (await sign(type)).id, 2)
    const job = {
      id: randomUUID(),
      createdBy: null,
      action: 'revoke' as const,
      reason: null,
      scope: { schema: type },
      confidential: {},
      createdAt: new Date(),
    }
    const storeFor = (most: number) => createStatusWorkStore(service.platform.database, claimsInClear, most)
    expect(await storeFor(2).create(job)).toEqual({ outcome: 'too-large', matched: 3 })
    expect(await query(service.databaseUrl, 'SELECT 1 FROM credential_status_jobs WHERE id = $1', [job.id])).toEqual([])
    expect(await storeFor(3).create(job)).toEqual({ outcome: 'stored' })
    await query(service.databaseUrl, 'DELETE FROM credential_status_jobs WHERE id = $1', [job.id])
  })

  it('a job for a credential of a job that has not ended, which is named', async () => {
    const type = await newType()
    const [first, second] = [await sign(type), await sign(type)]
    const id = await waiting({ action: 'suspend', filter: { ids: [first.id] } })
    const message = `Some of these credentials are in the status job ${id}, which has not ended.`
    expect(await refusal({ action: 'revoke', filter: { schema: type } })).toEqual([409, message])
    expect(await refusal({ action: 'revoke', filter: { ids: [second.id, first.id] } })).toEqual([409, message])
    // Other credentials of the type can be changed meanwhile.
    await ended(service, (await begin(service, { action: 'revoke', filter: { ids: [second.id] } })).id)
    expect((await statusOf(first.id)).status).toBe('active')
    await act(id, 'cancel')
    await ended(service, (await begin(service, { action: 'revoke', filter: { schema: type } })).id)
  })

  it('of jobs that arrive at once for the same credentials, all but one', async () => {
    const type = await newType()
    await copyCredential(service.databaseUrl, (await sign(type)).id, 2_000)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => post(service, { action: 'revoke', filter: { schema: type } })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array.from({ length: 7 }, () => 409)])
    const [job] = answers.filter(({ status }) => status === 202)
    for (const { status, json } of answers) if (status === 409) expect(json.message).toContain(job?.json.id)
    expect(await ended(service, job?.json.id)).toMatchObject({ matched: 2_001, done: 2_001, unchanged: 0 })
  })

  it('a job while a hundred jobs have not ended', async () => {
    await query(
      service.databaseUrl,
      `INSERT INTO credential_status_jobs (id, action, scope, state, matched, created_at)
       SELECT 'open-' || n, 'revoke', '{"schema":"Nothing"}', 'paused', 0, now() FROM generate_series(1, 100) n`,
    )
    try {
      expect(await refusal({ action: 'revoke', filter: { ids: [NOBODY] } })).toEqual([
        409,
        'Too many status jobs have not ended. Wait for one, or cancel one.',
      ])
      await act('open-1', 'cancel')
      await ended(service, (await begin(service, { action: 'revoke', filter: { ids: [NOBODY] } })).id)
    } finally {
      await query(service.databaseUrl, "DELETE FROM credential_status_jobs WHERE id LIKE 'open-%'")
    }
  })

  it('an unknown job', async () => {
    for (const answer of [
      await service.request('GET', `${JOBS}/${NOBODY}`, { client: true }),
      await act(NOBODY, 'pause'),
      await act(NOBODY, 'resume'),
      await act(NOBODY, 'cancel'),
    ])
      expect([answer.status, answer.json.message]).toEqual([404, 'Status job not found.'])
  })

  it('a caller who may not revoke the credentials of all callers', async () => {
    const type = await newType()
    const { id } = await sign(type)
    const body = { action: 'revoke', filter: { ids: [id] } }
    const asUser = (method: string, path: string, sent?: unknown) =>
      service.request(method, path, { authorization, ...(sent === undefined ? {} : { body: sent }) })
    const job = await waiting(body)
    const answers = [
      await asUser('POST', JOBS, body),
      await asUser('POST', JOBS, { ...body, dryRun: true }),
      await asUser('GET', JOBS),
      await asUser('GET', `${JOBS}/${job}`),
      await asUser('POST', `${JOBS}/${job}/resume`),
      await asUser('POST', `${JOBS}/${job}/cancel`),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 403))
    expect((await service.request('POST', JOBS, { body })).status).toBe(401)
    await act(job, 'cancel')
    expect((await statusOf(id)).status).toBe('active')
  })
})

describe('status lists while jobs run', () => {
  it('get a new version at most once a second', async () => {
    const { statusWork } = service.platform.stores
    const type = await newType()
    const [list = ''] = await copyCredential(service.databaseUrl, (await sign(type)).id, 100)
    const version = async () =>
      (
        await query<{ version: number }>(service.databaseUrl, 'SELECT version FROM status_lists WHERE id = $1', [list])
      )[0]?.version
    const announcedAt = (time: string) =>
      query(service.databaseUrl, `UPDATE status_list_announcement SET announced_at = ${time}`)
    const { id } = await begin(service, { action: 'revoke', filter: { schema: type } })
    for (let steps = 0; steps < 3; steps += 1) await statusWork.work(20, new Date())
    await announcedAt('clock_timestamp()')
    expect(await statusWork.announce()).toBeNull()
    expect(await version()).toBe(0)
    await announcedAt("clock_timestamp() - interval '1 second'")
    expect(await statusWork.announce()).toBeGreaterThan(0)
    expect(await version()).toBe(1)
    await statusWork.work(20, new Date())
    await announcedAt('clock_timestamp()')
    await statusWork.announce()
    expect(await version()).toBe(1)
    expect(await ended(service, id)).toMatchObject({ state: 'done', done: 101 })
    expect(await version()).toBeGreaterThan(1)
  })

  it('have a new version before their job is done', async () => {
    const { statusWork } = service.platform.stores
    const type = await newType()
    const mine = await sign(type)
    const { id } = await begin(service, { action: 'revoke', filter: { schema: type } })
    const announcedAt = (time: string) =>
      query(service.databaseUrl, `UPDATE status_list_announcement SET announced_at = ${time}`)
    const work = async () => {
      for (let steps = 0; steps < 10; steps += 1) await statusWork.work(20, new Date())
    }
    await announcedAt("clock_timestamp() + interval '1 hour'")
    await work()
    expect(await statusWork.announce()).toBeNull()
    expect(await read(service, id)).toMatchObject({ state: 'running', matched: 1, done: 1 })
    await announcedAt("clock_timestamp() - interval '1 second'")
    await statusWork.announce()
    await work()
    expect((await read(service, id)).state).toBe('done')
    expect(await published(mine)).toBe(1)
  })

  it('show every change when the job is done', async () => {
    const type = await newType()
    const lists = await copyCredential(service.databaseUrl, (await sign(type)).id, 4_000, 2)
    // A verifier has loaded the lists before.
    for (const list of lists) await fetch(`${service.url}/token-status-lists/${list}`)
    const { id } = await begin(service, { action: 'revoke', filter: { schema: type } })
    expect(await ended(service, id)).toMatchObject({ matched: 4_001, done: 4_001, unchanged: 0 })
    for (const [at, list] of lists.entries()) {
      const statuses = getListFromStatusListJWT(await (await fetch(`${service.url}/token-status-lists/${list}`)).text())
      const indices = Array.from({ length: 2_000 }, (_, n) => n + 2_000 * at)
      expect(indices.filter((index) => statuses.getStatus(index) !== 1)).toEqual([])
    }
  })

  it('issuing goes on', async () => {
    const [type, other] = [await newType(), await newType()]
    await copyCredential(service.databaseUrl, (await sign(type)).id, 4_000)
    const { id } = await begin(service, { action: 'revoke', filter: { schema: type } })
    const job = ended(service, id)
    const issued: Signed[] = []
    while ((await read(service, id)).endedAt === undefined) issued.push(await sign(other), await sign(type))
    expect(await job).toMatchObject({ matched: 4_001, done: 4_001 })
    expect(issued.length).toBeGreaterThan(2)
    expect(new Set((await Promise.all(issued.map((each) => statusOf(each.id)))).map(({ status }) => status))).toEqual(
      new Set(['active']),
    )
  })

  it('a single revocation meanwhile is counted once, and both end', async () => {
    const type = await newType()
    const mine = await sign(type)
    const list = await copyCredential(service.databaseUrl, mine.id, 3_000)
    const rows = await query<{ id: string }>(
      service.databaseUrl,
      'SELECT credential_id AS id FROM credential_instances WHERE status_list_id = $1 ORDER BY random() LIMIT 40',
      [list[0]],
    )
    const { id } = await begin(service, { action: 'revoke', reason: 'cessation', filter: { schema: type } })
    const working = ended(service, id)
    const single = await Promise.all(
      rows.map((row) =>
        service.request('POST', `/api/v1/credentials/${row.id}/revoke`, { client: true, body: { reason: 'other' } }),
      ),
    )
    expect(new Set(single.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await working).toMatchObject({ matched: 3_001, done: 3_001 })
    const [row] = await query(
      service.databaseUrl,
      `SELECT count(*)::int AS events, count(DISTINCT subject_id)::int AS credentials FROM audit_events e
       JOIN credentials c ON c.id = e.subject_id JOIN schemas s ON s.id = c.schema_id
       WHERE e.action = 'credential.revoked' AND s.name = $1`,
      [type],
    )
    expect(row).toEqual({ events: 3_001, credentials: 3_001 })
  })
})

describe('several processes', () => {
  it('change each credential once', async () => {
    await using second = await startService({
      env: { ...LOOPBACK, KEY_ENCRYPTION_KEY: KEK },
      databaseUrl: service.databaseUrl,
      identityProvider: service.identityProvider,
      maintenance: false,
    })
    const type = await newType()
    await copyCredential(service.databaseUrl, (await sign(type)).id, 3_000)
    const { id } = await begin(service, { action: 'revoke', filter: { schema: type } })
    const both = await Promise.all([ended(service, id), ended(second, id)])
    for (const job of both) expect(job).toMatchObject({ matched: 3_001, done: 3_001, unchanged: 0 })
    const [row] = await query(
      service.databaseUrl,
      `SELECT count(*)::int AS events, count(DISTINCT e.subject_id)::int AS credentials FROM audit_events e
       JOIN credentials c ON c.id = e.subject_id JOIN schemas s ON s.id = c.schema_id
       WHERE e.action = 'credential.revoked' AND s.name = $1`,
      [type],
    )
    expect(row).toEqual({ events: 3_001, credentials: 3_001 })
    expect(
      await query(service.databaseUrl, 'SELECT 1 FROM credential_status_job_items WHERE job_id = $1', [id]),
    ).toEqual([])
  })
})

import { getListFromStatusListJWT } from '@sd-jwt/jwt-status-list'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { localEnvironment, startProcess } from '../../main/process.js'
import { scaled } from '../../proof/parallel.js'
import { createTestDatabase, query, type TestDatabase } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { newTypeName, PURCHASE, SUBJECT } from '../purchase.js'
import { copyCredential, JOBS } from './jobs.js'

const CREDENTIALS = scaled(100_000, 4_000)

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
}, 600_000)
afterAll(() => database?.drop())

const start = () => startProcess({ ...localEnvironment(database.url), RATE_LIMIT_MAX: '0' })

const send = async (url: string, path: string, body?: unknown): Promise<Pick<Answer, 'status' | 'json'>> => {
  const answer = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, json: await answer.json() }
}

const changed = async (): Promise<number> => {
  const [row] = await query<{ changed: number }>(database.url, 'SELECT changed FROM credential_status_jobs')
  return row?.changed ?? 0
}

/** Issues credentials one after the other until it is stopped, and keeps the ids. */
function issuing(url: string, type: string, ids: string[]) {
  let isStopped = false
  const run = async () => {
    while (!isStopped) {
      const { status, json } = await send(url, '/credentials/sign', {
        type,
        credential_subject: SUBJECT,
        format: 'dc+sd-jwt',
      })
      expect(status).toBe(201)
      ids.push(json.id)
    }
  }
  // The killed process refuses the last call.
  const running = run().catch(() => undefined)
  return () => {
    isStopped = true
    return running
  }
}

it(`kill -9 twice during ${CREDENTIALS} revocations loses none and makes none twice, while issuing goes on`, async () => {
  const type = newTypeName()
  const first = start()
  const url = await first.url()
  await send(url, '/schemas', { name: type, version: 1, schema: PURCHASE })
  const body = { type, credential_subject: SUBJECT, format: 'dc+sd-jwt' }
  const { json } = await send(url, '/credentials/sign', body)
  const lists = await copyCredential(database.url, json.id, CREDENTIALS - 1, 3)
  const filter = { schema: type }
  const answer = await send(url, JOBS, { action: 'revoke', reason: 'cessation', note: 'The year is over.', filter })
  expect([answer.status, answer.json.matched]).toEqual([202, CREDENTIALS])
  const path = `${JOBS}/${answer.json.id}`

  const issued: string[] = []
  let killed = first
  let at = url
  for (const part of [0.1, 0.4]) {
    const stop = issuing(at, type, issued)
    while ((await changed()) < CREDENTIALS * part);
    killed.child.kill('SIGKILL')
    await killed.exit()
    await stop()
    const before = await changed()
    expect(before).toBeLessThan(CREDENTIALS)
    // Exactly the counted credentials are revoked: the killed step was undone as a whole.
    const [row] = await query(
      database.url,
      `SELECT (SELECT count(*)::int FROM credentials WHERE revoked_at IS NOT NULL) AS credentials,
         (SELECT count(*)::int FROM credential_instances WHERE revoked_at IS NOT NULL) AS instances,
         (SELECT count(*)::int FROM audit_events WHERE action = 'credential.revoked') AS events`,
    )
    expect(row).toEqual({ credentials: before, instances: before, events: before })
    killed = start()
    at = await killed.url()
  }

  await using _last = killed
  const stop = issuing(at, type, issued)
  await expect.poll(async () => (await send(at, path)).json.state, { interval: 200, timeout: 600_000 }).toBe('done')
  await stop()
  expect((await send(at, path)).json).toMatchObject({
    matched: CREDENTIALS,
    done: CREDENTIALS,
    unchanged: 0,
    failed: 0,
  })
  const [events] = await query(
    database.url,
    `SELECT count(*)::int AS events, count(DISTINCT subject_id)::int AS credentials FROM audit_events
     WHERE action = 'credential.revoked'`,
  )
  expect(events).toEqual({ events: CREDENTIALS, credentials: CREDENTIALS })
  // The published lists have every revocation, those before the kills too.
  const rows = await query<{ list: string; index: number }>(
    database.url,
    'SELECT status_list_id AS list, status_index AS index FROM credential_instances WHERE status_list_id = ANY($1)',
    [lists],
  )
  const statuses = new Map(
    await Promise.all(
      lists.map(async (list) => {
        const text = await (await fetch(`${at}/token-status-lists/${list}`)).text()
        return [list, getListFromStatusListJWT(text)] as const
      }),
    ),
  )
  expect(rows).toHaveLength(CREDENTIALS - 1)
  expect(rows.filter(({ list, index }) => statuses.get(list)?.getStatus(index) !== 1)).toEqual([])
  // Credentials that were issued meanwhile stay valid.
  expect(issued.length).toBeGreaterThan(3)
  const [valid] = await query(
    database.url,
    'SELECT count(*)::int AS count FROM credentials WHERE id = ANY($1) AND revoked_at IS NULL',
    [issued],
  )
  expect(valid).toEqual({ count: issued.length })
  expect((await send(at, `/api/v1/credentials/${json.id}/status`)).json).toEqual({
    status: 'revoked',
    reason: 'cessation',
    note: 'The year is over.',
  })
}, 3_600_000)

import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { Pace } from '../../server/maintenance/job.js'
import { type Issuer, JWT_VC, movingClock, startIssuer } from '../issuer/openid4vci/actors.js'
import { ofMetric, startOperations } from '../metrics/scrape.js'
import { runTask } from '../support/maintenance.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { ask, dcql } from '../verifier/actors.js'

const DAY = 86_400
const clock = movingClock()
/**
 * A former version of the job could not remove this number of rows in one turn. It had a turn only every minute, or
 * every ten minutes.
 */
const MANY = 11_000

let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now, maintenance: false })
})
afterAll(() => issuer.service.close())

/**
 * The longest rest, in milliseconds. The normal rests would make this test slow on a busy machine. A separate test
 * checks the share of time that the job rests.
 */
const REST_MS = 5
const hurried: Pace = {
  now: () => performance.now(),
  rest: (ms, signal) => sleep(Math.min(ms, REST_MS), undefined, { signal }),
}

/** Starts a process of the same installation that does maintenance. */
const startWorker = (): Promise<TestService> => {
  const { databaseUrl, identityProvider } = issuer.service
  return startService({ databaseUrl, identityProvider, clock: clock.now, maintenancePace: hurried })
}

const run = (statement: string, values: unknown[] = []) => query(issuer.service.databaseUrl, statement, values)

/** Inserts `count` copies of a row, in which some members are different. `n` is the number of a copy. */
const copies = (table: string, key: string, members: string, values: [id: string, count: number, mark: string]) =>
  run(
    `INSERT INTO ${table} SELECT (jsonb_populate_record(r, jsonb_build_object(${members}))).*
     FROM ${table} r, generate_series(1, $2::int) AS n WHERE r.${key} = $1 AND $3::text IS NOT NULL`,
    values,
  )

interface Originals {
  readonly verification: string
  readonly offer: string
  readonly token: string
}

/** Makes rows in each table as expiring flows would leave them. Their ids begin with the mark. */
async function leave(originals: Originals, count: number, mark: string): Promise<void> {
  const { verification, offer, token } = originals
  const now = clock.now().toISOString()
  const later = new Date(clock.now().getTime() + 300_000).toISOString()
  const id = '$3 || n'
  await run(`INSERT INTO used_nonces SELECT $1 || n, $2 FROM generate_series(1, $3::int) AS n`, [mark, later, count])
  await copies('issuance_tokens', 'token_hash', `'token_hash', ${id}, 'jti', ${id}, 'expires_at', '${later}'`, [
    token,
    count,
    mark,
  ])
  const ended = `'ended_at', '${now}', 'state', 'Error', 'error_message', 'x', 'secrets', NULL`
  await copies(
    'verification_sessions',
    'id',
    `'id', ${id}, 'request_id', ${id}, 'qr_code_id', NULL, ${ended}, 'expires_at', '${later}'`,
    [verification, count, `v${mark}`],
  )
  await copies('offerings', 'id', `'id', ${id}`, [offer, count, `o${mark}`])
  // Every second session is in state Accepted. The other sessions end when their offer expires.
  const outcome = `'ended_at', CASE WHEN n % 2 = 0 THEN '${now}' END, 'state', CASE WHEN n % 2 = 0 THEN 'Accepted' ELSE 'CredentialIssued' END`
  await copies('credential_offer_sessions', 'id', `'id', ${id}, ${outcome}, 'expires_at', '${later}'`, [
    offer,
    count,
    `o${mark}`,
  ])
  await run(
    `INSERT INTO session_events (session_id, seq, changes, at)
     SELECT kind || $1 || n, seq, '{}', $3
     FROM generate_series(1, $2::int) AS n, generate_series(2, 4) AS seq, unnest(ARRAY['v', 'o']) AS kind`,
    [mark, count, now],
  )
}

const counts = async (mark: string) => {
  const [row] = await run(
    `SELECT (SELECT count(*)::int FROM used_nonces WHERE hash LIKE $1 || '%') AS nonces,
       (SELECT count(*)::int FROM issuance_tokens WHERE token_hash LIKE $1 || '%') AS tokens,
       (SELECT count(*)::int FROM verification_sessions WHERE id LIKE 'v' || $1 || '%') AS verifications,
       (SELECT count(*)::int FROM credential_offer_sessions WHERE id LIKE 'o' || $1 || '%') AS offers`,
    [mark],
  )
  return row
}
const all = (count: number) => ({
  nonces: count,
  tokens: count,
  verifications: count,
  offers: count,
})
const eventsOf = async (mark: string) => {
  const [row] = await run('SELECT count(*)::int AS events FROM session_events WHERE session_id LIKE $1', [`_${mark}%`])
  return row?.events
}

it('tables shrink under load, with any number of rows, and two processes do no work twice', async () => {
  const { credentialOfferSessionId: offer } = await issuer.makeOffer()
  await issuer.take(await issuer.token(offer), JWT_VC)
  const asked = await ask(issuer.service, { dcqlQuery: dcql(issuer.service, 'dc+sd-jwt') })
  // The rows from which the copies are made do not expire.
  for (const table of ['issuance_tokens', 'credential_offer_sessions', 'verification_sessions'])
    await run(`UPDATE ${table} SET expires_at = now() + interval '1 year'`)
  await run('DELETE FROM session_events')
  const [token] = await run('SELECT token_hash FROM issuance_tokens')
  const originals = { verification: asked.verificationSessionId, offer, token: token?.token_hash }
  await leave(originals, MANY, 'old-')
  expect([await counts('old-'), await eventsOf('old-')]).toEqual([all(MANY), 6 * MANY])

  clock.ahead = 31 * DAY
  const workers = [await startWorker(), await startWorker()]
  let batches = 0
  await vi.waitFor(
    async () => {
      batches += 1
      await leave(originals, 50, `new-${batches}-`)
      expect(await counts('old-')).toEqual(all(0))
    },
    { timeout: 300_000, interval: 100 },
  )
  expect(await counts('new-')).toEqual(all(50 * batches))
  // Events are removed when all sessions of their day have been removed.
  await vi.waitFor(
    async () => {
      // PostgreSQL's own vacuum may lock the table for a moment.
      for (const task of issuer.service.features.sessionEvents.tasks) await runTask(task, clock.now())
      expect([await eventsOf('old-'), await eventsOf('new-')]).toEqual([0, 6 * 50 * batches])
    },
    { timeout: 60_000, interval: 500 },
  )
  expect(batches).toBeGreaterThan(1)

  const done: Record<string, number> = {}
  for (const service of workers) {
    const operations = await startOperations(service)
    const samples = ofMetric(await operations.samples(), 'credence_maintenance_done_total')
    for (const [name, value] of Object.entries(samples)) {
      const task = /task="(.*)"/.exec(name)?.[1] ?? ''
      done[task] = (done[task] ?? 0) + value
    }
    await operations.close()
    await service.close()
  }
  // Rows of partitioned tables are not deleted: they are removed together with their partitions.
  for (const name of ['used nonces', 'access tokens']) expect(done[`remove ${name}`]).toBe(0)
  for (const table of ['used_nonces', 'issuance_tokens']) expect(done[`partitions of ${table}`]).toBeGreaterThan(0)
  expect(done).toMatchObject({
    'remove ended verification sessions': MANY,
    'remove ended credential offer sessions': MANY / 2,
    'remove unacknowledged credential offer sessions': MANY / 2,
  })
}, 400_000)

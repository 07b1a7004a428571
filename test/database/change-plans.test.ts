import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listFilling } from '../../bench/lists/fill.js'
import { planReader } from '../../bench/lists/plans.js'
import { connectDatabase, type Database } from '../../server/database/connect.js'
import { createAttestationWatchStore } from '../../server/issuer/attestation-watch/store.js'
import { createCredentialListStore } from '../../server/issuer/credentials/list/store.js'
import type { CredentialStatus } from '../../server/issuer/credentials/status.js'
import { createCredentialStore } from '../../server/issuer/credentials/store.js'
import type { Listed, Scope } from '../../server/issuer/status-jobs/status-job.js'
import { createStatusWorkStore } from '../../server/issuer/status-jobs/work-store.js'
import { claimsInClear } from '../../server/keys/claims/vault.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'

/** Number of rows in each table. With so many rows, PostgreSQL prefers an index. */
const ROWS = 20_000
/** The number of rows that each statement looks for. */
const RARE = 19
/** The maximum number of rows that one node of a plan may read: the rows that it looks for, in a few loops. */
const MOST = 100
const NOW = new Date()

const id = (kind: string, n: string) => `md5('${kind}' || ${n})::uuid::text`
const series = `FROM generate_series(1, ${ROWS}) AS n`

/** Rows with the columns of statuses, subjects, batches and attestations. Nineteen rows of each kind are rare. */
const FILLING = [
  `UPDATE credentials c SET
     suspended_at = CASE WHEN n BETWEEN 20 AND 38 THEN now() END,
     expires_at = now() + interval '1 day' * CASE WHEN n BETWEEN 40 AND 78 THEN -1 ELSE 100 END,
     expired_at = CASE WHEN n BETWEEN 40 AND 58 THEN now() END,
     subject_hash = CASE WHEN n BETWEEN 80 AND 98 THEN 'rare' ELSE 'subject ' || n END
   ${series} WHERE c.id = ${id('credential', 'n')}`,
  `UPDATE credentials SET expires_at = now() + interval '1 day' WHERE expires_at < now() AND expired_at IS NULL
     AND id = ${id('credential', '59')}`,
  `UPDATE offerings o SET batch_row = n, batch_id = CASE WHEN n < 20 THEN 'rare' ELSE 'batch ' || n / 100 END
   ${series} WHERE o.id = ${id('offering', 'n')}`,
  `UPDATE redemptions r SET offering_id = ${id('offering', 'n')} ${series} WHERE r.credential_id = ${id('credential', 'n')}`,
  `INSERT INTO attestation_lists (id, uri, signer_jwk, due_at, read_at)
   SELECT 'list ' || n, 'https://provider.example/' || n, '{"kty":"EC"}',
     now() + interval '1 hour' * CASE WHEN n < 20 THEN -1 ELSE 1 END, now() ${series}`,
  `INSERT INTO watched_attestations (credential_id, list_id, idx, kind, invalid_at, settled_at)
   SELECT ${id('credential', 'n')}, CASE WHEN n < 20 THEN 'rare' ELSE 'list ' || n / 100 END, n, 'wallet',
     CASE WHEN n BETWEEN 101 AND 119 OR n > 10000 THEN now() END, CASE WHEN n > 10000 THEN now() END ${series}`,
  'ANALYZE',
]

let test: TestDatabase
let database: Database
let client: pg.Client
let planOf: ReturnType<typeof planReader>

beforeAll(async () => {
  test = await createTestDatabase()
  client = new pg.Client({ connectionString: test.url })
  await client.connect()
  for (const statement of [...listFilling(ROWS), ...FILLING]) await client.query(statement)
  database = connectDatabase(test.url)
  planOf = planReader(client)
})
afterAll(async () => {
  await database.close()
  await client.end()
  await test.drop()
})

/** Reads by an index only, and few rows. */
async function assertByIndex(read: () => Promise<readonly unknown[]>, index?: string): Promise<void> {
  const { found, scans } = await planOf(read)
  expect(found).toBe(RARE)
  expect(scans.length).toBeGreaterThan(0)
  expect(scans.filter((scan) => scan.name.startsWith('Seq Scan') && scan.rows > 1)).toEqual([])
  expect(scans.filter((scan) => scan.rows > MOST)).toEqual([])
  if (index !== undefined) expect(scans.map((scan) => scan.name).join()).toContain(index)
}

/** The database with statements that `planReader` can read. */
const readable = (): Database => ({ ...database, sql: database.bounded })

/** Makes as many entries as a count has found. */
const entries = async (count: Promise<number>): Promise<readonly unknown[]> => Array.from({ length: await count })

describe('rare rows among many are read by an index', () => {
  it.each<[CredentialStatus, string]>([
    ['suspended', 'credentials_suspended'],
    ['expired', 'credentials_expired_idx'],
  ])('the %s credentials of a list', async (status, index) => {
    const { page } = createCredentialListStore(database, claimsInClear)
    await assertByIndex(() => page({ status }, { take: 51, after: undefined, from: undefined, to: undefined }), index)
  })

  it.each<[string, Scope, Listed?]>([
    ['a batch', { batch: 'rare' }],
    ['a batch and a type', { batch: 'rare', schema: 'Type_0' }],
    ['references', { referenceCount: 1 }, { referenceHashes: ['rare'] }],
    ['ids', { idCount: 20 }, { ids: Array.from({ length: 1 }, () => 'unknown') }],
  ])('the credentials of a status job for %s', async (_, scope, listed = {}) => {
    const { count } = createStatusWorkStore(database, claimsInClear)
    const ids = await client.query<{ id: string }>(
      `SELECT ${id('credential', 'n')} AS id FROM generate_series(1, 19) n`,
    )
    const named = listed.ids === undefined ? listed : { ids: ids.rows.map((row) => row.id) }
    await assertByIndex(() => entries(count({ scope, listed: named, until: NOW })))
  })

  it('the credentials whose expiry is due', async () => {
    const { expire } = createCredentialStore(readable(), claimsInClear)
    await client.query('BEGIN')
    try {
      // The connection only reads, so it refuses the statement. The plan is read afterwards.
      const refused = () =>
        expire(NOW, 500).then(
          () => [],
          () => Array.from({ length: RARE }),
        )
      await assertByIndex(refused, 'credentials_expiring_idx')
    } finally {
      await client.query('ROLLBACK')
    }
  })

  it('the active sets of a subject', async () => {
    const { rows } = await client.query<{ prosrc: string }>(
      "SELECT prosrc FROM pg_proc WHERE proname = 'retire_active_sets'",
    )
    const [, statement = ''] = /former := ARRAY\(\s*(SELECT[^;]+?)\);/.exec(rows[0]?.prosrc ?? '') ?? []
    expect(statement).toContain('of_subject')
    const text = statement.replace('of_subject', '$1').replace('successor', '$2')
    await assertByIndex(
      async () => (await client.query({ text, values: ['rare', 'successor'] })).rows,
      'credentials_subject_idx',
    )
  })

  it('the lists of wallet providers that are due, and their positions', async () => {
    const store = createAttestationWatchStore(readable())
    await assertByIndex(() => store.indices('rare', -1, 10_000, NOW))
    await assertByIndex(() => store.toRevoke(500), 'watched_attestations_invalid_idx')
  })
})

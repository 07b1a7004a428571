import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectDatabase, type Database } from '../../../server/database/connect.js'
import { createErasureStore } from '../../../server/issuer/erasure/store.js'
import { createTestDatabase, query, type TestDatabase } from '../../support/postgres.js'
import { recordStatements } from '../../support/statements.js'

const ROWS = 20_000
const NOW = new Date()

let test: TestDatabase
let database: Database

beforeAll(async () => {
  test = await createTestDatabase()
  database = connectDatabase(test.url)
  const fill = [
    `INSERT INTO key_sets (id) VALUES ('k')`,
    `INSERT INTO issuers (id, method, did, key_set_id) VALUES ('i', 'web', 'did:web:i', 'k')`,
    `INSERT INTO credential_types (name, created_by) VALUES ('T', 'a')`,
    `INSERT INTO schemas (id, name, version, body, created_by) VALUES ('s', 'T', 1, '{}', 'a')`,
    `INSERT INTO offerings (id, schema_id, issuer_id, credential_subject, claims_due_at)
     SELECT 'o' || n, 's', 'i', '{}', CASE WHEN n % 100 = 0 THEN now() + interval '1 day' * (n / 100 - 10) END
     FROM generate_series(1, ${ROWS}) n`,
    `INSERT INTO credentials (id, schema_id, issuer_id, vc, claims_due_at, record_due_at)
     SELECT 'c' || n, 's', 'i', '{}', CASE WHEN n % 100 = 0 THEN now() + interval '1 day' * (n / 100 - 10) END,
       CASE WHEN n % 100 = 0 THEN now() + interval '1 day' * (n / 100 - 5) END
     FROM generate_series(1, ${ROWS}) n`,
    `INSERT INTO keys (id, key_set_id, alg, public_jwk, private_jwk) VALUES ('key', 'k', 'ES256', '{}', '')`,
    `INSERT INTO status_lists (id, key_id, issuer_id, size) VALUES ('l', 'key', 'i', ${ROWS})`,
    `INSERT INTO credential_instances (status_list_id, status_index, credential_id, configuration_id, format)
     SELECT 'l', n, 'c' || n, 'T', 'jwt_vc_json' FROM generate_series(1, ${ROWS}) n`,
    `INSERT INTO redemptions (id, offering_id, credential_id) SELECT 'r' || n, 'o' || n, 'c' || n FROM generate_series(1, ${ROWS}) n`,
    'ANALYZE',
  ]
  for (const statement of fill) await query(test.url, statement)
})
afterAll(async () => {
  await database.close()
  await test.drop()
})

/** The plan of the statement that an action sends. Every value is a time, except the number of rows. */
async function planOf(act: () => Promise<unknown>): Promise<string> {
  const statements = recordStatements()
  await act().finally(statements.stop)
  const [text = ''] = statements.sent()
  const filled = text.replaceAll(/LIMIT \$\d+/g, 'LIMIT 5').replaceAll(/\$\d+/g, `'${NOW.toISOString()}'::timestamptz`)
  const rows = await query<{ 'QUERY PLAN': string }>(test.url, `EXPLAIN ${filled}`)
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

const erasure = () => createErasureStore(database)

it.each([
  ['claims of credentials', 'credentials_claims_due_idx', () => erasure().eraseDueCredentials(NOW, 5)],
  ['claims of offerings', 'offerings_claims_due_idx', () => erasure().eraseDueOfferings(NOW, 5)],
  ['records', 'credentials_record_due_idx', () => erasure().removeDueRecords(NOW, 5)],
  ['the count of what is overdue', 'credentials_claims_due_idx', () => erasure().overdue(NOW)],
] as const)('%s are found by an index', async (_, index, act) => {
  const plan = await planOf(act)
  expect(plan).toContain(index)
  expect(plan.match(/Seq Scan on (?:credentials|offerings|redemptions|credential_instances)\b.*/g)).toBeNull()
})

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listFilling } from '../../bench/lists/fill.js'
import { planReader } from '../../bench/lists/plans.js'
import { connectDatabase, type Database } from '../../server/database/connect.js'
import { createPersonStore } from '../../server/exports/person/store.js'
import { createCredentialListStore } from '../../server/issuer/credentials/list/store.js'
import { claimsInClear } from '../../server/keys/claims/vault.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'

/** Number of rows in each table. With so many rows, PostgreSQL prefers an index. */
const ROWS = 20_000
/** Number of rows in each table that name the person. */
const OWN = 5
/** Maximum number of rows that one node of a plan may read. */
const MOST = 200

const SUB = 'person-of-the-export'
const DID = 'did:example:person-of-the-export'
const PART = { take: 100, after: undefined }

let test: TestDatabase
let database: Database
let client: pg.Client

beforeAll(async () => {
  test = await createTestDatabase()
  client = new pg.Client({ connectionString: test.url })
  await client.connect()
  for (const statement of listFilling(ROWS)) await client.query(statement)
  const some = (table: string, key = 'id') =>
    `${key} IN (SELECT ${key} FROM ${table} ORDER BY md5(${key}) LIMIT ${OWN})`
  await client.query(`UPDATE credentials SET owner = md5(id)`)
  await client.query(`UPDATE credentials SET owner = '${SUB}' WHERE ${some('credentials')}`)
  await client.query(`UPDATE redemptions SET redeemed_by = md5(id)`)
  await client.query(`UPDATE redemptions SET redeemed_by = '${SUB}' WHERE ${some('redemptions', 'credential_id')}`)
  await client.query(`UPDATE offerings SET recipient = md5(id), for_subject = md5(id)`)
  await client.query(`UPDATE offerings SET recipient = '${DID}', for_subject = '${SUB}' WHERE ${some('offerings')}`)
  await client.query(
    `INSERT INTO authorizations (id, state, user_sub, expires_at)
     SELECT md5(n::text), 'Redeemed', CASE WHEN n <= ${OWN} THEN '${SUB}' ELSE md5(n::text) END, now() FROM generate_series(1, ${ROWS}) n`,
  )
  await client.query('VACUUM ANALYZE')
  const connected = connectDatabase(test.url)
  // Uses `bounded` for all statements: it plans a statement for its values, and sends it in a form that EXPLAIN
  // accepts.
  database = { ...connected, sql: connected.bounded }
})
afterAll(async () => {
  await database.close()
  await client.end()
  await test.drop()
})

type Read = (database: Database) => Promise<readonly unknown[]>

const person = { sub: null, dids: [] }

/** Reads of tables that grow with use. */
const READS: readonly (readonly [name: string, read: Read])[] = [
  ['claimed credentials', (of) => createPersonStore(of).claimed(SUB, PART)],
  ['created and signed credentials', (of) => createPersonStore(of).owned(SUB, { ...person, sub: SUB }, PART)],
  ['credentials of a DID', (of) => createPersonStore(of).held(DID, person, PART)],
  ['offers for a user', (of) => createPersonStore(of).offeredTo(SUB, PART)],
  ['offers for a DID', (of) => createPersonStore(of).offeredToDid(DID, person, PART)],
  ['sign-ins', (of) => createPersonStore(of).authorizations(SUB, PART)],
  ['DIDs of a user', (of) => createPersonStore(of).didsOf(SUB)],
  [
    'credentials of a caller in a period',
    (of) =>
      createCredentialListStore(of, claimsInClear).page({ owner: SUB }, { ...PART, from: undefined, to: undefined }),
  ],
]

describe('the records of a person are read by indices, among many records of other people', () => {
  it.each(READS)('%s', async (_, read) => {
    const { scans } = await planReader(client)(() => read(database))
    const large = ['credentials', 'redemptions', 'offerings', 'authorizations', 'credential_instances']
    expect(scans.length).toBeGreaterThan(0)
    expect(scans.filter(({ table, name }) => large.includes(table) && name.startsWith('Seq Scan'))).toEqual([])
    expect(scans.filter(({ rows }) => rows > MOST)).toEqual([])
  })
})

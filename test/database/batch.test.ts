import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { batchDone, deletedBatch, deletedRow, expiredBatch } from '../../server/database/batch.js'
import { connectDatabase, type Database } from '../../server/database/connect.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'

let test: TestDatabase
let database: Database

beforeAll(async () => {
  test = await createTestDatabase()
  database = connectDatabase(test.url)
})
afterAll(async () => {
  await database.close()
  await test.drop()
})
beforeEach(async () => {
  await query(test.url, 'DELETE FROM used_nonces')
  await query(
    test.url,
    `INSERT INTO used_nonces (hash, expires_at)
     SELECT 'n' || n, '2026-01-01'::timestamptz + n * interval '1 day' FROM generate_series(1, 5) AS n`,
  )
})

/** Deletes a batch of the rows that expired before the fifth of January. */
async function remove(limit: number): Promise<string[]> {
  const batch = expiredBatch('used_nonces', 'hash', new Date('2026-01-05T00:00:00Z'), limit)
  const rows = await database.sql(deletedRow)`${deletedBatch(batch)}`
  return rows.map(({ key }) => key).sort()
}

it('has a limited number of rows, with the earliest due rows first', async () => {
  expect(await remove(3)).toEqual(['n1', 'n2', 'n3'])
  expect(await remove(3)).toEqual(['n4'])
  expect(await remove(3)).toEqual([])
})

it('reports the first due time, and whether a full batch may leave more', () => {
  const [early, late] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')]
  const rows = [{ at: late }, { at: early }]
  expect(batchDone(rows, 3)).toEqual({ count: 2, first: early, more: false })
  expect(batchDone(rows, 2)).toEqual({ count: 2, first: early, more: true })
  expect(batchDone([], 2)).toEqual({ count: 0, first: undefined, more: false })
})

it('skips rows that another process has locked, without waiting', async () => {
  const other = new pg.Client({ connectionString: test.url })
  await other.connect()
  try {
    await other.query('BEGIN')
    await other.query("SELECT 1 FROM used_nonces WHERE hash IN ('n1', 'n3') FOR UPDATE")
    expect(await remove(10)).toEqual(['n2', 'n4'])
    await other.query('ROLLBACK')
  } finally {
    await other.end()
  }
  expect(await remove(10)).toEqual(['n1', 'n3'])
})

it('gives each row to only one of two simultaneous batches', async () => {
  const both = await Promise.all([remove(4), remove(4)])
  expect(both.flat().sort()).toEqual(['n1', 'n2', 'n3', 'n4'])
})

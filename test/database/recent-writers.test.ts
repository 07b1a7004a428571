import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { connectDatabase, type Database } from '../../server/database/connect.js'
import { createRecentWriters, type RecentWriters } from '../../server/database/replica/writers.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'

let test: TestDatabase
let database: Database
let writers: RecentWriters

beforeAll(async () => {
  test = await createTestDatabase()
  database = connectDatabase(test.url)
  writers = createRecentWriters(database)
})
afterAll(async () => {
  await database.close()
  await test.drop()
})
beforeEach(() => query(test.url, 'DELETE FROM recent_writers'))

const run = (statement: string) => query(test.url, statement)
const isWriter = async (caller: string) => (await writers.among([caller])).has(caller)
/** The time of the database, in seconds. */
const now = async () => Number((await run('SELECT extract(epoch FROM clock_timestamp()) AS at'))[0]?.at)
/** The ends of the records, in seconds. */
const expiries = async () =>
  (await run('SELECT extract(epoch FROM expires_at) AS at FROM recent_writers')).map(({ at }) => Number(at))
/** Makes every record expire. */
const later = () => run("UPDATE recent_writers SET expires_at = clock_timestamp() - interval '1 second'")

it('a record is valid for ten seconds after a change that takes one second, and for two more seconds for changes that share it', async () => {
  const began = await now()
  await writers.changing(['alice'], async () => {})
  const ended = await now()
  expect(await isWriter('alice')).toBe(true)
  expect(await isWriter('bob')).toBe(false)
  const [first] = await expiries()
  // The record was written at a time between these two.
  expect((first ?? 0) - ended).toBeLessThanOrEqual(13)
  expect((first ?? 0) - began).toBeGreaterThan(10)
  await run("UPDATE recent_writers SET expires_at = clock_timestamp() + interval '12.9 seconds'")
  const before = await expiries()
  await writers.changing(['alice'], async () => {})
  expect(await expiries()).toEqual(before)
})

it('the record is written before the change', async () => {
  await writers.changing(['alice'], async () => expect(await isWriter('alice')).toBe(true))
  const broken = writers.changing(['bob'], async () => Promise.reject(new Error('broken')))
  await expect(broken).rejects.toThrow('broken')
  expect(await isWriter('bob')).toBe(true)
})

it.each([
  [1_000, false],
  [1_001, true],
])('the record of a change that took %i ms is written again at its end: %s', async (ms, again) => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  try {
    await writers.changing(['alice'], async () => {
      await later()
      now.mockReturnValue(ms)
    })
  } finally {
    now.mockRestore()
  }
  expect(await isWriter('alice')).toBe(again)
})

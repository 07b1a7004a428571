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
/** Makes every record expire. */
const later = () => run("UPDATE recent_writers SET expires_at = clock_timestamp() - interval '1 second'")

it('a record is valid for ten seconds after a change that takes one second, and for two more seconds for changes that share it', async () => {
  await writers.changing(['alice'], async () => {})
  expect(await isWriter('alice')).toBe(true)
  expect(await isWriter('bob')).toBe(false)
  const left = 'SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 AS seconds FROM recent_writers'
  const [{ seconds }] = (await run(left)) as [{ seconds: number }]
  expect(seconds).toBeLessThanOrEqual(13)
  expect(seconds).toBeGreaterThan(10)
  await run("UPDATE recent_writers SET expires_at = clock_timestamp() + interval '11.5 seconds'")
  await writers.changing(['alice'], async () => {})
  const [shared] = (await run(left)) as [{ seconds: number }]
  expect(shared.seconds).toBeLessThanOrEqual(11.5)
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

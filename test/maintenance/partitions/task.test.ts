import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { connectDatabase, type Database, UNHURRIED_MS } from '../../../server/database/connect.js'
import { createPartitionStore, type PartitionChange } from '../../../server/maintenance/partitions/store.js'
import { type PartitionPlan, partitionTask } from '../../../server/maintenance/partitions/task.js'
import type { Metrics } from '../../../server/metrics/metrics.js'
import { createTestDatabase, query, type TestDatabase } from '../../support/postgres.js'

const HOUR = 3_600_000
/** The start of an hour for which the migrations made no partition. */
const NOON = Date.UTC(2031, 0, 1, 12)
const at = (hours: number) => new Date(NOON + hours * HOUR)

let test: TestDatabase
let first: Database
let second: Database
let reader: pg.Client

beforeAll(async () => {
  test = await createTestDatabase()
  first = connectDatabase(test.url, { waitMs: UNHURRIED_MS })
  second = connectDatabase(test.url, { waitMs: UNHURRIED_MS })
})
afterAll(async () => {
  await first.close()
  await second.close()
  await test.drop()
})
beforeEach(async () => {
  reader = new pg.Client({ connectionString: test.url })
  await reader.connect()
  await dropAll()
})
afterEach(async () => {
  await reader.end()
  await run('TRUNCATE used_nonces')
})

const run = (sql: string, values: unknown[] = []) => query(test.url, sql, values)
const use = async (hash: string, expiresAt: Date) =>
  (await run('INSERT INTO used_nonces VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING hash', [hash, expiresAt])).length
const hoursOf = async () =>
  (await createPartitionStore(first).list('used_nonces')).map(({ since, until }) => [
    ((since?.getTime() ?? Number.NaN) - NOON) / HOUR,
    (until.getTime() - NOON) / HOUR,
  ])
const HOURS = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => [from + n, from + n + 1])

/** Makes the task for a database. Records the outcome for each partition. */
function worker(database = first, plan: Partial<PartitionPlan> = {}) {
  const changes: PartitionChange[] = []
  const metrics: Pick<Metrics, 'partition'> = { partition: (_, change) => void changes.push(change as PartitionChange) }
  const task = partitionTask(createPartitionStore(database), metrics, {
    table: 'used_nonces',
    step: { hours: 1 },
    ahead: 4,
    writesAheadSeconds: 600,
    droppable: async () => true,
    ...plan,
  })
  return { changes, run: async (now: Date) => (await task.run(now, 200)).count }
}

/** The statements that make and drop partitions wait longer for their locks, so that a busy machine sees them wait. */
async function waitingLonger(): Promise<void> {
  const setLimit = (limit: string) =>
    run(
      `ALTER FUNCTION make_partition SET lock_timeout = '${limit}'; ALTER FUNCTION drop_partition SET lock_timeout = '${limit}'`,
    )
  await setLimit('3s')
  onTestFinished(async () => {
    await setLimit('200ms')
  })
}

/** Waits until a statement waits for its lock. It waits only for a short time, so the check uses an open connection. */
const whileWaiting = () =>
  expect
    .poll(
      async () =>
        (
          await reader.query(
            `SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
          )
        ).rows.length,
      { interval: 2 },
    )
    .toBe(1)

describe('partitions', () => {
  it('are made for the hours ahead, without a gap, and only for unused hours', async () => {
    const { run: turn, changes } = worker()
    expect(await turn(at(0))).toBe(4)
    expect(await hoursOf()).toEqual(HOURS(1, 5))
    expect(await turn(at(0.5))).toBe(0)
    expect(await turn(at(1))).toBe(1)
    // The time until the next hour is shorter than the validity of a code plus the difference that clocks may have. So
    // one more partition is made.
    await dropAll()
    expect(await turn(at(0.8))).toBe(3)
    expect(await hoursOf()).toEqual(HOURS(2, 5))
    expect(new Set(changes)).toEqual(new Set(['made']))
  })

  it('are made once if two processes make them at once', async () => {
    const [one, other] = [worker(first), worker(second)]
    const made = await Promise.all([one.run(at(0)), other.run(at(0))])
    expect(made[0] + made[1]).toBe(4)
    expect(await hoursOf()).toEqual(HOURS(1, 5))
    expect([...one.changes, ...other.changes].filter((change) => change === 'occupied')).toEqual([])
  })

  it('can be calendar months, also over the end of a year', async () => {
    const store = createPartitionStore(first)
    await worker(first, { step: 'month', ahead: 2 }).run(new Date('2031-11-30T23:00:00Z'))
    expect((await store.list('used_nonces')).map(({ until }) => until.toISOString().slice(0, 10))).toEqual([
      '2032-01-01',
      '2032-02-01',
    ])
  })

  it('are dropped with their rows when they have ended by every clock; other partitions stay', async () => {
    const { run: turn, changes } = worker(first, { ahead: 2 })
    await turn(at(0))
    for (const hours of [1.5, 2.5, 9]) expect(await use(`at ${hours}`, at(hours))).toBe(1)
    await turn(new Date(at(2).getTime() + 299_000))
    expect(changes).not.toContain('dropped')
    await turn(new Date(at(2).getTime() + 300_000))
    expect(changes.filter((change) => change === 'dropped')).toHaveLength(1)
    expect((await run('SELECT hash FROM used_nonces ORDER BY 1')).map(({ hash }) => hash)).toEqual(['at 2.5', 'at 9'])
  })

  it('of a table without a drop rule are never dropped', async () => {
    // Without `droppable`, the partitions of this table are never dropped.
    const table = worker(first, { droppable: undefined as never })
    await table.run(at(0))
    await table.run(at(100))
    expect(table.changes).not.toContain('dropped')
  })
})

describe('a drop', () => {
  it('that cannot get its lock stops waiting and is tried again later; other statements continue before the reader ends', async () => {
    await waitingLonger()
    const { run: turn, changes } = worker()
    await turn(at(0))
    await reader.query('BEGIN')
    await reader.query('SELECT count(*) FROM used_nonces')
    const dropping = turn(at(10))
    await whileWaiting()
    expect(await use('while it waits', at(10.5))).toBe(1)
    await dropping
    expect(changes.filter((change) => change === 'dropped' || change === 'locked').at(-1)).toBe('locked')
    expect(changes).not.toContain('dropped')
    await reader.query('COMMIT')
    // The task does not try again at once, because other statements would wait during each attempt.
    await turn(at(10 + 4 / 60))
    expect(changes).not.toContain('dropped')
    await turn(at(10 + 5 / 60))
    expect(changes.filter((change) => change === 'dropped')).toHaveLength(4)
  })

  it('does not wait for readers of only its partition or the default partition after it has locked the table', async () => {
    for (const name of ['used_nonces_default', 'used_nonces_20310101_13']) {
      await dropAll()
      const { run: turn, changes } = worker(first, { ahead: 1 })
      await turn(at(0))
      await reader.query('BEGIN')
      await reader.query(`SELECT count(*) FROM ${name}`)
      await turn(at(10))
      expect(changes.at(-1)).toBe('locked')
      await reader.query('COMMIT')
    }
  })

  it('waits for at most 200 ms; the creation of partitions also waits for at most 200 ms', async () => {
    const functions = await run(
      "SELECT proname AS name, proconfig AS settings FROM pg_proc WHERE proname IN ('make_partition', 'drop_partition')",
    )
    expect(functions).toHaveLength(2)
    for (const { settings } of functions) expect(settings).toContain('lock_timeout=200ms')
  })
})

describe('the default partition', () => {
  it('has rows without another partition; they stay there and still block repeated uses when their time is near', async () => {
    expect(await use('early', at(2.5))).toBe(1)
    const { run: turn, changes } = worker()
    expect(await turn(at(0))).toBe(3)
    expect(changes.sort()).toEqual(['made', 'made', 'made', 'occupied'])
    expect(await hoursOf()).toEqual([...HOURS(1, 2), ...HOURS(3, 5)])
    expect(await use('early', at(2.5))).toBe(0)
    expect(await run('SELECT tableoid::regclass::text AS name FROM used_nonces')).toEqual([
      { name: 'used_nonces_default' },
    ])
  })

  it('with a long reader does not prevent writes while partitions are made', async () => {
    await waitingLonger()
    await reader.query('BEGIN')
    await reader.query('SELECT count(*) FROM used_nonces')
    const { run: turn, changes } = worker()
    const making = turn(at(0))
    await whileWaiting()
    expect(await use('meanwhile', at(20))).toBe(1)
    await making
    expect(changes).toEqual(['locked'])
    await reader.query('COMMIT')
    expect(await turn(at(0))).toBe(4)
  })
})

/** Drops all partitions of the migrations and of other tests. */
async function dropAll(): Promise<void> {
  for (const { name } of await createPartitionStore(first).list('used_nonces')) await run(`DROP TABLE ${name}`)
}

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectDatabase, type Database, UNHURRIED_MS } from '../../server/database/connect.js'
import { createLog } from '../../server/log.js'
import { createMaintenance, type MaintenanceTask, runTask } from '../../server/maintenance/job.js'
import { createMaintenanceStore } from '../../server/maintenance/store.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'

const NOW = new Date('2026-01-01T00:00:00Z')

let database: TestDatabase
let first: Database
let second: Database

beforeAll(async () => {
  database = await createTestDatabase()
  first = connectDatabase(database.url, { max: 3, waitMs: UNHURRIED_MS })
  second = connectDatabase(database.url, { max: 3, waitMs: UNHURRIED_MS })
})
afterAll(async () => {
  await first.close()
  await second.close()
  await database.drop()
})

const task = (run: MaintenanceTask['run'], everyMs = 0): MaintenanceTask => ({ name: 'a task', everyMs, run })

const maintenance = (tasks: readonly MaintenanceTask[], connection = first) =>
  createMaintenance({
    store: createMaintenanceStore(connection),
    tasks,
    clock: () => NOW,
    log: createLog('silent'),
  })

describe('a task', () => {
  it('runs again at once as long as it finds a full batch', async () => {
    const batches = [200, 200, 7]
    const run = vi.fn(async () => batches.shift() ?? 0)
    await runTask(task(run), NOW)
    expect(run.mock.calls).toEqual([
      [NOW, 200],
      [NOW, 200],
      [NOW, 200],
    ])
  })

  it('has its share of a turn, and no more', async () => {
    const run = vi.fn(async (_: Date, batchSize: number) => batchSize)
    await runTask(task(run), NOW)
    expect(run).toHaveBeenCalledTimes(50)
  })
})

describe('the job', () => {
  it('runs its tasks, and one that fails does not keep the others from theirs', async () => {
    const ran = vi.fn(async () => 0)
    const failed = vi.fn(async () => {
      throw new Error('no')
    })
    const job = maintenance([task(failed), task(ran)])
    job.start()
    await vi.waitFor(() => expect(ran.mock.calls.length).toBeGreaterThan(1), { timeout: 60_000 })
    await job.stop()
    expect(failed.mock.calls.length).toBeGreaterThan(0)
    const calls = ran.mock.calls.length
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(ran).toHaveBeenCalledTimes(calls)
  })

  it('is done by one process at a time', async () => {
    let busy = 0
    let most = 0
    const run = async () => {
      busy += 1
      most = Math.max(most, busy)
      await new Promise((resolve) => setTimeout(resolve, 300))
      busy -= 1
      return 0
    }
    const stores = [createMaintenanceStore(first), createMaintenanceStore(second)]
    const work = vi.fn(async () => {
      await run()
    })
    await Promise.all(stores.map((store) => store.exclusively(work)))
    expect([most, work.mock.calls.length]).toEqual([1, 1])
    await stores[1]?.exclusively(work)
    expect(work).toHaveBeenCalledTimes(2)
  })
})

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectDatabase, type Database, UNHURRIED_MS } from '../../server/database/connect.js'
import { createLog, type Log } from '../../server/log/log.js'
import { createMaintenance, type MaintenanceOptions } from '../../server/maintenance/job.js'
import { createMaintenanceStore } from '../../server/maintenance/store.js'
import type { MaintenanceTask, TaskDone } from '../../server/maintenance/task.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'

const NOW = new Date('2026-01-01T00:00:00Z')
const PATIENT = { timeout: 60_000 }

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

const NOTHING: TaskDone = { count: 0, more: false, lateSeconds: 0 }
const full = (lateSeconds = 0): TaskDone => ({ count: 200, more: true, lateSeconds })

const task = (run: MaintenanceTask['run'], options: Partial<MaintenanceTask> = {}): MaintenanceTask => ({
  name: 'a task',
  everyMs: 600_000,
  run,
  ...options,
})

const maintenance = (tasks: readonly MaintenanceTask[], options: Partial<MaintenanceOptions> = {}) =>
  createMaintenance({
    store: createMaintenanceStore(first),
    tasks,
    clock: () => NOW,
    log: createLog('silent'),
    everyMs: 10,
    ...options,
  })

/** The lock of an installation with one process: the process always gets the lock. */
const alone = { exclusively: async (work: () => Promise<void>) => work().then(() => true) }

/** Makes a clock that moves only during a batch or a rest. It records the rests. */
function madeUpPace() {
  const rests: number[] = []
  const pace = {
    at: 0,
    rests,
    now: () => pace.at,
    rest: async (ms: number) => {
      rests.push(ms)
      pace.at += ms
    },
  }
  return pace
}

describe('a task', () => {
  it('continues while it finds full batches, and then waits for its next time', async () => {
    let left = 200
    const run = vi.fn(async (_: Date, batchSize: number) => {
      left -= 1
      return { count: batchSize, more: left > 0, lateSeconds: 0 }
    })
    const pace = madeUpPace()
    const job = maintenance([task(run)], { store: alone, pace })
    job.start()
    await vi.waitFor(() => expect(left).toBe(0), PATIENT)
    await job.stop()
    expect(run).toHaveBeenCalledTimes(200)
    expect(new Set(run.mock.calls.map(([now, size]) => `${now.toISOString()} ${size}`)).size).toBe(1)
  })

  it('uses a fifth of the time: after each batch the job rests four times as long', async () => {
    const pace = madeUpPace()
    const took = [30, 5, 100]
    const batches = [...took]
    const run = async () => {
      pace.at += batches.shift() ?? 0
      return batches.length > 0 ? full() : NOTHING
    }
    const job = maintenance([task(run)], { store: alone, pace })
    job.start()
    await vi.waitFor(() => expect(pace.rests).toEqual(took.map((ms) => ms * 4)), PATIENT)
    await job.stop()
  })

  it('with much work does not delay the others, because each task has a batch in turn', async () => {
    const order: string[] = []
    const busy = (name: string, batches: number) =>
      task(async () => {
        order.push(name)
        batches -= 1
        return batches > 0 ? full() : NOTHING
      })
    const job = maintenance([busy('a', 4), busy('b', 1), busy('c', 3)], { store: alone, pace: madeUpPace() })
    job.start()
    await vi.waitFor(() => expect(order.join('')).toBe('abcacaca'.slice(0, 8)), PATIENT)
    await job.stop()
  })

  it('that waits for other services does not delay other tasks, and runs once at a time', async () => {
    let answer = (_: TaskDone): void => {}
    const asked = vi.fn(
      () =>
        new Promise<TaskDone>((resolve) => {
          answer = resolve
        }),
    )
    const ran = vi.fn(async () => NOTHING)
    const job = maintenance([task(asked, { elsewhere: true, everyMs: 50 }), task(ran, { everyMs: 50 })], {
      store: alone,
    })
    job.start()
    await vi.waitFor(() => expect(ran.mock.calls.length).toBeGreaterThan(3), PATIENT)
    expect(asked).toHaveBeenCalledOnce()
    answer(full())
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(2), PATIENT)
    const stopped = job.stop()
    answer(NOTHING)
    await stopped
  })
})

describe('the job', () => {
  it('runs its tasks, and a task that fails does not stop the others', async () => {
    const ran = vi.fn(async () => NOTHING)
    const failed = vi.fn(async () => {
      throw new Error('no')
    })
    const onBatch = vi.fn()
    const tasks = [task(failed, { name: 'bad', everyMs: 50 }), task(ran, { everyMs: 50 })]
    const job = maintenance(tasks, { onBatch })
    job.start()
    await vi.waitFor(() => expect(ran.mock.calls.length).toBeGreaterThan(1), PATIENT)
    await job.stop()
    expect(failed.mock.calls.length).toBeGreaterThan(0)
    expect(onBatch.mock.calls.slice(0, 2)).toEqual([
      ['bad', undefined],
      ['a task', 0],
    ])
    const calls = ran.mock.calls.length
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(ran).toHaveBeenCalledTimes(calls)
  })

  it('ends soon after the stop, even during a rest', async () => {
    const ran = vi.fn(async () => full())
    const job = maintenance([task(ran)], {
      store: alone,
      pace: {
        now: () => performance.now(),
        rest: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      },
    })
    job.start()
    await vi.waitFor(() => expect(ran).toHaveBeenCalledOnce(), PATIENT)
    await job.stop()
    expect(ran).toHaveBeenCalledOnce()
  })

  it('releases the lock after half a minute of work, and rests before it takes the lock again', async () => {
    const pace = madeUpPace()
    const turns: (readonly [from: number, until: number])[] = []
    const store: MaintenanceOptions['store'] = {
      exclusively: async (work) => {
        const from = pace.at
        await work()
        turns.push([from, pace.at])
        return true
      },
    }
    let batches = 0
    const run = async () => {
      pace.at += 1_000
      batches += 1
      return batches < 50 ? full() : NOTHING
    }
    const job = maintenance([task(run)], { store, pace })
    job.start()
    await vi.waitFor(() => expect(turns.length).toBeGreaterThan(1), PATIENT)
    await job.stop()
    expect(turns.slice(0, 2)).toEqual([
      [0, 26_000],
      [30_000, 56_000],
    ])
  })

  it('runs in one process at a time', async () => {
    let release = () => {}
    const untilReleased = new Promise<void>((resolve) => {
      release = resolve
    })
    const [busy, other] = [createMaintenanceStore(first), createMaintenanceStore(second)]
    const long = vi.fn(() => untilReleased)
    const work = vi.fn(async () => {})
    const running = busy.exclusively(long)
    await vi.waitFor(() => expect(long).toHaveBeenCalledOnce(), PATIENT)
    expect(await other.exclusively(work)).toBe(false)
    expect(work).not.toHaveBeenCalled()
    release()
    expect(await running).toBe(true)
    expect(await other.exclusively(work)).toBe(true)
    expect(work).toHaveBeenCalledOnce()
  })
})

describe('the delay of the job', () => {
  const logged = () => {
    const lines: unknown[][] = []
    const add =
      (level: string) =>
      (...line: unknown[]) =>
        void lines.push([level, ...line])
    return { lines, log: { warn: add('warn'), info: add('info') } as unknown as Log }
  }

  it('is known for each task with more work, and logged once a minute until the job has caught up', async () => {
    const pace = madeUpPace()
    const { lines, log } = logged()
    const late = [7_200, 7_100, 7_000, 100]
    const seen: (number | undefined)[] = []
    const run = async () => {
      seen.push(job.late.get('a task'))
      pace.at += 4_000
      const lateSeconds = late.shift()
      return lateSeconds === undefined ? { count: 7, more: false, lateSeconds: 50 } : full(lateSeconds)
    }
    const job = maintenance([task(run)], { store: alone, pace, log })
    job.start()
    await vi.waitFor(() => expect(job.late.get('a task')).toBe(0), PATIENT)
    await job.stop()
    expect(seen).toEqual([undefined, 7_200, 7_100, 7_000, 100])
    // The first log line is written at once. The next line would be written a minute later.
    expect(lines).toEqual([
      ['warn', { task: 'a task', behindSeconds: 7_200, count: 200 }, 'maintenance is behind'],
      ['info', { task: 'a task', count: 807, seconds: expect.any(Number) }, 'maintenance has caught up'],
    ])
  })

  it('does not include the time in which the task did not look for work', async () => {
    const { lines, log } = logged()
    const late = [599]
    const run = async () => {
      const lateSeconds = late.shift()
      return lateSeconds === undefined ? NOTHING : full(lateSeconds)
    }
    const job = maintenance([task(run)], { store: alone, pace: madeUpPace(), log })
    job.start()
    await vi.waitFor(() => expect(job.late.get('a task')).toBe(0), PATIENT)
    await job.stop()
    expect(lines).toEqual([])
  })

  it('is not logged by a process while another process does the work', async () => {
    let ours = true
    const run = async () => NOTHING
    const store: MaintenanceOptions['store'] = { exclusively: async (work) => ours && alone.exclusively(work) }
    const job = maintenance([task(run, { everyMs: 50 })], { store })
    job.start()
    await vi.waitFor(() => expect(job.late.size).toBe(1), PATIENT)
    ours = false
    await vi.waitFor(() => expect(job.late.size).toBe(0), PATIENT)
    await job.stop()
  })
})

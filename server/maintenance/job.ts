import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log/log.js'
import { Backlog } from './backlog.js'
import type { MaintenanceStore } from './store.js'
import type { MaintenanceTask, TaskDone } from './task.js'

/** The clock and the pauses of the job. */
export interface Pace {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Waits. Rejects, or resolves early, if the signal aborts. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface MaintenanceOptions {
  readonly store: Pick<MaintenanceStore, 'exclusively'>
  readonly tasks: readonly MaintenanceTask[]
  readonly clock: () => Date
  readonly log: Log
  /** Called after each batch with its count, or with undefined if the batch failed. */
  readonly onBatch?: (task: string, count: number | undefined) => void
  /** Default: the clock and timers of the process. */
  readonly pace?: Pace
  /** Milliseconds between two searches for due tasks. Default: 1,000. */
  readonly everyMs?: number | undefined
}

/** Runs tasks as long as the process runs. If there are several processes, only one of them runs tasks at a time. */
export interface Maintenance {
  start(): void
  /** Seconds by which the remaining work is late, by task. Empty if a different process does the work. */
  readonly late: ReadonlyMap<string, number>
  /** Stops the job after the running batch. */
  stop(): Promise<void>
}

const EVERY_MS = 1_000
const RETRY_MS = 5_000
const BATCH_SIZE = 200
/** After a batch, the job rests for four times the duration of the batch. So it uses a fifth of the time. A task may change this. */
const REST = 4
/** Time for which one process works before it releases the lock. So the work is spread over all processes. */
const HOLD_MS = 30_000

const ownPace: Pace = {
  now: () => performance.now(),
  rest: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
}

/**
 * Makes the maintenance job. It runs one batch of each due task in turn, and rests after each batch. It continues as
 * long as there is work. So tables grow only if a fifth of the time is not enough for the work.
 */
export function createMaintenance(options: MaintenanceOptions): Maintenance {
  const { store, tasks, clock, log, onBatch = () => {}, pace = ownPace, everyMs = EVERY_MS } = options
  const dueAt = new Map(tasks.map((task) => [task, 0]))
  const backlog = new Backlog(log)
  /** Running batches of the tasks that wait for other services. */
  const elsewhere = new Map<MaintenanceTask, Promise<void>>()
  const stopping = new AbortController()
  let last = -1
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  const isDue = (task: MaintenanceTask) => (dueAt.get(task) ?? 0) <= pace.now() && !elsewhere.has(task)

  /**
   * Returns the next due task. The search begins after the previous task in the list, so that no task has to wait for
   * long.
   */
  const next = (): MaintenanceTask | undefined => {
    for (let step = 1; step <= tasks.length; step += 1) {
      const index = (last + step) % tasks.length
      const task = tasks[index]
      if (task === undefined || !isDue(task)) continue
      last = index
      return task
    }
    return undefined
  }

  /** Runs one batch. A failure is only logged, so that the other tasks still run. */
  const batch = async (task: MaintenanceTask): Promise<void> => {
    let done: TaskDone | undefined
    try {
      done = await task.run(clock(), BATCH_SIZE)
      backlog.took(task, done, pace.now())
    } catch (error) {
      log.warn({ task: task.name, err: error }, 'maintenance task failed')
    }
    onBatch(task.name, done?.count)
    dueAt.set(task, done?.more === true ? 0 : pace.now() + task.everyMs)
  }

  /** @returns the milliseconds to rest. */
  const step = async (task: MaintenanceTask): Promise<number> => {
    if (task.elsewhere === true) {
      elsewhere.set(
        task,
        batch(task).finally(() => elsewhere.delete(task)),
      )
      return 0
    }
    const began = pace.now()
    await batch(task)
    return (pace.now() - began) * (task.rest ?? REST)
  }

  const rest = (ms: number) => pace.rest(ms, stopping.signal).catch(() => undefined)

  /** Runs batches until nothing is due or the lock must be released. @returns the milliseconds to rest afterwards. */
  const steps = async (): Promise<number> => {
    const until = pace.now() + HOLD_MS
    for (let task = next(); task !== undefined && !stopping.signal.aborted; task = next()) {
      const ms = await step(task)
      if (pace.now() + ms >= until) return ms
      await rest(ms)
    }
    return 0
  }

  const turn = async (): Promise<void> => {
    if (!tasks.some(isDue)) return
    let left = 0
    const ours = await store.exclusively(async () => {
      left = await steps()
    })
    if (ours) return left > 0 ? rest(left) : undefined
    backlog.forget()
    for (const task of tasks.filter(isDue)) dueAt.set(task, pace.now() + task.everyMs)
  }

  const schedule = (afterMs: number): void => {
    if (stopping.signal.aborted) return
    timer = setTimeout(() => {
      running = turn().then(
        () => schedule(everyMs),
        (error: unknown) => {
          log.warn({ err: error }, 'maintenance failed')
          schedule(RETRY_MS)
        },
      )
    }, afterMs)
    timer.unref()
  }

  return {
    start: () => schedule(everyMs),
    late: backlog.late,
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await running
      await Promise.all(elsewhere.values())
    },
  }
}

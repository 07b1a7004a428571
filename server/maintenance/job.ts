import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log/log.js'
import { Backlog } from './backlog.js'
import type { MaintenanceStore } from './store.js'
import type { MaintenanceTask, TaskDone } from './task.js'

/** How the job knows what time it has used, and how it rests. */
export interface Pace {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Rejects, or resolves sooner, where the signal aborts. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface MaintenanceOptions {
  readonly store: Pick<MaintenanceStore, 'exclusively'>
  readonly tasks: readonly MaintenanceTask[]
  readonly clock: () => Date
  readonly log: Log
  /** Told of each batch that was done, and of each that failed (undefined). */
  readonly onBatch?: (task: string, count: number | undefined) => void
  /** The process's own unless given. */
  readonly pace?: Pace
  /** Between two looks for due tasks, in milliseconds; 1,000 unless given. */
  readonly everyMs?: number | undefined
}

/** Runs tasks as long as the process lives. Of several processes one at a time does it. */
export interface Maintenance {
  start(): void
  /** By how many seconds what is left to do is late, by task; nothing where another process does it. */
  readonly late: ReadonlyMap<string, number>
  /** Waits for the batch under way. */
  stop(): Promise<void>
}

const EVERY_MS = 1_000
const RETRY_MS = 5_000
const BATCH_SIZE = 200
/** The job rests for this many times what a batch took, and so has a fifth of the time. */
const REST = 4
/** For how long one process goes on while there is work; the lock is then there for others, who have the same share. */
const HOLD_MS = 30_000

const ownPace: Pace = {
  now: () => performance.now(),
  rest: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
}

/**
 * Runs the tasks that are due, a batch of each in turn, and rests after every batch; on while there is work, so that
 * tables grow only where a fifth of the time is not enough.
 */
export function createMaintenance(options: MaintenanceOptions): Maintenance {
  const { store, tasks, clock, log, onBatch = () => {}, pace = ownPace, everyMs = EVERY_MS } = options
  const dueAt = new Map(tasks.map((task) => [task, 0]))
  const backlog = new Backlog(log)
  /** What is under way beside the turn. */
  const elsewhere = new Map<MaintenanceTask, Promise<void>>()
  const stopping = new AbortController()
  let last = -1
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  const isDue = (task: MaintenanceTask) => (dueAt.get(task) ?? 0) <= pace.now() && !elsewhere.has(task)

  /** The next task that is due after the one before, so that each has its turn. */
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

  /** One batch. The failure of one task must not prevent the others. */
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

  /** @returns for how many milliseconds to rest. */
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
    return (pace.now() - began) * REST
  }

  const rest = (ms: number) => pace.rest(ms, stopping.signal).catch(() => undefined)

  /** Goes on until nothing is due or others may have the lock. @returns for how many milliseconds to rest then. */
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

import type { Log } from '../log.js'
import type { MaintenanceStore } from './store.js'

/** Work that is done at intervals, independent of requests. */
export interface MaintenanceTask {
  readonly name: string
  /** How long to wait between two runs, in milliseconds. */
  readonly everyMs: number
  /**
   * Does one batch, in statements that another process may send at the same time without harm.
   *
   * @returns how many things were done; the task runs again at once while it is `batchSize`.
   */
  readonly run: (now: Date, batchSize: number) => Promise<number>
}

/** The moment `seconds` before another: what is older has had its time. */
export const secondsBefore = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000)

export const DAY_SECONDS = 24 * 60 * 60

export interface MaintenanceOptions {
  readonly store: Pick<MaintenanceStore, 'exclusively'>
  readonly tasks: readonly MaintenanceTask[]
  readonly clock: () => Date
  readonly log: Log
}

/** Runs tasks as long as the process lives. Of several processes one at a time does it. */
export interface Maintenance {
  start(): void
  /** Waits for the batch under way. */
  stop(): Promise<void>
}

const TICK_MS = 1_000
const RETRY_MS = 5_000
const BATCH_SIZE = 200
/** The most batches of one task in one turn; the rest waits for the next turn. */
const MAX_BATCHES = 50

/** Runs one task until nothing is left to do for it, or it had its share of the turn. */
export async function runTask(task: MaintenanceTask, now: Date): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    if ((await task.run(now, BATCH_SIZE)) < BATCH_SIZE) return
  }
}

export function createMaintenance({ store, tasks, clock, log }: MaintenanceOptions): Maintenance {
  const dueAt = new Map(tasks.map((task) => [task, 0]))
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let stopped = false

  /** The failure of one task must not prevent the others. */
  const attempt = async (task: MaintenanceTask): Promise<void> => {
    try {
      await runTask(task, clock())
    } catch (error) {
      log.warn({ task: task.name, err: error }, 'maintenance task failed')
    }
  }

  const turn = async (): Promise<void> => {
    const due = tasks.filter((task) => (dueAt.get(task) ?? 0) <= performance.now())
    if (due.length === 0) return
    await store.exclusively(async () => {
      for (const task of due) if (!stopped) await attempt(task)
    })
    for (const task of due) dueAt.set(task, performance.now() + task.everyMs)
  }

  const schedule = (afterMs: number): void => {
    if (stopped) return
    timer = setTimeout(() => {
      running = turn().then(
        () => schedule(TICK_MS),
        (error: unknown) => {
          log.warn({ err: error }, 'maintenance failed')
          schedule(RETRY_MS)
        },
      )
    }, afterMs)
    timer.unref()
  }

  return {
    start: () => schedule(TICK_MS),
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}

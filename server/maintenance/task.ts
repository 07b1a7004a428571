import type { BatchDone } from '../database/batch.js'

/** What a batch of a task came to. */
export interface TaskDone {
  /** How many things were done. */
  readonly count: number
  /** Whether there may be more to do at once. */
  readonly more: boolean
  /** For how long the one that was due first had been due. */
  readonly lateSeconds: number
}

/** Work that is done at intervals, independent of requests. */
export interface MaintenanceTask {
  readonly name: string
  /** How long to wait before looking again once nothing is left to do, in milliseconds. */
  readonly everyMs: number
  /** Does one batch, in statements that another process may send at the same time without harm. */
  readonly run: (now: Date, batchSize: number) => Promise<TaskDone>
  /** It waits for other services rather than for the database: nothing waits for it, and it counts for no share of time. */
  readonly elsewhere?: boolean
}

/** The moment `seconds` before another: what is older has had its time. */
export const secondsBefore = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000)

export const DAY_SECONDS = 24 * 60 * 60

/** The largest difference between the clocks of two processes of one installation. */
export const CLOCK_SKEW_SECONDS = 300

/** Work on rows that are due a number of seconds after the moment that they hold. */
export interface DueRows {
  readonly name: string
  readonly everyMs: number
  /** 0 unless given. */
  readonly seconds?: number
  /** One batch of the rows whose moment is `before` or earlier. */
  readonly batch: (before: Date, limit: number) => Promise<BatchDone>
}

export const dueRows = ({ name, everyMs, seconds = 0, batch }: DueRows): MaintenanceTask => ({
  name,
  everyMs,
  run: async (now, batchSize) => {
    const before = secondsBefore(now, seconds)
    const { count, more, first } = await batch(before, batchSize)
    return { count, more, lateSeconds: first === undefined ? 0 : (before.getTime() - first.getTime()) / 1000 }
  },
})

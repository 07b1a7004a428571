import type { BatchDone } from '../database/batch.js'

/** The result of one batch of a task. */
export interface TaskDone {
  /** Number of processed items. */
  readonly count: number
  /** True if more items may be due now. */
  readonly more: boolean
  /** Seconds since the oldest processed item was due. */
  readonly lateSeconds: number
}

/** Work that is done at intervals, independent of requests. */
export interface MaintenanceTask {
  readonly name: string
  /** Milliseconds before the next run if nothing is left to do. */
  readonly everyMs: number
  /** Does one batch. It must be safe that a different process runs the same batch at the same time. */
  readonly run: (now: Date, batchSize: number) => Promise<TaskDone>
  /**
   * True if the task waits mainly for other services, or works for seconds in short statements. Other tasks do not wait for this task,
   * and the job does not rest after it.
   */
  readonly elsewhere?: boolean
  /** The job rests for this many times the duration of a batch of the task. Default: 4. */
  readonly rest?: number
}

/** Returns the time that is `seconds` before `now`. Older items are due. */
export const secondsBefore = (now: Date, seconds: number): Date => new Date(now.getTime() - seconds * 1000)

export const DAY_SECONDS = 24 * 60 * 60

/** Maximum difference between the clocks of two processes of one installation, in seconds. */
export const CLOCK_SKEW_SECONDS = 300

/** Work on rows. A row is due `seconds` after the time that is stored in the row. */
export interface DueRows {
  readonly name: string
  readonly everyMs: number
  /** Default: 0. */
  readonly seconds?: number
  /** Processes one batch of the rows whose stored time is `before` or earlier. */
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

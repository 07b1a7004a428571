import type { Log } from '../log/log.js'
import type { MaintenanceTask, TaskDone } from './task.js'

/** A task is late if its oldest item has been due for more than this time plus the task's interval. */
const BEHIND_SECONDS = 60
/** Minimum time between two log lines about one task. */
const SAY_EVERY_MS = 60_000

interface Stretch {
  readonly since: number
  count: number
  saidAt: number | undefined
}

/** Records the delay of each task of this process, for metrics. Logs a long delay. */
export class Backlog {
  readonly #log: Log
  readonly #late = new Map<string, number>()
  readonly #stretches = new Map<string, Stretch>()

  constructor(log: Log) {
    this.#log = log
  }

  /** Seconds by which the oldest processed item was late, by task; 0 if nothing is left. */
  get late(): ReadonlyMap<string, number> {
    return this.#late
  }

  /** Clears the delays. It is called when a different process does the work and reports the delays. */
  forget(): void {
    this.#late.clear()
    this.#stretches.clear()
  }

  /** @param nowMs milliseconds of a monotonic clock. */
  took({ name, everyMs }: MaintenanceTask, { count, more, lateSeconds }: TaskDone, nowMs: number): void {
    this.#late.set(name, more ? lateSeconds : 0)
    const known = this.#stretches.get(name)
    if (!more) {
      this.#stretches.delete(name)
      if (known?.saidAt !== undefined) {
        const seconds = Math.round((nowMs - known.since) / 1000)
        this.#log.info({ task: name, count: known.count + count, seconds }, 'maintenance has caught up')
      }
      return
    }
    const stretch = known ?? { since: nowMs, count: 0, saidAt: undefined }
    this.#stretches.set(name, stretch)
    stretch.count += count
    const due = stretch.saidAt === undefined || nowMs - stretch.saidAt >= SAY_EVERY_MS
    if (!due || lateSeconds < everyMs / 1000 + BEHIND_SECONDS) return
    stretch.saidAt = nowMs
    this.#log.warn(
      { task: name, behindSeconds: Math.round(lateSeconds), count: stretch.count },
      'maintenance is behind',
    )
  }
}

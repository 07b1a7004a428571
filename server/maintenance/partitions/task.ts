import type { Metrics } from '../../metrics/metrics.js'
import { CLOCK_SKEW_SECONDS, type MaintenanceTask, secondsBefore } from '../task.js'
import type { Partition, PartitionChange, PartitionedTable, PartitionStore } from './store.js'

/** Length of the period of one partition, in UTC. */
export type PartitionStep = { readonly hours: number } | 'month'

const HOUR_MS = 3_600_000

/** Returns the start of the partition that contains a certain time, or of the partition that comes `steps` later. */
export function partitionStart(step: PartitionStep, moment: Date, steps = 0): Date {
  if (step === 'month') return new Date(Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + steps))
  const ms = step.hours * HOUR_MS
  return new Date((Math.floor(moment.getTime() / ms) + steps) * ms)
}

/** Which partitions a table has. */
export interface PartitionPlan {
  readonly table: PartitionedTable
  readonly step: PartitionStep
  /** Number of future partitions to make in advance. */
  readonly ahead: number
  /** Maximum number of seconds by which the time of a new row may be in the future. */
  readonly writesAheadSeconds: number
  /**
   * True if a partition may be dropped. It is called only for partitions whose period has ended by the clocks of all
   * processes. Without this function, no partition is dropped.
   */
  readonly droppable?: (partition: Partition, now: Date) => Promise<boolean>
}

/** The function {@link partitionTask} with the store and the metrics of a service. */
export type PartitionTaskOf = (plan: PartitionPlan) => MaintenanceTask

/**
 * Pause after a drop that could not get its lock. While a drop waits, for up to 200 ms, all later statements on the
 * table wait too.
 */
const DROP_AGAIN_MS = 300_000

/** If a lock was not available, the task stops, because a further attempt would make other statements wait again. */
const goesOn = (change: PartitionChange) => change !== 'locked'

/**
 * Returns the periods of the partitions to make. The periods are so far in the future that no rows are written for them
 * yet.
 */
function timesAhead({ step, ahead, writesAheadSeconds }: PartitionPlan, now: Date): [since: Date, until: Date][] {
  const written = secondsBefore(now, -(writesAheadSeconds + CLOCK_SKEW_SECONDS))
  const times = Array.from({ length: ahead }, (_, n): [Date, Date] => [
    partitionStart(step, now, n + 1),
    partitionStart(step, now, n + 2),
  ])
  return times.filter(([since]) => since > written)
}

const overlaps = ({ since, until }: Partition, [from, to]: readonly [Date, Date]) =>
  until > from && (since === undefined || since < to)

/**
 * Makes the partitions of a table in advance and drops obsolete partitions. A partition is made before rows of its
 * period are written. A row for whose time there is no partition is stored in the default partition and stays there. A
 * separate task removes such rows one by one.
 */
export function partitionTask(
  partitions: Pick<PartitionStore, 'drop' | 'list' | 'make'>,
  metrics: Pick<Metrics, 'partition'>,
  plan: PartitionPlan,
): MaintenanceTask {
  const { table } = plan
  let locked = Number.NEGATIVE_INFINITY
  const count = (change: PartitionChange) => {
    metrics.partition(table, change)
    return change
  }

  const make = async (known: readonly Partition[], now: Date): Promise<number> => {
    let made = 0
    for (const time of timesAhead(plan, now)) {
      if (known.some((partition) => overlaps(partition, time))) continue
      const change = count(await partitions.make(table, ...time))
      if (change === 'made') made += 1
      if (!goesOn(change)) break
    }
    return made
  }

  const drop = async (known: readonly Partition[], now: Date): Promise<number> => {
    const sinceLocked = now.getTime() - locked
    if (sinceLocked >= 0 && sinceLocked < DROP_AGAIN_MS) return 0
    const ended = secondsBefore(now, CLOCK_SKEW_SECONDS)
    let dropped = 0
    for (const partition of known.filter(({ until }) => until <= ended)) {
      if ((await plan.droppable?.(partition, now)) !== true) continue
      const change = count(await partitions.drop(partition))
      if (change === 'dropped') dropped += 1
      if (goesOn(change)) continue
      locked = now.getTime()
      break
    }
    return dropped
  }

  return {
    name: `partitions of ${table}`,
    everyMs: 30_000,
    run: async (now) => {
      const known = await partitions.list(table)
      const made = await make(known, now)
      const dropped = await drop(known, now)
      return { count: made + dropped, more: false, lateSeconds: 0 }
    },
  }
}

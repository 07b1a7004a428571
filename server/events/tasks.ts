import type { Config } from '../config/config.js'
import type { Partition, PartitionStore } from '../maintenance/partitions/store.js'
import type { PartitionTaskOf } from '../maintenance/partitions/task.js'
import { DAY_SECONDS, type MaintenanceTask, secondsBefore } from '../maintenance/task.js'
import type { EventStore, EventsWanted } from './store.js'

/**
 * Age after which orphaned events are searched for in a partition. Most sessions last one day, so a partition that is
 * older exists only because of a session that lasts longer.
 */
const KEPT_SECONDS = 2 * DAY_SECONDS

const FIRST: EventsWanted = { sessionId: '', after: 0 }

/** Dependencies of {@link eventTasks}. */
export interface EventTasksPorts {
  readonly store: Pick<EventStore, 'remaining' | 'removeOrphans'>
  readonly partitions: Pick<PartitionStore, 'list'>
  readonly partitionTask: PartitionTaskOf
  readonly config: Pick<Config, 'sessionRetentionDays'>
}

/**
 * Maintenance of events. Partitions are made for the days ahead. A partition is dropped when no session with events in
 * it remains. If one session prevents this for a long time, the events of removed sessions are deleted from the
 * partition.
 */
export function eventTasks({ store, partitions, partitionTask, config }: EventTasksPorts): readonly MaintenanceTask[] {
  /** The session that was last found in each partition. As long as this session exists, no search is needed. */
  const remaining = new Map<string, string>()

  const isOlder = (moment: Date, seconds: number, now: Date) =>
    moment <= secondsBefore(now, config.sessionRetentionDays * DAY_SECONDS + seconds)

  const droppable = async ({ name, since, until }: Partition, now: Date): Promise<boolean> => {
    // Sessions are removed after the retention time. So a younger partition still has sessions and cannot be dropped.
    if (!isOlder(until, 0, now)) return false
    const sessionId = await store.remaining(since, until, remaining.get(name))
    remaining.delete(name)
    if (sessionId !== undefined) remaining.set(name, sessionId)
    return sessionId === undefined
  }

  return [
    partitionTask({ table: 'session_events', step: { hours: 24 }, ahead: 3, writesAheadSeconds: 0, droppable }),
    orphansTask(store, partitions, ({ name, since, until }, now) =>
      // The first partition contains all events that were recorded before the table had partitions.
      since === undefined ? true : remaining.has(name) && isOlder(until, KEPT_SECONDS, now),
    ),
  ]
}

/**
 * Makes the task that removes the events of removed sessions. Once a day, it searches each partition for which `kept`
 * returns true.
 */
function orphansTask(
  store: Pick<EventStore, 'removeOrphans'>,
  partitions: Pick<PartitionStore, 'list'>,
  kept: (partition: Partition, now: Date) => boolean,
): MaintenanceTask {
  let walk: { readonly partition: Partition; readonly last: EventsWanted } | undefined
  const endedAt = new Map<string, Date>()

  const next = async (now: Date) => {
    const known = await partitions.list('session_events')
    for (const name of endedAt.keys()) if (!known.some((partition) => partition.name === name)) endedAt.delete(name)
    const partition = known.find((one) => {
      const ended = endedAt.get(one.name)
      return kept(one, now) && (ended === undefined || ended <= secondsBefore(now, DAY_SECONDS))
    })
    return partition === undefined ? undefined : { partition, last: FIRST }
  }

  return {
    name: 'remove events of removed sessions',
    everyMs: 600_000,
    run: async (now, batchSize) => {
      walk ??= await next(now)
      if (walk === undefined) return { count: 0, more: false, lateSeconds: 0 }
      const { partition, last } = walk
      const done = await store.removeOrphans(partition.since, partition.until, last, batchSize)
      if (done === undefined) endedAt.set(partition.name, now)
      walk = done === undefined ? undefined : { partition, last: done.last }
      return { count: done?.count ?? 0, more: true, lateSeconds: 0 }
    },
  }
}

import type { Deps } from '../deps.js'
import type { Partition } from '../maintenance/partitions/store.js'
import { partitionTask } from '../maintenance/partitions/task.js'
import { DAY_SECONDS, type MaintenanceTask, secondsBefore } from '../maintenance/task.js'

/**
 * Maintenance of events: partitions are made for the days ahead, and one is dropped when none of the sessions remains that
 * has events in it.
 */
export function eventTasks(deps: Pick<Deps, 'stores' | 'config' | 'metrics'>): readonly MaintenanceTask[] {
  const { stores, config } = deps
  /** Who was found in a partition at last: while that session remains, nobody else is looked for. */
  const remaining = new Map<string, string>()

  const droppable = async ({ name, since, until }: Partition, now: Date): Promise<boolean> => {
    // No session that ended in it has been removed before.
    if (until > secondsBefore(now, config.sessionRetentionDays * DAY_SECONDS)) return false
    const sessionId = await stores.events.remaining(since, until, remaining.get(name))
    remaining.delete(name)
    if (sessionId !== undefined) remaining.set(name, sessionId)
    return sessionId === undefined
  }

  return [
    partitionTask(deps, { table: 'session_events', step: { hours: 24 }, ahead: 3, writesAheadSeconds: 0, droppable }),
  ]
}

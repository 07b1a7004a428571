import type { Deps } from '../deps.js'
import type { MaintenanceTask } from '../maintenance/task.js'

/** Events in one batch: a small part of a second. */
const BATCH = 1_000

/**
 * Counts audit events, those from before there were counters too: an installation that is new to them begins with its first event, and
 * goes on in the job's share of the time.
 */
export const statisticsTasks = ({ stores }: Pick<Deps, 'stores'>): readonly MaintenanceTask[] => [
  {
    name: 'count what happened',
    everyMs: 5_000,
    run: async (now) => {
      const { count, first, more } = await stores.statistics.fold(now, BATCH)
      return { count, more, lateSeconds: first === null ? 0 : Math.max(0, (now.getTime() - first.getTime()) / 1000) }
    },
  },
]

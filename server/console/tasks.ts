import type { Deps } from '../deps.js'
import { dueRows, type MaintenanceTask } from '../maintenance/task.js'

/** Maintenance of the console: sessions that ended go, with their tokens. */
export const consoleTasks = ({ stores }: Pick<Deps, 'stores'>): readonly MaintenanceTask[] => [
  dueRows({ name: 'remove console sessions', everyMs: 60_000, batch: stores.consoleSessions.removeExpired }),
]

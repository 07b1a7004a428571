import type { Deps } from '../deps.js'
import { dueRows, type MaintenanceTask } from '../maintenance/task.js'

/** Maintenance of pages. Those of sessions go with them; this is for what stays, such as an offering. */
export const pageTasks = ({ stores }: Pick<Deps, 'stores'>): readonly MaintenanceTask[] => [
  dueRows({ name: 'remove pages', everyMs: 600_000, batch: stores.pages.removeExpired }),
]

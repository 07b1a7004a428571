import type { Deps } from '../../deps.js'
import { dueRows, type MaintenanceTask } from '../../maintenance/task.js'

/** Deletes flows that were not confirmed in time, and confirmed ones after a while, with their content. */
export function flowTasks({ stores }: Pick<Deps, 'stores'>): readonly MaintenanceTask[] {
  return [dueRows({ name: 'remove expired flows', everyMs: 60_000, batch: stores.flows.removeExpired })]
}

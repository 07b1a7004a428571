import type { Deps } from '../../deps.js'
import type { MaintenanceTask } from '../../maintenance/job.js'

/** Deletes flows that were not confirmed in time, and confirmed ones after a while, with their content. */
export function flowTasks({ stores }: Pick<Deps, 'stores'>): readonly MaintenanceTask[] {
  return [
    {
      name: 'remove expired flows',
      everyMs: 60_000,
      run: (now, batchSize) => stores.flows.removeExpired(now, batchSize),
    },
  ]
}

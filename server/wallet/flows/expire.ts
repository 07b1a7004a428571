import type { Deps } from '../../deps.js'
import type { MaintenanceTask } from '../../maintenance/job.js'

/** Flows that nobody confirmed in time, and those long confirmed, are forgotten with what they were about. */
export function flowTasks({ stores }: Pick<Deps, 'stores'>): readonly MaintenanceTask[] {
  return [
    {
      name: 'remove expired flows',
      everyMs: 60_000,
      run: (now, batchSize) => stores.flows.removeExpired(now, batchSize),
    },
  ]
}

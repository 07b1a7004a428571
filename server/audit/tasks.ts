import type { Deps } from '../deps.js'
import { partitionTask } from '../maintenance/partitions/task.js'
import type { MaintenanceTask } from '../maintenance/task.js'

/** Maintenance of audit rows: partitions are made for the months ahead, and never dropped. */
export const auditTasks = (deps: Pick<Deps, 'stores' | 'metrics'>): readonly MaintenanceTask[] => [
  partitionTask(deps, { table: 'audit_events', step: 'month', ahead: 2, writesAheadSeconds: 0 }),
]

import type { PartitionTaskOf } from '../maintenance/partitions/task.js'
import type { MaintenanceTask } from '../maintenance/task.js'

/** Maintenance of audit rows: makes the partitions of the next months, and never drops one. */
export const auditTasks = (partitionTask: PartitionTaskOf): readonly MaintenanceTask[] => [
  partitionTask({ table: 'audit_events', step: 'month', ahead: 2, writesAheadSeconds: 0 }),
]

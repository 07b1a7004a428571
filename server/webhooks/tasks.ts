import type { PartitionTaskOf } from '../maintenance/partitions/task.js'
import { DAY_SECONDS, type MaintenanceTask, secondsBefore } from '../maintenance/task.js'
import type { OutboxStore } from './outbox-store.js'

/** Days for which deliveries are kept. */
const KEPT_DAYS = 30

/** Dependencies of {@link webhookTasks}. */
export interface WebhookTasksPorts {
  readonly outbox: Pick<OutboxStore, 'removeOrphans'>
  readonly partitionTask: PartitionTaskOf
}

/** Maintenance of webhooks: partitions of deliveries, and waiting events of webhooks that were deleted or are off for a long time. */
export const webhookTasks = ({ outbox, partitionTask }: WebhookTasksPorts): readonly MaintenanceTask[] => [
  partitionTask({
    table: 'webhook_deliveries',
    step: { hours: 24 },
    ahead: 3,
    writesAheadSeconds: 0,
    droppable: async ({ until }, now) => until <= secondsBefore(now, KEPT_DAYS * DAY_SECONDS),
  }),
  {
    name: 'remove waiting events of deleted webhooks',
    everyMs: 600_000,
    run: async (now, batchSize) => {
      const count = await outbox.removeOrphans(secondsBefore(now, KEPT_DAYS * DAY_SECONDS), batchSize)
      return { count, more: count >= batchSize, lateSeconds: 0 }
    },
  },
]

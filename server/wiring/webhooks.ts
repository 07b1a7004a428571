import { afterCommit } from '../database/unit-of-work.js'
import { webhookTasks } from '../webhooks/tasks.js'
import { createWebhooks } from '../webhooks/webhooks.js'
import type { Platform } from './platform.js'

/** Creates the webhooks. The worker that delivers events belongs to the platform, because each transition wakes it. */
export function wireWebhooks(platform: Platform) {
  const { config, clock, newId, outbound, partitionTask, stores, delivery } = platform
  const webhooks = createWebhooks({
    store: stores.webhooks,
    deliveries: stores.webhookDeliveries,
    secrets: platform.webhookSecrets,
    outbound,
    config,
    clock,
    newId,
    onDue: () => afterCommit(delivery.activated),
  })
  const outbox = { tasks: webhookTasks({ outbox: stores.webhookOutbox, partitionTask }) }
  return { webhooks, outbox }
}

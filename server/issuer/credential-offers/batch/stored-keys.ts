import { createHmac } from 'node:crypto'
import type { MaintenanceTask } from '../../../maintenance/task.js'
import type { OfferBatchStore } from './store.js'

/**
 * Makes the function that returns the stored form of a caller's key for an offer. A key is often the reference of its offer, so only a
 * keyed hash of it is in the clear.
 */
export const storedKeys =
  (sealingKey: (label: string) => Uint8Array) =>
  (key: string): string =>
    createHmac('sha256', sealingKey('batch-key')).update(key).digest('base64url')

/** Dependencies of {@link hashKeysTask}. */
export interface HashKeysPorts {
  readonly store: Pick<OfferBatchStore, 'clearKeys' | 'hashKeys'>
  readonly sealingKey: (label: string) => Uint8Array
}

/**
 * The task that replaces keys in the clear, which versions before 0.2.0 stored. A repeated request finds its offers before and
 * afterwards.
 */
export function hashKeysTask({ store, sealingKey }: HashKeysPorts): MaintenanceTask {
  const storedKeyOf = storedKeys(sealingKey)
  return {
    name: 'hash keys of offers',
    everyMs: 60_000,
    async run(_, batchSize) {
      const clear = await store.clearKeys(batchSize)
      const count = await store.hashKeys(clear.map((each) => ({ ...each, hash: storedKeyOf(each.key) })))
      return { count, more: count > 0 && clear.length === batchSize, lateSeconds: 0 }
    },
  }
}

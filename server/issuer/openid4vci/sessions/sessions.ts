import type { Config } from '../../../config/config.js'
import { DAY_SECONDS, dueRows, type MaintenanceTask } from '../../../maintenance/task.js'
import type { Metrics } from '../../../metrics/metrics.js'
import type { OfferSessionStore } from './store.js'

/** Dependencies of {@link createOfferSessions}. */
export interface OfferSessionsPorts {
  readonly store: Pick<OfferSessionStore, 'expire' | 'removeEnded' | 'removeUnacknowledged'>
  readonly config: Pick<Config, 'sessionRetentionDays'>
  readonly metrics: Pick<Metrics, 'offerSession'>
}

export type OfferSessions = ReturnType<typeof createOfferSessions>

/** Sessions of credential offers: they expire, and are removed after the retention time. */
export function createOfferSessions({ store, config, metrics }: OfferSessionsPorts) {
  const seconds = config.sessionRetentionDays * DAY_SECONDS
  const tasks: readonly MaintenanceTask[] = [
    dueRows({
      name: 'expire credential offer sessions',
      everyMs: 1_000,
      batch: async (now, limit) => {
        const expired = await store.expire(now, limit)
        metrics.offerSession('expired', undefined, expired.count)
        return expired
      },
    }),
    dueRows({
      name: 'remove ended credential offer sessions',
      everyMs: 600_000,
      seconds,
      batch: store.removeEnded,
    }),
    dueRows({
      name: 'remove unacknowledged credential offer sessions',
      everyMs: 600_000,
      seconds,
      batch: store.removeUnacknowledged,
    }),
  ]
  return { tasks }
}

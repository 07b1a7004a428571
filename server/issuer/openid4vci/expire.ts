import type { Deps } from '../../deps.js'
import { DAY_SECONDS, dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import { CODE_SECONDS, NONCE_SECONDS } from './sealed.js'

/** The largest difference between the clocks of two processes of one installation. */
const CLOCK_SKEW_SECONDS = 300

/**
 * Maintenance of issuances. The row of a token also records that its code was used, and the row of a nonce that the
 * nonce was: rows are kept until that code or nonce has expired by itself.
 */
export function issuanceTasks({
  stores,
  config,
  metrics,
}: Pick<Deps, 'stores' | 'config' | 'metrics'>): readonly MaintenanceTask[] {
  const { authorizations, keys, openid4vci, offerSessions } = stores
  return [
    dueRows({
      name: 'expire credential offer sessions',
      everyMs: 1_000,
      batch: async (now, limit) => {
        const expired = await offerSessions.expire(now, limit)
        metrics.offerSession('expired', undefined, expired.count)
        return expired
      },
    }),
    dueRows({
      name: 'remove authorizations',
      everyMs: 60_000,
      seconds: 3_600,
      batch: authorizations.removeExpired,
    }),
    dueRows({
      name: 'remove access tokens',
      everyMs: 60_000,
      seconds: CODE_SECONDS + CLOCK_SKEW_SECONDS,
      batch: openid4vci.removeTokens,
    }),
    dueRows({
      name: 'remove used nonces',
      everyMs: 60_000,
      seconds: NONCE_SECONDS + CLOCK_SKEW_SECONDS,
      batch: openid4vci.removeNonces,
    }),
    dueRows({
      name: 'remove former keys of credential requests',
      everyMs: 600_000,
      seconds: DAY_SECONDS + CLOCK_SKEW_SECONDS,
      batch: keys.removeDecryption,
    }),
    dueRows({
      name: 'remove ended credential offer sessions',
      everyMs: 600_000,
      seconds: config.sessionRetentionDays * DAY_SECONDS,
      batch: offerSessions.removeEnded,
    }),
    dueRows({
      name: 'remove unacknowledged credential offer sessions',
      everyMs: 600_000,
      seconds: config.sessionRetentionDays * DAY_SECONDS,
      batch: offerSessions.removeUnacknowledged,
    }),
  ]
}

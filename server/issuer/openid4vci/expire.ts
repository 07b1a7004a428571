import type { Deps } from '../../deps.js'
import { DAY_SECONDS, type MaintenanceTask, secondsBefore } from '../../maintenance/job.js'
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
    {
      name: 'expire credential offer sessions',
      everyMs: 1_000,
      run: async (now, batchSize) => {
        const expired = await offerSessions.expire(now, batchSize)
        metrics.offerSession('expired', undefined, expired)
        return expired
      },
    },
    {
      name: 'remove authorizations',
      everyMs: 60_000,
      run: (now, batchSize) => authorizations.removeExpired(secondsBefore(now, 3_600), batchSize),
    },
    {
      name: 'remove access tokens',
      everyMs: 60_000,
      run: (now, batchSize) =>
        openid4vci.removeTokens(secondsBefore(now, CODE_SECONDS + CLOCK_SKEW_SECONDS), batchSize),
    },
    {
      name: 'remove used nonces',
      everyMs: 60_000,
      run: (now, batchSize) =>
        openid4vci.removeNonces(secondsBefore(now, NONCE_SECONDS + CLOCK_SKEW_SECONDS), batchSize),
    },
    {
      name: 'remove former keys of credential requests',
      everyMs: 600_000,
      run: (now, batchSize) => keys.removeDecryption(secondsBefore(now, DAY_SECONDS + CLOCK_SKEW_SECONDS), batchSize),
    },
    {
      name: 'remove ended credential offer sessions',
      everyMs: 600_000,
      run: (now, batchSize) =>
        offerSessions.removeEnded(secondsBefore(now, config.sessionRetentionDays * DAY_SECONDS), batchSize),
    },
  ]
}

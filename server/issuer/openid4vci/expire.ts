import type { Deps } from '../../deps.js'
import { partitionTask } from '../../maintenance/partitions/task.js'
import { CLOCK_SKEW_SECONDS, DAY_SECONDS, dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import { accessTokenSeconds } from './access-token.js'
import { CODE_SECONDS } from './sealed.js'
import { PROOF_ROW_SECONDS } from './used-once-store.js'

/**
 * Maintenance of issuances. The row of a nonce, a proof or a code says that it was used: it stays until what it stands for
 * has expired by itself, by the clock of every process.
 */
export function issuanceTasks(deps: Pick<Deps, 'stores' | 'config' | 'metrics'>): readonly MaintenanceTask[] {
  const { stores, config, metrics } = deps
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
    partitionTask(deps, {
      table: 'issuance_tokens',
      step: { hours: 4 },
      ahead: 2,
      writesAheadSeconds: accessTokenSeconds(true),
      droppable: async () => true,
    }),
    dueRows({
      name: 'remove access tokens',
      everyMs: 60_000,
      seconds: CLOCK_SKEW_SECONDS,
      batch: openid4vci.removeTokens,
    }),
    partitionTask(deps, {
      table: 'used_nonces',
      step: { hours: 1 },
      ahead: 24,
      writesAheadSeconds: Math.max(CODE_SECONDS, PROOF_ROW_SECONDS),
      droppable: async () => true,
    }),
    dueRows({
      name: 'remove used nonces',
      everyMs: 60_000,
      seconds: CLOCK_SKEW_SECONDS,
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

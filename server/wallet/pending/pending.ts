import type { Log } from '../../log/log.js'
import { dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import type { OnBehalf } from '../credentials/credentials.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { Deferral } from '../openid4vci/deferral.js'
import type { AskAgain } from './ask.js'
import type { DeferralContents } from './content.js'
import type { PendingIssuanceStore } from './store.js'
import { lastAsk, nextAsk } from './times.js'

/** Limit for the deferred issuances of one holder. */
const MAX_OF_A_HOLDER = 50
/** Issuers that are asked at the same time. */
const MAX_AT_ONCE = 10
/**
 * How long this process holds a row. This time is longer than a round can take. After a crash, other processes wait at
 * most this time.
 */
const HOLD_MS = 120_000

/** Dependencies of {@link createPendingIssuances}. */
export interface PendingIssuancesPorts {
  readonly store: Pick<PendingIssuanceStore, 'hold' | 'insert' | 'removeExpired'>
  readonly contents: Pick<DeferralContents, 'protect'>
  readonly askAgain: AskAgain
  readonly newId: () => string
  readonly clock: () => Date
  readonly log: Pick<Log, 'error'>
}

export type PendingIssuances = ReturnType<typeof createPendingIssuances>

/** Credentials that hosted wallets wait for because issuers deferred them (OpenID4VCI 1.0 §9). */
export function createPendingIssuances({ store, contents, askAgain, newId, clock, log }: PendingIssuancesPorts) {
  const askWhatIsDue: MaintenanceTask['run'] = async (now, batchSize) => {
    const limit = Math.min(batchSize, MAX_AT_ONCE)
    const due = await store.hold(now, new Date(now.getTime() + HOLD_MS), limit)
    const results = await Promise.allSettled(due.map(askAgain))
    for (const result of results) {
      if (result.status === 'rejected') log.error({ err: result.reason }, 'deferred credentials were not asked for')
    }
    // The issuer sets the interval in seconds, so no row is ever minutes late.
    return { count: due.length, more: due.length === limit, lateSeconds: 0 }
  }

  const tasks: readonly MaintenanceTask[] = [
    { name: 'ask for deferred credentials', everyMs: 5_000, elsewhere: true, run: askWhatIsDue },
    dueRows({ name: 'remove expired deferred credentials', everyMs: 60_000, batch: store.removeExpired }),
  ]

  return {
    /** Tasks that ask issuers for deferred credentials, and delete expired deferred credentials. */
    tasks,

    /**
     * Stores credentials that an issuer deferred. The maintenance job asks the issuer for these credentials.
     *
     * @throws WalletError if the holder already waits for the maximum number.
     */
    async waitFor({ holderId, actor }: OnBehalf, deferral: Deferral): Promise<void> {
      const id = newId()
      const now = clock()
      const keyIds = deferral.transactions.flatMap(({ keys }) => keys.flatMap(({ keyId }) => keyId ?? []))
      const row = {
        id,
        holderId,
        createdBy: actor,
        content: await contents.protect(id, deferral),
        keyIds: [...new Set(keyIds)],
        askAt: nextAsk(deferral, now, now),
        createdAt: now,
        expiresAt: lastAsk(deferral, now),
      }
      if (!(await store.insert(row, MAX_OF_A_HOLDER)))
        throw new WalletError('The wallet already waits for the maximum number of deferred credentials.')
    },
  }
}

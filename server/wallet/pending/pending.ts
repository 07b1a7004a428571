import type { Log } from '../../log/log.js'
import { dueRows, type MaintenanceTask } from '../../maintenance/task.js'
import type { OnBehalf } from '../credentials/credentials.js'
import { WalletError } from '../exchange/wallet-error.js'
import type { Deferral } from '../openid4vci/deferral.js'
import type { AskAgain } from './ask.js'
import type { DeferralContents } from './content.js'
import type { PendingIssuanceStore } from './store.js'
import { lastAsk, nextAsk } from './times.js'

/** For how many deferred issuances one holder may wait. */
const MAX_OF_A_HOLDER = 50
/** Issuers asked at once. */
const MAX_AT_ONCE = 10
/** For how long a row is this process's own: longer than a round can take, and soon enough after a crash. */
const HOLD_MS = 120_000

/** What {@link createPendingIssuances} is made of. */
export interface PendingIssuancesPorts {
  readonly store: Pick<PendingIssuanceStore, 'hold' | 'insert' | 'removeExpired'>
  readonly contents: Pick<DeferralContents, 'protect'>
  readonly askAgain: AskAgain
  readonly newId: () => string
  readonly clock: () => Date
  readonly log: Pick<Log, 'error'>
}

export type PendingIssuances = ReturnType<typeof createPendingIssuances>

/** What hosted wallets wait for, since issuers have deferred it (OpenID4VCI 1.0 §9). */
export function createPendingIssuances({ store, contents, askAgain, newId, clock, log }: PendingIssuancesPorts) {
  const askWhatIsDue: MaintenanceTask['run'] = async (now, batchSize) => {
    const limit = Math.min(batchSize, MAX_AT_ONCE)
    const due = await store.hold(now, new Date(now.getTime() + HOLD_MS), limit)
    const results = await Promise.allSettled(due.map(askAgain))
    for (const result of results) {
      if (result.status === 'rejected') log.error({ err: result.reason }, 'deferred credentials were not asked for')
    }
    // The issuer sets when to ask, in seconds: no row is ever late by minutes.
    return { count: due.length, more: due.length === limit, lateSeconds: 0 }
  }

  const tasks: readonly MaintenanceTask[] = [
    { name: 'ask for deferred credentials', everyMs: 5_000, elsewhere: true, run: askWhatIsDue },
    dueRows({ name: 'remove expired deferred credentials', everyMs: 60_000, batch: store.removeExpired }),
  ]

  return {
    /** Ask issuers for what they deferred, and forget what can no longer come. */
    tasks,

    /**
     * Stores what an issuer deferred, to be asked for by the maintenance job.
     *
     * @throws WalletError where the holder waits for too much already.
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
        throw new WalletError('The wallet waits for as many deferred credentials as it may.')
    },
  }
}

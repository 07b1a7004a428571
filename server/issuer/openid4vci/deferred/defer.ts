import { sha256 } from '../../../keys/secret-hash.js'
import type { Vault } from '../../../keys/vault.js'
import type { Metrics } from '../../../metrics/metrics.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import { offeredClaimsDueAt, type RetentionConfig } from '../../issuance/retention.js'
import { newAccessToken } from '../access-token.js'
import type { TokenContext } from '../tokens/store.js'
import { admissionOf, admittedAs, refusalError, type WantedCopies } from '../wallet-issuance.js'
import type { DeferredIssuanceStore } from './store.js'
import { protectKeys, waitingResponse } from './waiting.js'

/** Dependencies of {@link createDefer}. */
export interface DeferPorts {
  readonly store: Pick<DeferredIssuanceStore, 'insert'>
  readonly vault: Pick<Vault, 'protect'>
  readonly metrics: Pick<Metrics, 'offerSession'>
  readonly config: RetentionConfig
  readonly random: (length: number) => Uint8Array
}

/**
 * Defers a valid request of a wallet (OpenID4VCI 1.0 §8.3). The redemption is counted, nonces are marked as used, and the
 * proven keys are stored. This step signs nothing and allots no status index. A waiting wallet may request the
 * configuration again, for example after the wallet lost the answer. The wallet then gets a new transaction that
 * replaces the former transaction.
 *
 * @throws OAuthError with the code of §8.3.1.2 that fits.
 */
export type Defer = (token: TokenContext, wanted: WantedCopies, now: Date) => Promise<JsonObject>

export const createDefer =
  ({ store, vault, metrics, config, random }: DeferPorts): Defer =>
  async (token, wanted, now) => {
    const { session, authorizationExpiresAt } = token
    if (session === null || authorizationExpiresAt === null)
      throw new Error('A deferred offer must have a session, and each of its tokens must have an authorization.')
    const transactionId = newAccessToken(random)
    const transactionHash = sha256(transactionId)
    const keys = await protectKeys(vault, transactionHash, wanted.keys)
    // From now on, the session lasts as long as the wallet's authorization.
    const waiting = {
      ...session,
      deferred: 'pending' as const,
      seq: session.seq + 1,
      expiresAt: authorizationExpiresAt,
    }
    const claimsDueAt = offeredClaimsDueAt(token, config, authorizationExpiresAt)
    const admission = admissionOf(token, wanted, claimsDueAt, now)
    const outcome = await admittedAs(admission, (current) =>
      store.insert(current, { transactionHash, keys, statuses: wanted.statuses }, waiting),
    )
    if (outcome.kind !== 'deferred') throw refusalError(outcome, admission)
    if (outcome.isFirst) metrics.offerSession('deferred')
    return waitingResponse(transactionId)
  }

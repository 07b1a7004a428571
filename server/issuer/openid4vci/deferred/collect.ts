import type { z } from 'zod'
import { sha256 } from '../../../keys/secret-hash.js'
import type { Vault } from '../../../keys/vault.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { zDeferredCredentialRequest } from '../../../protocol/openid4vci/requests.js'
import type { Work } from '../../../protocol/work.js'
import type { ClaimsAtIssuance } from '../claims-at-issuance.js'
import { ENDED } from '../offer.js'
import type { Offered } from '../offered.js'
import { takeable } from '../requested-configurations.js'
import type { TokenContext } from '../tokens/store.js'
import type { WalletAccess } from '../wallet-access.js'
import { denied, unknownTransaction, type WalletIssuance } from '../wallet-issuance.js'
import type { DeferredIssuanceStore } from './store.js'
import { decisionOn, INTERVAL_SECONDS, openKeys, waitingResponse } from './waiting.js'

/** Dependencies of {@link createCollect}. */
export interface CollectPorts {
  readonly store: Pick<DeferredIssuanceStore, 'find' | 'mayAsk'>
  readonly vault: Pick<Vault, 'reveal'>
  readonly offered: Pick<Offered, 'configurations'>
  readonly otherConfiguration: WalletAccess['otherConfiguration']
  readonly issuance: WalletIssuance
  readonly claimsAtIssuance: ClaimsAtIssuance
  readonly clock: () => Date
}

/**
 * Issues the deferred credential of a waiting wallet after its approval (OpenID4VCI 1.0 §9). The credential is taken once. A
 * wallet that lost the answer sends its request to the credential endpoint again. That endpoint then issues without waiting.
 * If the claims come from a claims source, and the issuer has not decided, the source is asked again.
 *
 * @param work the budget for the check of the claims
 * @throws OAuthError `invalid_transaction_id`, or `credential_request_denied` if the request was rejected or the credential is
 *   no longer available.
 */
export type Collect = (
  token: TokenContext,
  request: z.output<typeof zDeferredCredentialRequest>,
  work: Work,
) => Promise<JsonObject>

export function createCollect({
  store,
  vault,
  offered,
  otherConfiguration,
  issuance,
  claimsAtIssuance,
  clock,
}: CollectPorts): Collect {
  /** The deferred issuance of a transaction id. The token must belong to the same authorization. */
  const waitingFor = async ({ authorizationId }: TokenContext, transactionHash: string) => {
    const found = authorizationId === null ? undefined : await store.find(transactionHash, authorizationId)
    if (found === undefined) throw unknownTransaction()
    return found
  }

  /** The claims of an undecided issuance from the claims source, which is asked once in each interval. */
  const claimsNow = async (token: TokenContext, transactionHash: string, configurationId: string, work: Work) => {
    if (!token.claimsAtIssuance) return 'later'
    const now = clock()
    const last = new Date(now.getTime() - INTERVAL_SECONDS * 1000)
    if (!(await store.mayAsk(transactionHash, last, now))) return 'later'
    return claimsAtIssuance(token, configurationId, work)
  }

  return async (token, { transaction_id: transactionId }, work) => {
    const transactionHash = sha256(transactionId)
    const { configurationId, keys, statuses } = await waitingFor(token, transactionHash)
    // A refreshed token may cover fewer configurations than the token of the request (§9).
    if (!takeable(token, offered.configurations(token)).includes(configurationId)) throw otherConfiguration()
    const standing = decisionOn(token)
    if (standing === 'rejected') throw denied('The issuer has rejected the request.')
    if (standing === 'ended') throw denied(ENDED)
    issuance.assertIssuable(token)
    const claims =
      standing === 'pending' ? await claimsNow(token, transactionHash, configurationId, work) : token.credentialSubject
    if (claims === 'later') return waitingResponse(transactionId)
    const awaited = {
      configurationId,
      keys: await openKeys(vault, transactionHash, keys),
      nonces: [],
      statuses: statuses ?? [],
      transactionHash,
    }
    return issuance.issueCopies({ ...token, credentialSubject: claims }, awaited, clock())
  }
}

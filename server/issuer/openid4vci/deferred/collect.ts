import type { z } from 'zod'
import { sha256 } from '../../../keys/secret-hash.js'
import type { Vault } from '../../../keys/vault.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { zDeferredCredentialRequest } from '../../../protocol/openid4vci/requests.js'
import { ENDED } from '../offer.js'
import type { Offered } from '../offered.js'
import { takeable } from '../requested-configurations.js'
import type { TokenContext } from '../tokens/store.js'
import type { WalletAccess } from '../wallet-access.js'
import { denied, unknownTransaction, type WalletIssuance } from '../wallet-issuance.js'
import type { DeferredIssuanceStore } from './store.js'
import { decisionOn, openKeys, waitingResponse } from './waiting.js'

/** Dependencies of {@link createCollect}. */
export interface CollectPorts {
  readonly store: Pick<DeferredIssuanceStore, 'find'>
  readonly vault: Pick<Vault, 'reveal'>
  readonly offered: Pick<Offered, 'configurations'>
  readonly otherConfiguration: WalletAccess['otherConfiguration']
  readonly issuance: WalletIssuance
  readonly clock: () => Date
}

/**
 * Issues the deferred credential of a waiting wallet after its approval (OpenID4VCI 1.0 §9). The credential is taken once. A
 * wallet that lost the answer sends its request to the credential endpoint again. That endpoint then issues without waiting.
 *
 * @throws OAuthError `invalid_transaction_id`, or `credential_request_denied` if the request was rejected or the credential is
 *   no longer available.
 */
export type Collect = (token: TokenContext, request: z.output<typeof zDeferredCredentialRequest>) => Promise<JsonObject>

export function createCollect({ store, vault, offered, otherConfiguration, issuance, clock }: CollectPorts): Collect {
  /** The deferred issuance of a transaction id. The token must belong to the same authorization. */
  const waitingFor = async ({ authorizationId }: TokenContext, transactionHash: string) => {
    const found = authorizationId === null ? undefined : await store.find(transactionHash, authorizationId)
    if (found === undefined) throw unknownTransaction()
    return found
  }

  return async (token, { transaction_id: transactionId }) => {
    const transactionHash = sha256(transactionId)
    const { configurationId, keys } = await waitingFor(token, transactionHash)
    // A refreshed token may cover fewer configurations than the token of the request (§9).
    if (!takeable(token, offered.configurations(token)).includes(configurationId)) throw otherConfiguration()
    const standing = decisionOn(token)
    if (standing === 'rejected') throw denied('The issuer has rejected the request.')
    if (standing === 'ended') throw denied(ENDED)
    issuance.assertIssuable(token)
    if (standing === 'pending') return waitingResponse(transactionId)
    const awaited = {
      configurationId,
      keys: await openKeys(vault, transactionHash, keys),
      nonces: [],
      transactionHash,
    }
    return issuance.issueCopies(token, awaited, clock())
  }
}

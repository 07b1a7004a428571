import type { z } from 'zod'
import type { Deps } from '../../../deps.js'
import { sha256 } from '../../../keys/secret-hash.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { zDeferredCredentialRequest } from '../../../protocol/openid4vci/requests.js'
import { ENDED, offeredConfigurations } from '../offer.js'
import { OTHER_CONFIGURATION } from '../refusals.js'
import { takeable } from '../requested-configurations.js'
import type { TokenContext } from '../tokens/store.js'
import { authorizationError } from '../wallet-access.js'
import { assertIssuable, denied, issueCopies, unknownTransaction } from '../wallet-issuance.js'
import { decisionOn } from './decision.js'
import { openKeys, waitingResponse } from './waiting.js'

/** What a transaction id stands for, under the authorization that it was given under. */
async function waitingFor(deps: Pick<Deps, 'stores'>, token: TokenContext, transactionHash: string) {
  const { authorizationId } = token
  const found =
    authorizationId === null ? undefined : await deps.stores.deferredIssuances.find(transactionHash, authorizationId)
  if (found === undefined) throw unknownTransaction()
  return found
}

/**
 * Issues what a wallet waits for, once it was approved (OpenID4VCI 1.0 §9). It is taken once. A wallet that lost the answer asks
 * the credential endpoint again, which then defers no more.
 *
 * @throws OAuthError `invalid_transaction_id`, or `credential_request_denied` once it was rejected or cannot be had any more.
 */
export async function collectDeferred(
  deps: Deps,
  token: TokenContext,
  request: z.output<typeof zDeferredCredentialRequest>,
): Promise<JsonObject> {
  const { transaction_id: transactionId } = request
  const transactionHash = sha256(transactionId)
  const { configurationId, keys } = await waitingFor(deps, token, transactionHash)
  // A refreshed token may be good for less than that of the request (§9).
  if (!takeable(token, offeredConfigurations(deps, token)).includes(configurationId))
    throw authorizationError(deps.config, 'insufficient_scope', OTHER_CONFIGURATION)
  const standing = decisionOn(token)
  if (standing === 'rejected') throw denied('The issuer has rejected the request.')
  if (standing === 'ended') throw denied(ENDED)
  assertIssuable(deps, token)
  if (standing === 'pending') return waitingResponse(transactionId)
  const issuance = {
    configurationId,
    keys: await openKeys(deps, transactionHash, keys),
    nonces: [],
    transactionHash,
  }
  return issueCopies(deps, token, issuance, deps.clock())
}

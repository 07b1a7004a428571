import type { Deps } from '../../deps.js'
import { CredentialError } from '../../protocol/credential/verification.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { ProvenKey } from '../../protocol/openid4vci/key-proof.js'
import { requestedProofs } from '../../protocol/openid4vci/proofs.js'
import type { CredentialRequest } from '../../protocol/openid4vci/requests.js'
import type { Work } from '../../protocol/work.js'
import { issuabilityOf, parseConfigurationId } from '../issuance/configurations.js'
import { decisionOn } from './deferred/decision.js'
import { defer } from './deferred/defer.js'
import { closedReason, ENDED, offeredConfigurations } from './offer.js'
import { publishedFormats } from './profiles/profiles.js'
import { provenKeys } from './proven-keys.js'
import { OTHER_CONFIGURATION } from './refusals.js'
import { takeable } from './requested-configurations.js'
import type { TokenContext } from './tokens/store.js'
import { authorizationError } from './wallet-access.js'
import { assertIssuable, denied, issueCopies } from './wallet-issuance.js'

async function isKnownConfiguration(deps: Pick<Deps, 'config' | 'formats' | 'stores'>, id: string): Promise<boolean> {
  const configuration = parseConfigurationId(deps.formats, id)
  if (configuration === undefined || !publishedFormats(deps).includes(configuration.format)) return false
  const context = await deps.stores.issuance.context(configuration.name, undefined, undefined)
  return context !== undefined && configuration.format.issuing.lacks(issuabilityOf(context)) === undefined
}

/** §8.2: one of both names what is asked for; an identifier counts only where the token response gave it. */
async function requestedConfiguration(deps: Deps, token: TokenContext, request: CredentialRequest): Promise<string> {
  const { credential_identifier: identifier, credential_configuration_id: id } = request
  if (identifier !== undefined) {
    if (token.detailed.includes(identifier)) return identifier
    throw new OAuthError(
      'unknown_credential_identifier',
      'The credential_identifier was not given with this access token.',
    )
  }
  const allowed = takeable(token, offeredConfigurations(deps, token))
  if (id !== undefined && allowed.includes(id)) return id
  // §8.3.1.1: a token that does not enable the issuance of a credential that there is, is an authorization error.
  if (id !== undefined && (await isKnownConfiguration(deps, id)))
    throw authorizationError(deps.config, 'insufficient_scope', OTHER_CONFIGURATION)
  throw new OAuthError('unknown_credential_configuration', 'The credential_configuration_id is not known.')
}

/** @throws OAuthError `invalid_proof` for a key that the format cannot hold. */
async function assertHolderKeys(
  { formats }: Pick<Deps, 'formats'>,
  configurationId: string,
  keys: readonly ProvenKey[],
): Promise<void> {
  const issuing = parseConfigurationId(formats, configurationId)?.format.issuing
  try {
    for (const { jwk } of keys) await issuing?.checkHolderKey?.(jwk)
  } catch (thrown) {
    if (!(thrown instanceof CredentialError)) throw thrown
    throw new OAuthError('invalid_proof', thrown.message)
  }
}

/** What the offer refuses whatever the wallet proves. */
function assertOpen(deps: Pick<Deps, 'config'>, token: TokenContext, now: Date): void {
  assertIssuable(deps, token)
  // The redemption counts with the first issuance. A further configuration belongs to it, unless the session failed.
  const reason = token.counted ? undefined : closedReason(token, now)
  if (reason !== undefined) throw denied(reason)
  const hasEnded = token.session?.state === 'Error' || (token.deferred && decisionOn(token) === 'ended')
  if (hasEnded) throw denied(ENDED)
}

/**
 * Issues what a wallet asks for (OpenID4VCI 1.0 §8): the credentials, one for each key proof, and a notification id. Of a
 * deferred offer it has to wait until somebody has decided (§8.3, §9).
 *
 * @throws OAuthError with the code of §8.3.1.2 that fits.
 */
export async function issueToWallet(
  deps: Deps,
  token: TokenContext,
  request: CredentialRequest,
  work: Work,
): Promise<JsonObject> {
  const now = deps.clock()
  const configurationId = await requestedConfiguration(deps, token, request)
  assertOpen(deps, token, now)
  const { keys, nonces } = await provenKeys(deps, token, requestedProofs(request), { now, work })
  await assertHolderKeys(deps, configurationId, keys)
  const issuance = { configurationId, keys, nonces, transactionHash: null }
  const waits = token.deferred && decisionOn(token) === 'pending'
  return waits ? defer(deps, token, issuance, now) : issueCopies(deps, token, issuance, now)
}

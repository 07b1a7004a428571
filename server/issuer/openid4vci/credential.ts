import type { Deps } from '../../deps.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import type { ProvenKey } from '../../protocol/openid4vci/key-proof.js'
import { requestedProofs } from '../../protocol/openid4vci/proofs.js'
import type { CredentialRequest } from '../../protocol/openid4vci/requests.js'
import { parseConfigurationId } from '../issuance/configurations.js'
import { type Admission, INSTANCES_A_DAY, type Refusal } from './admission/store.js'
import { isHaip } from './haip.js'
import { CLOSED, closedReason, offeredConfigurations } from './offer.js'
import { publishedFormats } from './profiles/profiles.js'
import { provenKeys } from './proven-keys.js'
import { takeable } from './requested-configurations.js'
import { NONCE_SECONDS } from './sealed.js'
import { moved } from './sessions/session.js'
import type { NewRecord, TokenContext } from './store.js'
import { authorizationError } from './wallet-access.js'
import { signCopies, type WalletCopies } from './wallet-copies.js'

const denied = (description: string) => new OAuthError('credential_request_denied', description)

const NO_LONGER_GOOD = 'What was taken under this access token is no longer good.'
const TAKEN = 'The configuration has been taken already under this access token.'

async function isKnownConfiguration(deps: Pick<Deps, 'config' | 'formats' | 'stores'>, id: string): Promise<boolean> {
  const configuration = parseConfigurationId(deps.formats, id)
  if (configuration === undefined || !publishedFormats(deps).includes(configuration.format)) return false
  return (await deps.stores.schemas.active(configuration.name)) !== undefined
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
    throw authorizationError(deps.config, 'insufficient_scope', 'The access token is not good for that configuration.')
  throw new OAuthError('unknown_credential_configuration', 'The credential_configuration_id is not known.')
}

/** What the offer refuses whatever the wallet proves. */
function assertOpen(deps: Pick<Deps, 'config'>, token: TokenContext, configurationId: string, now: Date): void {
  if (token.authorizationId === null && token.taken.includes(configurationId)) throw denied(TAKEN)
  if (token.credentialGood === false) throw denied(NO_LONGER_GOOD)
  if (token.x5c === null && isHaip(deps, token)) throw denied('The issuer has no certificate (HAIP).')
  // The redemption counts with the first issuance. A further configuration belongs to it, unless the session failed.
  const reason = token.credentialId === null ? closedReason(token, now) : undefined
  if (reason !== undefined) throw denied(reason)
  if (token.session?.state === 'Error') throw denied('The credential offer has ended.')
}

const MANY = `An authorization gives at most ${INSTANCES_A_DAY} instances a day.`

const REFUSALS: Readonly<Record<Refusal['kind'], (admission: Admission) => OAuthError>> = {
  'nonce-used': () => new OAuthError('invalid_nonce', 'The nonce of the proof has been used already.'),
  'already-taken': ({ authorizationId }) => denied(authorizationId === null ? TAKEN : MANY),
  refused: ({ earlierId }) => denied(earlierId === null ? CLOSED : NO_LONGER_GOOD),
  overtaken: () => denied(NO_LONGER_GOOD),
}

/**
 * Issues what was signed; where another request under the token was first, as part of what that one took. What is refused
 * keeps no status index.
 */
async function issue(
  deps: Pick<Deps, 'stores'>,
  admission: Admission,
  record: NewRecord,
  { taken }: WalletCopies,
): Promise<string> {
  const { openid4vci } = deps.stores
  const first = await openid4vci.issue(admission, record)
  const last =
    first.kind === 'overtaken' ? await openid4vci.issue({ ...admission, earlierId: first.credentialId }, record) : first
  if (last.kind === 'issued') return last.credentialId
  taken.giveBack()
  throw REFUSALS[last.kind](admission)
}

function admissionOf(
  token: TokenContext,
  configurationId: string,
  keys: readonly ProvenKey[],
  nonceHashes: readonly string[],
  now: Date,
): Admission {
  return {
    tokenHash: token.tokenHash,
    offeringId: token.offeringId,
    hasSession: token.session !== null,
    configurationId,
    earlierId: token.credentialId,
    authorizationId: token.authorizationId,
    instances: keys.length,
    nonceHashes,
    nonceExpiresAt: new Date(now.getTime() + NONCE_SECONDS * 1000),
    now,
  }
}

function recordOf(
  deps: Pick<Deps, 'newId'>,
  token: TokenContext,
  keys: readonly ProvenKey[],
  credentialId: string,
  copies: WalletCopies,
): NewRecord {
  const { session } = token
  return {
    credentialId,
    redemptionId: deps.newId(),
    schemaId: token.id,
    issuerId: token.issuerId,
    holderDid: token.recipient ?? keys[0]?.did ?? null,
    vc: copies.vc,
    vcIsSigned: copies.instances[0]?.vc !== undefined,
    instances: copies.instances.map(({ instance }) => instance),
    session: session === null ? null : moved(session, 'CredentialIssued'),
  }
}

/** §8.3 */
const responseOf = ({ instances }: WalletCopies, notificationId: string) => ({
  credentials: instances.map(({ compact }) => ({ credential: compact })),
  notification_id: notificationId,
})

/**
 * Issues what a wallet asks for (OpenID4VCI 1.0 §8): the credentials, one for each key proof, and a notification id.
 *
 * @throws OAuthError with the code of §8.3.1.2 that fits.
 */
export async function issueToWallet(deps: Deps, token: TokenContext, request: CredentialRequest) {
  const now = deps.clock()
  const configurationId = await requestedConfiguration(deps, token, request)
  assertOpen(deps, token, configurationId, now)
  const { keys, nonceHashes } = await provenKeys(deps, token, requestedProofs(request), now)
  const recordId = token.credentialId ?? deps.newId()
  const copies = await signCopies(deps, token, configurationId, keys, recordId, now)
  const admission = admissionOf(token, configurationId, keys, nonceHashes, now)
  const credentialId = await issue(deps, admission, recordOf(deps, token, keys, recordId, copies), copies)
  if (admission.hasSession && admission.earlierId === null) deps.metrics.offerSession('issued')
  return responseOf(copies, deps.seals.notificationId(token.offeringId, credentialId))
}

import type { Deps } from '../../deps.js'
import { findVerificationMethod, onlyVerificationMethod } from '../../protocol/did/did-document.js'
import { didOf } from '../../protocol/did/did-url.js'
import { SIGNATURE_ALGORITHMS } from '../../protocol/jose/algorithms.js'
import { type Jwk, thumbprint } from '../../protocol/jose/jws.js'
import { OAuthError } from '../../protocol/oauth/error.js'
import { type ProvenKey, verifyKeyProof } from '../../protocol/openid4vci/key-proof.js'
import { BATCH_SIZE, type CredentialRequest } from '../../protocol/openid4vci/requests.js'
import { parseConfigurationId } from '../issuance/configurations.js'
import { type Binding, type SignedInstance, signInstance } from '../issuance/sign.js'
import { credentialView } from '../issuance/view.js'
import { sha256 } from './access-token.js'
import { closedReason, offeredConfigurations } from './offer.js'
import { NONCE_VALIDITY_MS } from './sealed.js'
import { canMove, moved } from './session.js'
import type { IssuanceOutcome, TokenContext } from './store.js'

/** Times in a wallet's copies are rounded down to it, so that they do not link the copies of a batch to their moment. */
const ROUNDED_TO_MS = 60 * 60 * 1000

const denied = (description: string) => new OAuthError('credential_request_denied', description)

/** §8.2: one of both names what is asked for; an identifier counts only where the token response gave it. */
function requestedConfiguration(token: TokenContext, request: CredentialRequest): string {
  const { credential_identifier: identifier, credential_configuration_id: id } = request
  if (identifier !== undefined) {
    if (token.granted.includes(identifier)) return identifier
    throw new OAuthError(
      'unknown_credential_identifier',
      'The credential_identifier was not given with this access token.',
    )
  }
  const allowed = token.granted.length === 0 ? offeredConfigurations(token) : token.granted
  if (id !== undefined && allowed.includes(id)) return id
  throw new OAuthError(
    'unknown_credential_configuration',
    'The credential_configuration_id is not offered under this access token.',
  )
}

/** What the offer refuses whatever the wallet proves. */
function assertOpen(token: TokenContext, configurationId: string, now: Date): void {
  if (token.taken.includes(configurationId))
    throw denied(`${configurationId} has been taken already under this access token.`)
  if (token.credentialGood === false) throw denied('What was taken under this access token is no longer good.')
  // The redemption counts with the first issuance; a further configuration belongs to it.
  const reason = token.credentialId === null ? closedReason(token, now) : undefined
  if (reason !== undefined) throw denied(reason)
}

function proofsOf(request: CredentialRequest): readonly string[] {
  const proofs = request.proofs?.jwt
  if (proofs === undefined) throw new OAuthError('invalid_proof', 'Key proofs of type jwt are needed in proofs.')
  if (proofs.length > BATCH_SIZE)
    throw new OAuthError('invalid_proof', `At most ${BATCH_SIZE} key proofs are taken at once.`)
  return proofs.map((proof) => {
    if (typeof proof !== 'string') throw new OAuthError('invalid_proof', 'A key proof of type jwt is a string.')
    return proof
  })
}

async function resolveKey(deps: Deps, kid: string): Promise<Jwk> {
  const document = await deps.resolver.resolve(didOf(kid) ?? kid)
  const method = findVerificationMethod(document, kid, 'authentication')
  if (method === undefined) throw new Error('the DID does not list it for authentication.')
  return method.jwk
}

async function provenKeys(deps: Deps, request: CredentialRequest, now: Date): Promise<ProvenKey[]> {
  const options = {
    audience: deps.config.issuerBaseUrl,
    now,
    algorithms: SIGNATURE_ALGORITHMS,
    nonceIssuedAt: deps.seals.nonceIssuedAt,
    resolveKey: (kid: string) => resolveKey(deps, kid),
  }
  const keys = await Promise.all(proofsOf(request).map((proof) => verifyKeyProof(proof, options)))
  if (new Set(keys.map(({ jwk }) => thumbprint(jwk))).size < keys.length) {
    throw new OAuthError('invalid_proof', 'Each key proof of a batch must be made with a key of its own.')
  }
  return keys
}

/** A recipient-bound offering is released only to keys of that DID. */
async function assertRecipient(deps: Deps, recipient: string | null, keys: readonly ProvenKey[]): Promise<void> {
  if (recipient === null) return
  const bare = keys.filter((key) => key.did !== recipient)
  if (bare.length === 0) return
  const refusal = denied('The offer is for another recipient: prove a key of the DID that it is bound to.')
  if (bare.some((key) => key.namedByDid)) throw refusal
  const own = await recipientKey(deps, recipient)
  if (own === undefined || bare.some((key) => thumbprint(key.jwk) !== own)) throw refusal
}

async function recipientKey(deps: Deps, recipient: string): Promise<string | undefined> {
  try {
    const method = onlyVerificationMethod(await deps.resolver.resolve(recipient), 'authentication')
    return method === undefined ? undefined : thumbprint(method.jwk)
  } catch (thrown) {
    deps.log.warn(
      { reason: thrown instanceof Error ? thrown.message : String(thrown) },
      'recipient DID cannot be resolved',
    )
    return undefined
  }
}

/**
 * A JWT VC is bound by the DID of its subject (with `cnf` too where that is another), an SD-JWT VC by `cnf`. Who the
 * offering says the subject is, stays the subject.
 */
function bindingOf(token: TokenContext, key: ProvenKey, sdJwt: boolean): Binding {
  const subjectId =
    token.recipient ?? (typeof token.credentialSubject.id === 'string' ? token.credentialSubject.id : undefined)
  if (sdJwt) return { subjectId: subjectId ?? (key.namedByDid ? key.did : undefined), holderKey: key.jwk }
  return { subjectId: subjectId ?? key.did, holderKey: subjectId === undefined && key.namedByDid ? undefined : key.jwk }
}

interface Signed {
  readonly instances: readonly SignedInstance[]
  readonly vc: unknown
}

/** One instance for each proven key. Batch copies share no salt, no id and no neighbouring status index. */
async function signAll(
  deps: Deps,
  token: TokenContext,
  configurationId: string,
  keys: readonly ProvenKey[],
  now: Date,
): Promise<Signed> {
  const configuration = parseConfigurationId(configurationId)
  if (configuration === undefined)
    throw new OAuthError('unknown_credential_configuration', 'The configuration is not known.')
  const { format } = configuration
  const issuedAt = new Date(Math.floor(now.getTime() / ROUNDED_TO_MS) * ROUNDED_TO_MS)
  const statuses = await deps.allotment.allot(token.issuerId, token.keyId, keys.length)
  const requests = keys.flatMap((key, position) => {
    const status = statuses[position]
    const binding = bindingOf(token, key, format === 'dc+sd-jwt')
    return status === undefined
      ? []
      : [{ context: token, subject: token.credentialSubject, format, binding, id: deps.newId(), status, issuedAt }]
  })
  const instances = await Promise.all(requests.map((request) => signInstance(deps, request)))
  const [request] = requests
  const [first] = instances
  if (request === undefined || first === undefined) throw new Error('Nothing was signed.')
  return { instances, vc: credentialView(deps.config, request, request.id, first, issuedAt) }
}

const REFUSALS: Readonly<Record<Exclude<IssuanceOutcome, 'issued'>, () => OAuthError>> = {
  'nonce-used': () => new OAuthError('invalid_nonce', 'The nonce of the proof has been used already.'),
  'already-taken': () => denied('The configuration has been taken already under this access token.'),
  refused: () => denied('The credential offer has been used up or has expired.'),
}

/**
 * Issues what a wallet asks for (OpenID4VCI 1.0 §8): the credentials, one for each key proof, and a notification id.
 *
 * @throws OAuthError with the code of §8.3.1.2 that fits.
 */
export async function issueToWallet(deps: Deps, token: TokenContext, request: CredentialRequest) {
  const now = deps.clock()
  const configurationId = requestedConfiguration(token, request)
  assertOpen(token, configurationId, now)
  const keys = await provenKeys(deps, request, now)
  await assertRecipient(deps, token.recipient, keys)
  const { instances, vc } = await signAll(deps, token, configurationId, keys, now)
  const [holder] = keys
  if (holder === undefined) throw new OAuthError('invalid_proof', 'proofs holds no key proof.')
  const { session } = token
  const credentialId = deps.newId()
  const outcome = await deps.stores.issuing.issue({
    tokenHash: token.tokenHash,
    offeringId: token.offeringId,
    configurationId,
    credentialId,
    redemptionId: deps.newId(),
    schemaId: token.id,
    issuerId: token.issuerId,
    holderDid: token.recipient ?? holder.did,
    vc,
    vcIsSigned: instances[0]?.vc !== undefined,
    nonceHashes: [...new Set(keys.map(({ nonce }) => sha256(nonce)))],
    nonceExpiresAt: new Date(now.getTime() + NONCE_VALIDITY_MS),
    instances: instances.map(({ instance }) => instance),
    now,
    session: session !== null && canMove(session.state, 'CredentialIssued') ? moved(session, 'CredentialIssued') : null,
  })
  if (outcome !== 'issued') throw REFUSALS[outcome]()
  return {
    credentials: instances.map(({ compact }) => ({ credential: compact })),
    notification_id: deps.seals.notificationId(token.offeringId, token.credentialId ?? credentialId),
  }
}

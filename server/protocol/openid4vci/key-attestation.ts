import { SIGNATURE_ALGORITHMS } from '../jose/algorithms.js'
import { type Jwk, JwsError, readPublicJwk, requireSignatureKey, thumbprint } from '../jose/jws.js'
import { verificationKey } from '../jose/verification-key.js'
import type { JsonObject } from '../json/json-object.js'
import { OAuthError } from '../oauth/error.js'
import { assertSigned, assertTimes, decoded, numberOf } from './attestation-jwt.js'
import { type AttestationStatus, attestationStatuses } from './attestation-statuses.js'
import { AttestationError, type AttestationTrust, type Attester, attesterOf } from './attester.js'
import { BATCH_SIZE } from './proofs.js'

/**
 * Algorithms that a key attestation may be signed with. An attestation in the header of a `jwt` proof may use only the algorithms
 * that the metadata list for this proof type (Appendix F.1).
 */
export const KEY_ATTESTATION_ALGORITHMS = SIGNATURE_ALGORITHMS

/**
 * Required properties of attested keys (OpenID4VCI 1.0 Appendix D.2). For each member, an attestation must have one of
 * the listed values. An empty requirement accepts any attestation.
 */
export interface KeyAttestationRequirement {
  readonly keyStorage?: readonly string[] | undefined
  readonly userAuthentication?: readonly string[] | undefined
}

export interface KeyAttestationOptions {
  readonly trust: AttestationTrust
  /** Accepted values of `typ`. */
  readonly types: readonly string[]
  readonly now: Date
  /** Returns the time when a `c_nonce` was made. Undefined if the nonce is not from this service or has expired. */
  readonly nonceIssuedAt: (nonce: string) => Date | undefined
  /** Whether the attestation is in the header of a `jwt` proof. Such an attestation needs an `exp`. */
  readonly inProof: boolean
  /** The key attestations that the credential type requires; null if it requires none. */
  readonly required: KeyAttestationRequirement | null
  /** Whether the attestation must contain the certificates of its key (HAIP 1.0 §4.5.1). */
  readonly certified: boolean
}

/** Keys that the wallet's provider or the wallet's key storage attests. */
export interface KeyAttestation {
  /** `attested_keys`: at least one key, at most as many keys as a batch has credentials, all different. */
  readonly keys: readonly [Jwk, ...Jwk[]]
  /** The attestation's `c_nonce`, which is valid once: the caller stores it as used. */
  readonly nonce: string
  /** Its positions in status lists, for the caller to check. */
  readonly statuses: readonly AttestationStatus[]
  /** The signer of the attestation, for the check of `statuses`. */
  readonly attester: Attester
}

/** `typ` (Appendix D.1). */
export const KEY_ATTESTATION_TYPE = 'key-attestation+jwt'

const WHAT = 'key attestation'
/** Room for a batch of RSA keys and a chain of certificates. */
const MAX_LENGTH = 32_768

function attestedKey(value: unknown): Jwk {
  const jwk = readPublicJwk(value)
  if (jwk === undefined) throw new AttestationError(`The ${WHAT} has a key that is not a supported public key.`)
  try {
    // An attested key needs no test signature: the attestation shows that the key can sign.
    requireSignatureKey(jwk)
    verificationKey(jwk)
  } catch (cause) {
    if (cause instanceof JwsError)
      throw new AttestationError(`The ${WHAT} has a key that cannot be used: ${cause.message}`, { cause })
    throw cause
  }
  return jwk
}

function attestedKeys({ attested_keys: values }: JsonObject): KeyAttestation['keys'] {
  if (!Array.isArray(values) || values.length > BATCH_SIZE)
    throw new AttestationError(`The ${WHAT} must have 1 to ${BATCH_SIZE} attested_keys.`)
  const [first, ...others] = values.map(attestedKey)
  if (first === undefined) throw new AttestationError(`The ${WHAT} must have 1 to ${BATCH_SIZE} attested_keys.`)
  const keys = [first, ...others] as const
  if (new Set(keys.map(thumbprint)).size < keys.length)
    throw new AttestationError(`The ${WHAT} has a key more than once.`)
  return [...keys]
}

/** Whether the claim has one of the accepted values (Appendix D.1: if present, it is a non-empty array of strings). */
function assertAccepted(payload: JsonObject, name: string, accepted: readonly string[] | undefined): void {
  const values = payload[name]
  const listed = Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string')
  if (values !== undefined && !listed)
    throw new AttestationError(`The ${name} of the ${WHAT} must be a non-empty array of strings.`)
  if (accepted === undefined || (listed && accepted.some((value) => values.includes(value)))) return
  throw new AttestationError(`The ${name} of the ${WHAT} is none of those that the credential needs.`)
}

function assertClaims(payload: JsonObject, { now, inProof, required }: KeyAttestationOptions): void {
  numberOf(payload.iat, 'iat', WHAT)
  if (inProof && payload.exp === undefined) throw new AttestationError(`The ${WHAT} has no exp.`)
  assertTimes(payload, WHAT, now)
  assertAccepted(payload, 'key_storage', required?.keyStorage)
  assertAccepted(payload, 'user_authentication', required?.userAuthentication)
}

function nonceOf({ nonce }: JsonObject, { nonceIssuedAt }: KeyAttestationOptions): string {
  if (typeof nonce !== 'string')
    throw new AttestationError(`The ${WHAT} has no nonce: get one from the nonce endpoint.`)
  if (nonceIssuedAt(nonce) === undefined)
    throw new OAuthError('invalid_nonce', `The nonce of the ${WHAT} is unknown or has expired.`)
  return nonce
}

function verified(attestation: string, options: KeyAttestationOptions): KeyAttestation {
  const jwt = decoded(attestation, WHAT, MAX_LENGTH)
  const { header, payload } = jwt
  if (!options.types.some((type) => type === header.typ))
    throw new AttestationError(`The typ of the ${WHAT} must be ${KEY_ATTESTATION_TYPE}.`)
  if (options.certified && header.x5c === undefined)
    throw new AttestationError(`The ${WHAT} must have its certificates in x5c (HAIP).`)
  const nonce = nonceOf(payload, options)
  const attester = attesterOf(header, payload, options.trust, options.now, WHAT)
  assertSigned(jwt, attester.jwk, WHAT, KEY_ATTESTATION_ALGORITHMS)
  assertClaims(payload, options)
  return { keys: attestedKeys(payload), nonce, statuses: attestationStatuses(payload, WHAT), attester }
}

/**
 * Verifies a key attestation in JWT format (OpenID4VCI 1.0 Appendix D.1, F.3). The caller checks its `statuses`, and
 * whether the attestation's nonce was used before.
 *
 * @throws OAuthError `invalid_proof` or `invalid_nonce` with a sentence about the first check that fails.
 */
export function verifyKeyAttestation(attestation: string, options: KeyAttestationOptions): KeyAttestation {
  try {
    return verified(attestation, options)
  } catch (cause) {
    if (cause instanceof AttestationError) throw new OAuthError('invalid_proof', cause.message, { cause })
    throw cause
  }
}

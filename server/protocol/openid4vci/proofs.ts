import { isObject } from '../json/json-object.js'
import { OAuthError } from '../oauth/error.js'
import type { CredentialRequest } from './requests.js'

/** Maximum of key proofs in one credential request: `batch_credential_issuance.batch_size` (OpenID4VCI 1.0 §12.2.4). */
export const BATCH_SIZE = 20

/** The key proofs of a request (OpenID4VCI 1.0 Appendix F). */
export interface RequestedProofs {
  /** `attestation`: the only JWT is a key attestation. */
  readonly type: 'jwt' | 'attestation'
  readonly jwts: readonly string[]
}

const invalidProof = (description: string) => new OAuthError('invalid_proof', description)

function jwtOf(value: unknown): string {
  if (typeof value !== 'string') throw invalidProof('A key proof of type jwt is a string.')
  return value
}

/** Appendix F.1 */
function keyProofsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) throw invalidProof('proofs.jwt must be a non-empty array of JWTs.')
  if (value.length > BATCH_SIZE) throw invalidProof(`proofs.jwt must hold at most ${BATCH_SIZE} key proofs.`)
  return value.map(jwtOf)
}

/** Appendix F.3: an array of exactly one key attestation. */
function keyAttestationsOf(value: unknown): readonly string[] {
  const [jwt, ...others]: readonly unknown[] = Array.isArray(value) ? value : []
  if (typeof jwt === 'string' && others.length === 0) return [jwt]
  throw invalidProof('proofs.attestation must be an array of exactly one key attestation.')
}

/**
 * The key proofs of a credential request (OpenID4VCI 1.0 §8.2): `proofs` has exactly one member, named after the proof type,
 * with a non-empty array.
 *
 * @throws OAuthError `invalid_proof` if there are none, or if their form is wrong (§8.3.1.2).
 */
export function requestedProofs({ proofs }: Pick<CredentialRequest, 'proofs'>): RequestedProofs {
  if (proofs === undefined)
    throw invalidProof('proofs is missing: prove the key that the credential is to be bound to.')
  if (!isObject(proofs)) throw invalidProof('proofs must be an object.')
  const [type, ...others] = Object.keys(proofs)
  if (type === undefined || others.length > 0)
    throw invalidProof('proofs must have exactly one member, named after the proof type.')
  if (type === 'jwt') return { type, jwts: keyProofsOf(proofs.jwt) }
  if (type === 'attestation') return { type, jwts: keyAttestationsOf(proofs.attestation) }
  throw invalidProof('The proof type is not supported; use jwt.')
}

import { OAuthError } from '../oauth/error.js'
import type { CredentialRequest } from './requests.js'

/** Key proofs that one credential request may carry: `batch_credential_issuance.batch_size` (OpenID4VCI 1.0 §12.2.4). */
export const BATCH_SIZE = 20

/** The key proofs of a request, and whether it is of an earlier draft, which knew only one. */
export interface RequestedProofs {
  readonly jwts: readonly string[]
  readonly single: boolean
}

const invalidProof = (description: string) => new OAuthError('invalid_proof', description)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function jwtOf(value: unknown): string {
  if (typeof value !== 'string') throw invalidProof('A key proof of type jwt is a string.')
  return value
}

/** OpenID4VCI 1.0 §8.2: exactly one member, named after the proof type, with a non-empty array. */
function proofsOf(value: unknown): readonly string[] {
  if (!isObject(value)) throw invalidProof('proofs must be an object.')
  const [type, ...others] = Object.keys(value)
  if (type === undefined || others.length > 0)
    throw invalidProof('proofs must have exactly one member, named after the proof type.')
  if (type !== 'jwt') throw invalidProof('The proof type is not supported; use jwt.')
  const { jwt } = value
  if (!Array.isArray(jwt) || jwt.length === 0) throw invalidProof('proofs.jwt must be a non-empty array of JWTs.')
  if (jwt.length > BATCH_SIZE) throw invalidProof(`proofs.jwt must hold at most ${BATCH_SIZE} key proofs.`)
  return jwt.map(jwtOf)
}

/** Draft 15 §8.2, draft 13 §7.2: `proof_type` and a member of its name. */
function proofOf(value: unknown): string {
  if (!isObject(value)) throw invalidProof('proof must be an object.')
  if (value.proof_type !== 'jwt') throw invalidProof('The proof type is not supported; use jwt.')
  return jwtOf(value.jwt)
}

/**
 * The key proofs of a credential request: `proofs`, or the `proof` of a wallet that has not left the drafts.
 *
 * @throws OAuthError `invalid_proof` where there are none, or not in that form (§8.3.1.2).
 */
export function requestedProofs({ proof, proofs }: CredentialRequest): RequestedProofs {
  if (proofs !== undefined && proof !== undefined) throw invalidProof('proofs and proof must not be sent together.')
  if (proofs !== undefined) return { jwts: proofsOf(proofs), single: false }
  if (proof !== undefined) return { jwts: [proofOf(proof)], single: true }
  throw invalidProof('proofs is missing: prove the key that the credential is to be bound to.')
}

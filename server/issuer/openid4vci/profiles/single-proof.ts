import { isObject, type JsonObject } from '../../../protocol/json/json-object.js'
import { OAuthError } from '../../../protocol/oauth/error.js'
import type { SentCredentialRequest } from './sent-credential-request.js'

const invalidProof = (description: string) => new OAuthError('invalid_proof', description)

/**
 * Converts the single `proof` of a draft to `proofs` of 1.0, which are checked later. A `proof` has a `proof_type` and a member
 * of that name (draft 15 §8.2, draft 13 §7.2).
 *
 * @throws OAuthError `invalid_proof`
 */
export function withProofs({ proof, ...request }: SentCredentialRequest): JsonObject {
  if (proof === undefined) return request
  if (request.proofs !== undefined) throw invalidProof('proofs and proof must not be sent together.')
  if (!isObject(proof)) throw invalidProof('proof must be an object.')
  const { proof_type: type } = proof
  if (typeof type !== 'string') throw invalidProof('proof must have a proof_type.')
  return { ...request, proofs: Object.fromEntries([[type, [proof[type]]]]) }
}

/** The single `credential` for a wallet that sent a single `proof`. */
export function singleCredential({ credentials }: JsonObject, { proof }: SentCredentialRequest): JsonObject {
  const [first]: unknown[] = proof !== undefined && Array.isArray(credentials) ? credentials : []
  return isObject(first) ? { credential: first.credential } : {}
}

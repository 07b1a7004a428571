import type { KeyObject } from 'node:crypto'
import {
  algorithmOfJwk,
  canonicalAlgorithm,
  fitsAlgorithm,
  SIGNATURE_ALGORITHMS,
  type SignatureAlgorithm,
} from './algorithms.js'
import { type DecodedJws, decodeCompact } from './compact.js'
import type { Jwk } from './jwk.js'
import { JwsError } from './jws-error.js'
import { isSignatureOver } from './signature.js'
import { verificationKey } from './verification-key.js'

export { type DecodedJws, decodeCompact } from './compact.js'
export {
  generateKeyPair,
  hasPrivateMembers,
  isSameKey,
  type Jwk,
  publicJwkOf,
  readPublicJwk,
  thumbprint,
} from './jwk.js'
export { JwsError, type JwsErrorCode } from './jws-error.js'
export { createSigner, type SignedGeneral, type Signer, signCompact, signGeneral } from './signer.js'

/** Decodes a compact JWS and verifies it with `verifyDecoded`. Resolves to the decoded JWS; throws JwsError. */
export async function verifyCompact(
  compact: string,
  jwk: Jwk,
  allowed: readonly SignatureAlgorithm[] = SIGNATURE_ALGORITHMS,
): Promise<DecodedJws> {
  const decoded = decodeCompact(compact)
  verifyDecoded(decoded, jwk, allowed)
  return decoded
}

/**
 * Verifies a decoded JWS with the signer's key, which the caller already trusts (RFC 7515 §5.2). A `jwk`, `jku`, `x5c`
 * or `x5u` in the header is never read. Throws JwsError.
 *
 * @param allowed the accepted algorithms (RFC 8725 §3.1), by default every supported algorithm
 */
export function verifyDecoded(
  decoded: DecodedJws,
  jwk: Jwk,
  allowed: readonly SignatureAlgorithm[] = SIGNATURE_ALGORITHMS,
): void {
  const alg = allowedAlgorithm(decoded.header.alg, allowed)
  requireSignatureKey(jwk)
  // RFC 8725 §3.1: the key, not the header, decides the algorithm.
  if (!fitsAlgorithm(jwk, alg)) throw new JwsError('algorithm', `Signature algorithm ${alg} does not fit the key.`)
  if (!isSignedWith(decoded, verificationKey(jwk), alg)) throw new JwsError('signature', 'The signature is not valid.')
}

/** The algorithm of a header, if it is allowed. Throws JwsError `algorithm`. */
export function allowedAlgorithm(alg: unknown, allowed: readonly SignatureAlgorithm[]): SignatureAlgorithm {
  const canonical = canonicalAlgorithm(alg)
  if (canonical !== undefined && allowed.includes(canonical)) return canonical
  if (typeof alg !== 'string') throw new JwsError('algorithm', 'The JWT header names no signature algorithm.')
  throw new JwsError('algorithm', `Signature algorithm ${alg.slice(0, 32)} is not allowed.`)
}

/** Throws JwsError `key` for a key of no supported type, or a key that is not for signatures. */
export function requireSignatureKey(jwk: Jwk): void {
  if (algorithmOfJwk(jwk) === undefined) throw new JwsError('key', 'The key is of no supported type.')
  // RFC 7517 §4.2 and §4.3: a key that is for a use other than signatures must not verify a signature.
  const otherUse = jwk.use !== undefined && jwk.use !== 'sig'
  const otherOperations = jwk.key_ops !== undefined && !(Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify'))
  if (otherUse || otherOperations) throw new JwsError('key', 'The key is not meant for verifying signatures.')
}

/** Whether a key signed a decoded JWS. The caller has checked that the key fits the algorithm. */
export const isSignedWith = (
  { signingInput, signature }: DecodedJws,
  key: KeyObject,
  alg: SignatureAlgorithm,
): boolean => isSignatureOver(alg, key, Buffer.from(signingInput, 'ascii'), signature)

import { createPublicKey, type KeyObject } from 'node:crypto'
import { algorithmOfJwk, type SignatureAlgorithm } from '../../../protocol/jose/algorithms.js'
import type { Jwk } from '../../../protocol/jose/jwk.js'
import { digestOf } from '../digest.js'
import { ProviderRefusal, ProviderUnavailable } from '../provider.js'

/** Octets of r and of s in a signature (RFC 7518 §3.4, RFC 8812 §3.2). */
export const COORDINATE_OCTETS: Readonly<Partial<Record<SignatureAlgorithm, number>>> = {
  ES256: 32,
  ES256K: 32,
  ES384: 48,
}

/** A public key in a form that `node:crypto` imports. */
export type PublicKeyInput = Parameters<typeof createPublicKey>[0]

/**
 * The public key of a provider's key, with its algorithm.
 *
 * @param key for messages, such as `The key payments of the key provider hsm`
 * @param service for messages
 * @param algorithms the algorithms that the provider signs with
 * @throws {ProviderRefusal} for a key of another type or curve
 * @throws {ProviderUnavailable} if the provider's answer is no public key
 */
export function publicKeyOf(
  input: PublicKeyInput,
  key: string,
  service: string,
  algorithms: readonly SignatureAlgorithm[],
): { readonly publicJwk: Jwk; readonly alg: SignatureAlgorithm } {
  const jwk = imported(input, service).export({ format: 'jwk' })
  const { kty, crv, x, y } = jwk
  const alg = algorithmOfJwk(jwk as Jwk)
  if (alg === undefined || !algorithms.includes(alg)) {
    throw new ProviderRefusal(`${key} is of type ${crv ?? kty}. The service signs with ${algorithms.join(', ')}.`)
  }
  const publicJwk = { kty, crv, x, ...(y === undefined ? {} : { y }) } as Jwk
  return { publicJwk, alg }
}

function imported(input: PublicKeyInput, service: string): KeyObject {
  try {
    return createPublicKey(input)
  } catch {
    throw new ProviderUnavailable(`${service} answered with something that is no public key.`)
  }
}

/** The hash that the provider signs. @throws {ProviderRefusal} for an algorithm other than ECDSA */
export function ecdsaDigest(alg: SignatureAlgorithm, data: Uint8Array): Buffer {
  const digest = digestOf(alg, data)
  if (digest === undefined) throw new ProviderRefusal(`${alg} does not sign a hash.`)
  return Buffer.from(digest)
}

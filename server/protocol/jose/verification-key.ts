import { type CryptoKey, importJWK } from 'jose'
import type { SignatureAlgorithm } from './algorithms.js'
import { type Jwk, requiredMembersOf } from './jwk.js'
import { JwsError } from './jws-error.js'
import { LruMap } from './lru-map.js'

// Importing costs several times what verifying does, and a service sees the same issuers' keys again and again.
const keys = new LruMap<string, CryptoKey>(1000)

/**
 * The public key that a JWK describes, ready for `alg`; imported once for each key and algorithm. Throws JwsError
 * `key`.
 */
export async function verificationKey(jwk: Jwk, alg: Exclude<SignatureAlgorithm, 'ES256K'>): Promise<CryptoKey> {
  const members = requiredMembersOf(jwk)
  const name = `${alg}.${Object.values(members).join('.')}`
  const cached = keys.get(name)
  if (cached !== undefined) return cached
  try {
    const key = await importJWK(members, alg)
    if (key instanceof Uint8Array) throw new TypeError('A symmetric key verifies no signature.')
    keys.set(name, key)
    return key
  } catch (cause) {
    throw new JwsError('key', `The key is not a valid ${alg} public key.`, { cause })
  }
}

import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { Jwk } from './jwk.js'
import { JwsError } from './jws-error.js'
import { LruMap } from './lru-map.js'

const keys = new LruMap<string, KeyObject>(1000)

/**
 * Verifies an ES256K signature (RFC 8812 §3.2: r and s of 32 octets each; any other length is no signature), which Web
 * Cryptography and so jose do not know. RFC 8812 does not ask for the lower of the two values of s.
 */
export function verifyEs256k(jwk: Jwk, data: Uint8Array, signature: Uint8Array): boolean {
  return verify('sha256', data, { key: importKey(jwk), dsaEncoding: 'ieee-p1363' }, signature)
}

function importKey(jwk: Jwk): KeyObject {
  const name = `${jwk.x}.${jwk.y}`
  const cached = keys.get(name)
  if (cached !== undefined) return cached
  const { x = '', y = '' } = jwk
  try {
    const key = createPublicKey({ key: { kty: 'EC', crv: 'secp256k1', x, y }, format: 'jwk' })
    keys.set(name, key)
    return key
  } catch (cause) {
    throw new JwsError('key', 'The key is not a valid ES256K public key.', { cause })
  }
}

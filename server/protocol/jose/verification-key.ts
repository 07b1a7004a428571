import { createPublicKey, type KeyObject } from 'node:crypto'
import { type Jwk, requiredMembersOf } from './jwk.js'
import { JwsError } from './jws-error.js'
import { LruMap } from './lru-map.js'

// Importing a key costs several times as much as verifying, and a service sees the same issuers' keys again and again.
const keys = new LruMap<string, KeyObject>(1000)

/** The public key that a JWK describes, imported once. Throws JwsError `key`, also for a point that is not on its curve. */
export function verificationKey(jwk: Jwk): KeyObject {
  const members = requiredMembersOf(jwk)
  const name = Object.values(members).join('.')
  const cached = keys.get(name)
  if (cached !== undefined) return cached
  try {
    const key = createPublicKey({ key: members, format: 'jwk' })
    keys.set(name, key)
    return key
  } catch (cause) {
    throw new JwsError('key', 'The key is not a valid public key.', { cause })
  }
}

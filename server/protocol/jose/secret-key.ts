import { createSecretKey, type KeyObject } from 'node:crypto'

const objects = new WeakMap<Uint8Array, KeyObject>()

/**
 * Returns the KeyObject of a symmetric key, which is made once. It is the fastest input for ciphers and MACs. If
 * Node.js 24 gets octets instead, it throws and catches errors to find out that they are no KeyObject. These errors
 * take several times as long as the cipher or MAC.
 *
 * @param octets must never be altered; the KeyObject is cached as long as the octets exist.
 */
export function secretKey(octets: Uint8Array): KeyObject {
  const known = objects.get(octets)
  if (known !== undefined) return known
  const object = createSecretKey(octets)
  objects.set(octets, object)
  return object
}

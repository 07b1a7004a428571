import { createSecretKey, type KeyObject } from 'node:crypto'

const objects = new WeakMap<Uint8Array, KeyObject>()

/**
 * A symmetric key in the form that is fastest for ciphers and MACs: a KeyObject, made once. Given octets, Node.js 24
 * throws and catches errors to find out that they are no KeyObject. This takes several times as long as the cipher or
 * MAC.
 *
 * @param octets must never be altered; the KeyObject is kept as long as they exist.
 */
export function secretKey(octets: Uint8Array): KeyObject {
  const known = objects.get(octets)
  if (known !== undefined) return known
  const object = createSecretKey(octets)
  objects.set(octets, object)
  return object
}

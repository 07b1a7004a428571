import { createSecretKey, type KeyObject } from 'node:crypto'

const objects = new WeakMap<Uint8Array, KeyObject>()

/**
 * A symmetric key as ciphers and MACs take it fastest: as an object that Node.js has made of it once. Given octets, Node.js 24
 * throws and catches errors to find out that they are none, which takes several times as long as what they are used for.
 *
 * @param octets never altered; their object is kept as long as they are.
 */
export function secretKey(octets: Uint8Array): KeyObject {
  const known = objects.get(octets)
  if (known !== undefined) return known
  const object = createSecretKey(octets)
  objects.set(octets, object)
  return object
}

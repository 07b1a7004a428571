import { decodeCbor } from '../../../server/protocol/mdoc/cbor/decode.js'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import {
  type CborValue,
  type Encodable,
  isBytes,
  isMap,
  TAG_ENCODED_CBOR,
  Tagged,
} from '../../../server/protocol/mdoc/cbor/values.js'
import { createSign1 } from '../../../server/protocol/mdoc/cose/sign1.js'
import type { Actor } from './actors.js'

/** A decoded data item that a test can change. */
export type Tree = Map<string | number, Encodable>

const isTree = (value: unknown): value is Tree => value instanceof Map

/** A data item that must be a map. */
export function treeOf(value: unknown): Tree {
  if (!isTree(value)) throw new Error('The data item is no map.')
  return value
}

/** A data item that must be a byte string, or the byte string in a tagged item. */
export function bytesOf(value: unknown): Uint8Array {
  const bytes = value instanceof Tagged ? value.value : value
  if (!isBytes(bytes)) throw new Error('The data item is no byte string.')
  return bytes
}

/** Decodes the map in a byte string. */
export const decodedMap = (bytes: Uint8Array): Tree => treeOf(decoded(bytes))

/** Decodes a byte string. */
export const decoded = (bytes: Uint8Array): CborValue => decodeCbor(bytes, { what: 'Test' })

/** Decodes a credential or presentation, lets the test change it, and encodes it again. */
export function changed(compact: string, change: (root: Tree) => unknown): string {
  const root = decodedMap(Buffer.from(compact, 'base64url'))
  change(root)
  return Buffer.from(encodeCbor(root)).toString('base64url')
}

/** Returns the value at a path of keys, through maps, arrays and encoded items (tag 24). */
export function at(root: Encodable, ...path: readonly (string | number)[]): Encodable {
  let value = root
  for (const key of path) {
    if (value instanceof Tagged) value = decoded(bytesOf(value))
    value = isMap(value) ? value.get(key) : (value as readonly Encodable[])[Number(key)]
  }
  return value
}

export const mapAt = (root: Encodable, ...path: readonly (string | number)[]) => treeOf(at(root, ...path))
export const listAt = (root: Encodable, ...path: readonly (string | number)[]) => at(root, ...path) as Encodable[]

/** Encodes a data item as a byte string with tag 24. */
export const encodedItem = (value: Encodable) => new Tagged(TAG_ENCODED_CBOR, encodeCbor(value))

/** Changes the map in an encoded item, and encodes it again. */
export function changedItem(item: Encodable, change: (map: Tree) => unknown): Tagged<Uint8Array> {
  const map = decodedMap(bytesOf(item))
  change(map)
  return encodedItem(map)
}

/** Returns an issuer's document with a changed mobile security object and a new signature. */
export async function resigned(compact: string, issuer: Actor, change: (object: Tree) => unknown): Promise<string> {
  const root = decodedMap(Buffer.from(compact, 'base64url'))
  const [, unprotected, payload] = listAt(root, 'issuerAuth')
  const object = changedItem(decoded(bytesOf(payload)), change)
  root.set('issuerAuth', await createSign1(issuer.signer, encodeCbor(object), { unprotected: treeOf(unprotected) }))
  return Buffer.from(encodeCbor(root)).toString('base64url')
}

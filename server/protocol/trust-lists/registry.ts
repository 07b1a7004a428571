import { readLote } from './lote/read-lote.js'
import type { ListReader } from './read-list.js'
import type { ListKind } from './trust-list.js'
import { readTsl } from './tsl/read-tsl.js'
import { readVical } from './vical/read-vical.js'

/** A kind of trusted lists. */
export interface ListKindEntry {
  readonly kind: ListKind
  readonly read: ListReader
  /** Media types for the request of a list. */
  readonly accept: readonly string[]
}

/** All kinds. No other code lists them. */
export const KINDS: readonly ListKindEntry[] = [
  { kind: 'lote', read: readLote, accept: ['application/jose', 'application/jwt', 'application/json'] },
  { kind: 'vical', read: readVical, accept: ['application/cbor', 'application/octet-stream'] },
  { kind: 'tsl', read: readTsl, accept: ['application/vnd.etsi.tsl+xml', 'application/xml', 'text/xml'] },
]

/** Reads a list of a kind. */
export function kindOf(kind: ListKind): ListKindEntry {
  const entry = KINDS.find((one) => one.kind === kind)
  if (entry === undefined) throw new Error(`There is no reader of lists of the kind ${kind}.`)
  return entry
}

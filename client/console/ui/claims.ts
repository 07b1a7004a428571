import { type ClaimPath, pathKey } from '../../../server/protocol/json-schema/declared-claims.js'
import type { ValueText } from './value-text.js'

/** A single value of a claim, with its path. */
export interface Leaf {
  readonly path: readonly string[]
  readonly value: string
}

/** The maximum number of levels, and the maximum number of values, that a card shows. */
const MAX_DEPTH = 8
export const MAX_LEAVES = 200

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * Returns the single values inside claims, in their order. An array of plain values counts as one value.
 *
 * @param write writes one plain value
 */
export function leavesOf(claims: unknown, write: ValueText = String): Leaf[] {
  const textOf = (value: unknown, path: readonly string[]): string => {
    if (Array.isArray(value) && !value.some(isNested))
      return value.map((each, at) => write(each, [...path, String(at)])).join(', ')
    return isNested(value) ? JSON.stringify(value) : write(value, path)
  }
  const leaves: Leaf[] = []
  const walk = (value: unknown, path: readonly string[]) => {
    if (leaves.length === MAX_LEAVES) return
    const isPlain = !isNested(value) || (Array.isArray(value) && !value.some(isNested))
    if (isPlain || path.length === MAX_DEPTH) leaves.push({ path, value: textOf(value, path) })
    else for (const [name, member] of Object.entries(value)) walk(member, [...path, name])
  }
  if (isNested(claims)) for (const [name, member] of Object.entries(claims)) walk(member, [name])
  return leaves
}

/** The keys by which a declared claim is found: the path itself, and the path with null for positions in arrays. */
const keysOf = (path: readonly string[]): readonly string[] => [
  pathKey(path),
  pathKey(path.map((name) => (/^\d+$/.test(name) ? null : name))),
]

/** The entry of a path in a map by `pathKey`. */
export function entryOf<Value>(entries: ReadonlyMap<string, Value>, path: readonly string[]): Value | undefined {
  const key = keysOf(path).find((each) => entries.has(each))
  return key === undefined ? undefined : entries.get(key)
}

/**
 * Sorts values by the order in which a type declares its claims, each claim before the claims inside it. Values of claims that the
 * type does not declare are last.
 */
export function inDeclaredOrder(leaves: readonly Leaf[], declared: readonly ClaimPath[]): Leaf[] {
  const places = new Map(declared.map((path, place) => [pathKey(path), place]))
  const placeOf = ({ path }: Leaf): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const place = entryOf(places, path.slice(0, length))
      if (place !== undefined) return place
    }
    return Number.POSITIVE_INFINITY
  }
  const placed = leaves.map((leaf) => ({ leaf, place: placeOf(leaf) }))
  return placed.sort((a, b) => (a.place === b.place ? 0 : a.place < b.place ? -1 : 1)).map(({ leaf }) => leaf)
}

import { EACH, type SchemaPlace } from './applicable.js'

/** A claims path pointer (OpenID4VCI 1.0 Appendix C.1): a name for a member, null for all elements of an array. */
export type ClaimPath = readonly (string | null)[]

/** A claim that a schema declares. */
export interface DeclaredClaim {
  readonly path: ClaimPath
  readonly place: SchemaPlace
  /** Whether the parent of the claim always contains the claim. */
  readonly mandatory: boolean
}

/** Limit of steps from the subject to a claim. */
export const MAX_DEPTH = 9

/** A path as a key of a map. */
export const pathKey = (path: ClaimPath): string => JSON.stringify(path)

/**
 * Keywords that declare elements. Only claims with one of these keywords are searched for elements: a search in every
 * claim would reach the limit of places.
 */
const OF_ELEMENTS = ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains']

/**
 * All claims that a schema declares, each before the claims inside it. A recursive type is entered once. The elements of an array are
 * one claim, whose path ends with null.
 */
export function* claimsWithin(place: SchemaPlace, above: ClaimPath = []): Generator<DeclaredClaim> {
  for (const name of place.names) {
    const [path, member] = [[...above, name], place.member(name)]
    yield { path, place: member, mandatory: place.requires(name) }
    yield* claimsBelow(member, path)
  }
}

function* claimsBelow(place: SchemaPlace, path: ClaimPath): Generator<DeclaredClaim> {
  if (path.length >= MAX_DEPTH || place.isRecursive) return
  yield* claimsWithin(place, path)
  if (!OF_ELEMENTS.some((keyword) => place.said(keyword).length > 0)) return
  const [elements, each] = [place.item(EACH), [...path, null]]
  if (!elements.isDeclared) return
  yield { path: each, place: elements, mandatory: false }
  yield* claimsBelow(elements, each)
}

/** Name of a claim in one language. */
export interface ClaimName {
  readonly name: string
  readonly locale: string
}

/**
 * Names of a claim, in addition to the claim's title in the schema: a claims description object (OpenID4VCI 1.0
 * Appendix B.2).
 */
export interface ClaimNames {
  readonly path: ClaimPath
  readonly display: readonly ClaimName[]
}

/** A claim that a schema declares, with all its names: one for each language. */
export interface NamedClaim extends DeclaredClaim {
  readonly names: readonly ClaimName[]
}

/** The title that the schemas give a claim. The title of a branch with `const` is the title of one value of the claim. */
function titleAt({ schemas }: SchemaPlace): string | undefined {
  const certainFirst = schemas.toSorted((one, other) => Number(other.certain) - Number(one.certain))
  return certainFirst
    .filter(({ schema, certain }) => certain || !Object.hasOwn(schema, 'const'))
    .map(({ schema }) => (Object.hasOwn(schema, 'title') ? schema.title : undefined))
    .find((title) => typeof title === 'string')
}

/** Limit of claims that are read from one type, equal to the limit of values in a schema. */
export const MAX_CLAIMS = 2_000

/**
 * The claims of a schema with their names. A `title` in the schema is the name in the language `locale`. A name in
 * `given` with the same language replaces the title.
 *
 * @param root the place of the whole value
 * @param locale the language of titles in the schema
 */
export function* namedClaims(root: SchemaPlace, locale: string, given: readonly ClaimNames[]): Generator<NamedClaim> {
  const names = new Map(given.map(({ path, display }) => [pathKey(path), display]))
  let count = 0
  for (const claim of claimsWithin(root)) {
    count += 1
    if (count > MAX_CLAIMS) return
    const named = names.get(pathKey(claim.path)) ?? []
    const isNamed = named.some((each) => each.locale.toLowerCase() === locale.toLowerCase())
    const title = titleAt(claim.place)
    yield { ...claim, names: title === undefined || isNamed ? named : [{ name: title, locale }, ...named] }
  }
}

import { errors } from '../../errors.js'
import type { ClaimDescription } from '../../formats/issuing.js'
import { DEFAULT_LOCALE, inLanguage, type Languages, type Spoken, spokenIn } from '../../pages/languages.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { SchemaPlace } from '../../protocol/json-schema/applicable.js'
import { Work } from '../../protocol/work.js'
import type { CredentialSchema, VersionRules } from './store.js'

/** A stored schema was paid for when it was posted, and its walk has a bound of its own. */
const walked = (body: JsonObject): SchemaPlace => SchemaPlace.root(body, new Work(Number.POSITIVE_INFINITY))

/** Names of the claims that a schema declares at the top of the subject. */
export const declaredClaims = (body: JsonObject): readonly string[] => walked(body).names

/** The parts of a version that say what its claims are called. */
export type Titled = Pick<CredentialSchema, 'body' | 'display' | 'claims'>

/** Names of a path's members as one key of a map. */
export const pathKey = (path: readonly string[]): string => path.join('\0')

/** How deep below the subject claims are described. */
export const MAX_DEPTH = 9

/** Claims that one type describes at most, as many as a schema may have values. */
const MAX_CLAIMS = 2_000

interface Declared {
  readonly path: readonly string[]
  readonly place: SchemaPlace
  readonly mandatory: boolean
}

function* claimsWithin(place: SchemaPlace, above: readonly string[] = []): Generator<Declared> {
  for (const name of place.names) {
    const [path, member] = [[...above, name], place.member(name)]
    yield { path, place: member, mandatory: place.requires(name) }
    if (path.length < MAX_DEPTH && !member.isRecursive) yield* claimsWithin(member, path)
  }
}

/** All claims that a schema declares by name, nested claims behind the claim that they lie in; a recursive type once. */
function claimsOf(body: JsonObject): Declared[] {
  const claims: Declared[] = []
  for (const claim of claimsWithin(walked(body))) {
    if (claims.length === MAX_CLAIMS) break
    claims.push(claim)
  }
  return claims
}

/**
 * Makes sure that all claims of a schema can be described.
 *
 * @param work pays for the walk
 * @throws 400
 */
export function assertDescribable(body: JsonObject, work: Work): void {
  const root = SchemaPlace.root(body, work)
  let count = 0
  for (const _ of claimsWithin(root)) {
    count += 1
    if (count > MAX_CLAIMS) break
  }
  if (count > MAX_CLAIMS || root.isCut)
    throw errors.badRequest(`schema must not declare more than ${MAX_CLAIMS} claims, nor so many schemas for one claim`)
}

/**
 * The subject's claims with their names, nested objects included, as far as the schema declares them. A `title` in the schema is in
 * the language that the type's first name is in, and gives way to a name of the same language.
 */
export function describeClaims({ body, display, claims }: Titled): ClaimDescription[] {
  const locale = display?.[0]?.locale ?? DEFAULT_LOCALE
  const names = new Map((claims ?? []).map((claim) => [pathKey(claim.path), claim.display]))
  return claimsOf(body).map(({ path, place, mandatory }) => {
    const named = names.get(pathKey(path)) ?? []
    const isNamed = named.some((name) => name.locale.toLowerCase() === locale.toLowerCase())
    const title = place.said('title').find((each) => typeof each === 'string')
    const titled = typeof title === 'string' && !isNamed ? [{ name: title, locale }] : []
    return { path, display: [...titled, ...named], mandatory }
  })
}

/** What claims are called in a reader's language, by `pathKey`; without those that have no name. */
export const claimTitles = (schema: Titled, languages: Languages): ReadonlyMap<string, Spoken> =>
  new Map(
    describeClaims(schema).flatMap(({ path, display }) => {
      const entry = inLanguage(display, languages)
      return entry === undefined ? [] : [[pathKey(path), spokenIn(entry.name, entry.locale)] as const]
    }),
  )

/** Whether a claim of the type may be withheld (SD-JWT VC, "Claim Selective Disclosure Metadata"), claim by claim. */
function selectiveDisclosure({ selectivelyDisclosable }: VersionRules): (path: readonly string[]) => boolean {
  if (selectivelyDisclosable === null) return (path) => path.length === 1
  const listed = new Set(selectivelyDisclosable)
  return (path) => listed.has(path.join('.'))
}

const keyOf = (path: readonly string[]): string => JSON.stringify(path)

/** Claims that every credential of the type has: required ones whose parents are all required. */
function alwaysPresent(body: JsonObject): Set<string> {
  const present = new Set<string>()
  // A claim's parents come before it.
  for (const { path, mandatory } of claimsOf(body)) {
    if (mandatory && (path.length === 1 || present.has(keyOf(path.slice(0, -1))))) present.add(keyOf(path))
  }
  return present
}

/** What is true of a claim in every credential of its type. */
export interface ClaimRules {
  readonly sd: 'always' | 'never' | 'allowed'
  readonly mandatory: boolean
}

/**
 * The rules of claims that hold in all versions of a type: one `vct` stands for all of them, and a credential must not
 * contradict its type metadata.
 *
 * @param versions undefined where they are not known; then no rule is given for any claim.
 */
export function commonRules(versions: readonly VersionRules[] | undefined): (path: readonly string[]) => ClaimRules {
  if (versions === undefined) return () => ({ sd: 'allowed', mandatory: false })
  const disclosures = versions.map(selectiveDisclosure)
  const presences = versions.map(({ body }) => alwaysPresent(body))
  return (path) => {
    const withheld = disclosures.filter((isDisclosable) => isDisclosable(path)).length
    const mandatory = presences.every((present) => present.has(keyOf(path)))
    if (withheld === 0) return { sd: 'never', mandatory }
    return { sd: withheld === versions.length ? 'always' : 'allowed', mandatory }
  }
}

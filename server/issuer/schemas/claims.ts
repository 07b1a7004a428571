import { errors } from '../../api/errors.js'
import type { ClaimDescription } from '../../formats/issuing.js'
import { DEFAULT_LOCALE, inLanguage, type Languages, type Spoken, spokenIn } from '../../pages/languages.js'
import { valueTitles } from '../../protocol/credential-card/values.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { EACH, SchemaPlace } from '../../protocol/json-schema/applicable.js'
import {
  type ClaimPath,
  claimsWithin,
  MAX_CLAIMS,
  namedClaims,
  pathKey,
} from '../../protocol/json-schema/declared-claims.js'
import { linearPattern } from '../../protocol/json-schema/linear-regexp.js'
import { Work } from '../../protocol/work.js'
import type { CredentialSchema, VersionRules } from './store.js'

/**
 * Walks a stored schema. The walk needs no budget: the schema was checked when it was created, and the walk has its own
 * limit.
 */
const walked = (body: JsonObject): SchemaPlace =>
  SchemaPlace.root(body, new Work(Number.POSITIVE_INFINITY), linearPattern)

/** Names of the claims that a schema declares at the top level of the subject. */
export const declaredClaims = (body: JsonObject): readonly string[] => walked(body).names

export { MAX_DEPTH, pathKey } from '../../protocol/json-schema/declared-claims.js'

/** The parts of a version that contain the names of its claims. */
export type Titled = Pick<CredentialSchema, 'body' | 'display' | 'claims'>

/**
 * Makes sure that all claims of a schema can be described.
 *
 * @param work the budget for the walk
 * @throws 400
 */
export function assertDescribable(body: JsonObject, work: Work): void {
  const root = SchemaPlace.root(body, work, linearPattern)
  let count = 0
  for (const _ of claimsWithin(root)) {
    count += 1
    if (count > MAX_CLAIMS) break
  }
  if (count > MAX_CLAIMS || root.isCut)
    throw errors.badRequest(`schema must not declare more than ${MAX_CLAIMS} claims, nor so many schemas for one claim`)
}

const isElement = (path: ClaimPath): boolean => path.at(-1) === null

/**
 * The claims that the schema declares, with their names, including claims in objects and arrays (OpenID4VCI 1.0 Appendix B.2).
 * A `title` in the schema is in the language of the type's first name. A name in the same language replaces the title.
 *
 * @param isRuled whether the elements of an array are described even without a name
 */
export function describeClaims(
  { body, display, claims }: Titled,
  isRuled: (path: ClaimPath) => boolean = () => false,
): ClaimDescription[] {
  const named = [...namedClaims(walked(body), display?.[0]?.locale ?? DEFAULT_LOCALE, claims ?? [])]
  return named
    .filter(({ path, names }) => !isElement(path) || names.length > 0 || isRuled(path))
    .map(({ path, names, mandatory }) => ({ path, display: names, mandatory }))
}

/** The names of claims in a reader's language, by `pathKey`. Claims without a name are left out. */
export const claimTitles = (schema: Titled, languages: Languages): ReadonlyMap<string, Spoken> =>
  new Map(
    describeClaims(schema).flatMap(({ path, display }) => {
      const entry = inLanguage(display, languages)
      return entry === undefined ? [] : [[pathKey(path), spokenIn(entry.name, entry.locale)] as const]
    }),
  )

/**
 * Returns the title of a value that a type names for a claim, in the language of the type's first name. A named value without a title is
 * its own title. Any other value has none.
 */
export const namedValues = ({ body, display }: Titled): ((path: ClaimPath, value: unknown) => Spoken | undefined) => {
  const named = valueTitles(walked(body))
  return (path, value) => {
    const titles = named.get(pathKey(path))
    const key = JSON.stringify(value)
    if (titles === undefined || !titles.has(key)) return undefined
    const title = titles.get(key)
    return title === undefined ? { text: String(value) } : spokenIn(title, display?.[0]?.locale ?? DEFAULT_LOCALE)
  }
}

/** For each claim of the type, whether it may be withheld (SD-JWT VC, "Claim Selective Disclosure Metadata"). */
function selectiveDisclosure({ selectivelyDisclosable }: VersionRules): (path: ClaimPath) => boolean {
  if (selectivelyDisclosable === null) return (path) => path.length === 1
  const listed = new Set(selectivelyDisclosable)
  return (path) => listed.has(path.map((step) => step ?? EACH).join('.'))
}

/** The claims in every credential of the type: required claims whose parents are all required. */
function alwaysPresent(body: JsonObject): Set<string> {
  const present = new Set<string>()
  // A claim's parents come before it.
  for (const { path, mandatory } of namedClaims(walked(body), DEFAULT_LOCALE, [])) {
    if (mandatory && (path.length === 1 || present.has(pathKey(path.slice(0, -1))))) present.add(pathKey(path))
  }
  return present
}

/** The rules for a claim in every credential of its type. */
export interface ClaimRules {
  readonly sd: 'always' | 'never' | 'allowed'
  readonly mandatory: boolean
}

/**
 * The rules for claims that all versions of a type share. One `vct` covers all versions, and a credential must not contradict
 * its type metadata.
 *
 * @param versions the versions; undefined if the versions are not known, then no claim has a rule
 */
export function commonRules(versions: readonly VersionRules[] | undefined): (path: ClaimPath) => ClaimRules {
  if (versions === undefined) return () => ({ sd: 'allowed', mandatory: false })
  const disclosures = versions.map(selectiveDisclosure)
  const presences = versions.map(({ body }) => alwaysPresent(body))
  return (path) => {
    const withheld = disclosures.filter((isDisclosable) => isDisclosable(path)).length
    const mandatory = presences.every((present) => present.has(pathKey(path)))
    if (withheld === 0) return { sd: 'never', mandatory }
    return { sd: withheld === versions.length ? 'always' : 'allowed', mandatory }
  }
}

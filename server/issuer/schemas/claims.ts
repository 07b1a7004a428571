import { errors } from '../../api/errors.js'
import type { ClaimDescription } from '../../formats/issuing.js'
import { DEFAULT_LOCALE, inLanguage, type Languages, type Spoken, spokenIn } from '../../pages/languages.js'
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

/** A stored schema was paid for when it was posted, and its walk has a bound of its own. */
const walked = (body: JsonObject): SchemaPlace =>
  SchemaPlace.root(body, new Work(Number.POSITIVE_INFINITY), linearPattern)

/** Names of the claims that a schema declares at the top of the subject. */
export const declaredClaims = (body: JsonObject): readonly string[] => walked(body).names

export { MAX_DEPTH, pathKey } from '../../protocol/json-schema/declared-claims.js'

/** The parts of a version that say what its claims are called. */
export type Titled = Pick<CredentialSchema, 'body' | 'display' | 'claims'>

/**
 * Makes sure that all claims of a schema can be described.
 *
 * @param work pays for the walk
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
 * The subject's claims with their names, those within objects and arrays included, as far as the schema declares them (OpenID4VCI 1.0
 * Appendix B.2). A `title` in the schema is in the language that the type's first name is in, and gives way to a name of the same language.
 *
 * @param isRuled whether elements of an array are described although they have no name
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

/** What claims are called in a reader's language, by `pathKey`; without those that have no name. */
export const claimTitles = (schema: Titled, languages: Languages): ReadonlyMap<string, Spoken> =>
  new Map(
    describeClaims(schema).flatMap(({ path, display }) => {
      const entry = inLanguage(display, languages)
      return entry === undefined ? [] : [[pathKey(path), spokenIn(entry.name, entry.locale)] as const]
    }),
  )

/** Whether a claim of the type may be withheld (SD-JWT VC, "Claim Selective Disclosure Metadata"), claim by claim. */
function selectiveDisclosure({ selectivelyDisclosable }: VersionRules): (path: ClaimPath) => boolean {
  if (selectivelyDisclosable === null) return (path) => path.length === 1
  const listed = new Set(selectivelyDisclosable)
  return (path) => listed.has(path.map((step) => step ?? EACH).join('.'))
}

/** Claims that every credential of the type has: required ones whose parents are all required. */
function alwaysPresent(body: JsonObject): Set<string> {
  const present = new Set<string>()
  // A claim's parents come before it.
  for (const { path, mandatory } of namedClaims(walked(body), DEFAULT_LOCALE, [])) {
    if (mandatory && (path.length === 1 || present.has(pathKey(path.slice(0, -1))))) present.add(pathKey(path))
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

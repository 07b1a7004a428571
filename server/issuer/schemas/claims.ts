import type { ClaimDescription } from '../../formats/issuing.js'
import { DEFAULT_LOCALE, inLanguage, type Languages, type Spoken, spokenIn } from '../../pages/languages.js'
import { type JsonObject, objectOf } from '../../protocol/json/json-object.js'
import type { CredentialSchema, VersionRules } from './store.js'

/** Names of the claims that a schema declares at the top of the subject. */
export const declaredClaims = (body: JsonObject): string[] => Object.keys(objectOf(body.properties))

/** The parts of a version that say what its claims are called. */
export type Titled = Pick<CredentialSchema, 'body' | 'display' | 'claims'>

/** Names of a path's members as one key of a map. */
export const pathKey = (path: readonly string[]): string => path.join('\0')

/** How deep below the subject claims are described. */
export const MAX_DEPTH = 9

function* propertiesOf(
  body: JsonObject,
  above: readonly string[] = [],
): Generator<[readonly string[], JsonObject, boolean]> {
  const required = new Set(Array.isArray(body.required) ? body.required : [])
  for (const [name, value] of Object.entries(objectOf(body.properties))) {
    const [path, property] = [[...above, name], objectOf(value)]
    yield [path, property, required.has(name)]
    if (path.length < MAX_DEPTH) yield* propertiesOf(property, path)
  }
}

/** Paths of all claims that a schema declares, nested ones behind what they lie in. */
export const declaredPaths = (body: JsonObject): (readonly string[])[] => [...propertiesOf(body)].map(([path]) => path)

/**
 * The subject's claims with their names, nested objects included, as far as the schema declares them. A `title` in the schema is in
 * the language that the type's first name is in, and gives way to a name of the same language.
 */
export function describeClaims({ body, display, claims }: Titled): ClaimDescription[] {
  const locale = display?.[0]?.locale ?? DEFAULT_LOCALE
  const names = new Map((claims ?? []).map((claim) => [pathKey(claim.path), claim.display]))
  return [...propertiesOf(body)].map(([path, { title }, mandatory]) => {
    const named = names.get(pathKey(path)) ?? []
    const isNamed = named.some((name) => name.locale.toLowerCase() === locale.toLowerCase())
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
  for (const [path, , mandatory] of propertiesOf(body)) {
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

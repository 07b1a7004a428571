import { type JsonObject, objectOf } from '../../protocol/json/json-object.js'
import type { VersionRules } from './store.js'

/** Names of the claims that a schema declares at the top of the subject. */
export const declaredClaims = (body: JsonObject): string[] => Object.keys(objectOf(body.properties))

/** One claim of a schema, as metadata describes it. */
export interface ClaimDescription {
  /** Claims path (OpenID4VCI 1.0 Appendix C) from the subject. */
  readonly path: readonly string[]
  readonly title: string | undefined
  readonly mandatory: boolean
}

/** The subject's claims with their titles, nested objects included, as far as the schema declares them. */
export function describeClaims(body: JsonObject, prefix: readonly string[] = []): ClaimDescription[] {
  const required = new Set(Array.isArray(body.required) ? body.required : [])
  return Object.entries(objectOf(body.properties)).flatMap(([name, value]) => {
    const property = objectOf(value)
    const path = [...prefix, name]
    const title = typeof property.title === 'string' ? property.title : undefined
    const nested = prefix.length < 8 ? describeClaims(property, path) : []
    return [{ path, title, mandatory: required.has(name) }, ...nested]
  })
}

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
  for (const { path, mandatory } of describeClaims(body)) {
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

import { isObject, type JsonObject } from '../../../protocol/json/json-object.js'
import type { ClaimPath } from '../../../protocol/json-schema/declared-claims.js'
import type { Draft } from '../../../protocol/openid4vci/drafts.js'

/** A claim as OpenID4VCI 1.0 describes it (Appendix B.2). */
interface Claim extends JsonObject {
  readonly path: ClaimPath
}

/** Draft 13 Appendix A.3.2: a map of claims by name. An object has its inner claims instead of its own description. */
function claimsMap(claims: readonly Claim[], depth = 0): JsonObject {
  const names = new Set(claims.flatMap(({ path }) => path[depth] ?? []))
  return Object.fromEntries(
    [...names].map((name) => {
      const within = claims.filter(({ path }) => path[depth] === name)
      const members = within.filter(({ path }) => path.length > depth + 1)
      if (members.length > 0) return [name, claimsMap(members, depth + 1)]
      const { path: _, ...description } = within[0] ?? { path: [] }
      return [name, description]
    }),
  )
}

/** The claims that a map by name can hold. Claims in array elements are left out, because the elements have no names. */
function claimsOf({ credential_metadata: described }: JsonObject): readonly Claim[] {
  const claims: readonly Claim[] = isObject(described) && Array.isArray(described.claims) ? described.claims : []
  return claims.filter(({ path }) => !path.includes(null))
}

/**
 * Returns a credential configuration that lists each claim once. Claims in many languages take most of the metadata's
 * size. A format with a name that only drafts know lists its claims in the form of the drafts. Any other format lists
 * its claims in `credential_metadata`, as 1.0 does. Wallets of drafts do not need this list.
 *
 * @param isFormer whether the format has its former name
 */
export function configurationFor(configuration: JsonObject, isFormer: boolean): Record<string, unknown> {
  if (!isFormer) return configuration
  const { credential_metadata: _, ...members } = configuration
  const claims = claimsOf(configuration)
  return { ...members, ...(claims.length === 0 ? {} : { claims: claimsMap(claims) }) }
}

/** Draft 11 §10.2.3.1, Appendix E.1.1.2. */
function supported(id: string, configuration: JsonObject): JsonObject {
  const {
    credential_definition: definition,
    credential_signing_alg_values_supported: algorithms,
    display,
    format,
    vct,
    claims,
    cryptographic_binding_methods_supported: methods,
  } = configuration
  const { type: types }: JsonObject = isObject(definition) ? definition : {}
  return {
    id,
    format,
    cryptographic_binding_methods_supported: methods,
    cryptographic_suites_supported: algorithms,
    display: Array.isArray(display) ? display.map(formerDisplay) : [],
    ...(types === undefined
      ? { vct, ...(claims === undefined ? {} : { claims }) }
      : { types, ...claimsMap(claimsOf(configuration)) }),
  }
}

/** In the draft, the `uri` of an image is named `url`. */
function formerDisplay(entry: JsonObject): JsonObject {
  const { logo } = entry
  return isObject(logo) && logo.uri !== undefined ? { ...entry, logo: { ...logo, url: logo.uri } } : entry
}

/**
 * The members that the allowed drafts (`ISSUER_LEGACY_PROFILES`) add to the issuer metadata of OpenID4VCI 1.0.
 *
 * @param configurations the published configurations
 * @param formerFormats the names of formats in drafts
 */
export function metadataMembers(
  drafts: readonly Draft[],
  configurations: Readonly<Record<string, JsonObject>>,
  issuer: string,
  formerFormats: ReadonlySet<unknown>,
): JsonObject {
  if (!drafts.includes('draft11')) return {}
  const known = Object.entries(configurations).filter(([, { format }]) => formerFormats.has(format))
  if (known.length === 0) return {}
  return {
    authorization_server: issuer,
    credentials_supported: known.map(([id, configuration]) => supported(id, configuration)),
  }
}

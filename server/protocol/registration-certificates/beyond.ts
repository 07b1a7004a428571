import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../json/json-object.js'
import { textOfClaimsPath } from '../openid4vp/dcql/claims-path.js'
import type { ClaimsPath } from '../openid4vp/dcql/claims-query.js'
import type { CredentialQuery } from '../openid4vp/dcql/credential-query.js'
import type { DcqlQuery } from '../openid4vp/dcql/dcql-query.js'
import type { RegisteredCredential, RegistrationContent } from './content.js'

/** A part of a query that a registration certificate does not cover. */
export interface Beyond {
  /** The `id` of the credential query. */
  readonly credential: string
  /** The claim; undefined if the credential type, or the whole credential, is not covered. */
  readonly path?: ClaimsPath
  /** Continues a sentence about the request: `credential pid asks for …`. */
  readonly sentence: string
}

/**
 * The parts of a query that a registration certificate does not cover (TS 119 475 §5.2.4 `credentials`). A credential query is
 * covered by registered credentials with its format and with all types that it accepts. A registered path covers itself
 * and everything below. `null` of a registered path covers each array element, and no other component. A registered
 * credential without `claim` covers no claim: the certificate then declares none. Values and claim sets of a query do
 * not matter.
 *
 * @param disclosesAll whether presentations of a format disclose the whole credential. Without `claims`, a query for
 *   such a format asks for everything. For other formats, it asks only for claims that are always disclosed
 *   (OpenID4VP 1.0 §6.4.1).
 * @returns empty if the certificate covers the query
 */
export function beyond(
  { credentials }: Pick<RegistrationContent, 'credentials'>,
  query: DcqlQuery,
  disclosesAll: (format: string) => boolean,
): readonly Beyond[] {
  return query.credentials.flatMap((asked) => beyondOf(credentials, asked, disclosesAll))
}

function beyondOf(
  registered: readonly RegisteredCredential[],
  asked: CredentialQuery,
  disclosesAll: (format: string) => boolean,
): readonly Beyond[] {
  const { id, format, claims } = asked
  const same = registered.filter((entry) => entry.format === format && coversMeta(entry.meta, asked.meta))
  if (same.length === 0) {
    return [{ credential: id, sentence: `credential ${id} asks for a type that the certificate does not have` }]
  }
  if (claims === undefined) {
    if (!disclosesAll(format) || same.some((entry) => entry.claims === undefined)) return []
    return [{ credential: id, sentence: `credential ${id} asks for all claims, but the certificate has only some` }]
  }
  const paths = same.flatMap((entry) => entry.claims ?? [])
  return claims
    .filter(({ path }) => !paths.some((covering) => coversPath(covering, path)))
    .map(({ path }) => ({
      credential: id,
      path,
      sentence: `credential ${id} asks for the claim ${textOfClaimsPath(path)}, which the certificate does not have`,
    }))
}

/** Whether a registered `meta` accepts each type that the asked `meta` accepts. Both must have the same members. */
function coversMeta(registered: JsonObject, asked: JsonObject): boolean {
  const names = Object.keys(registered)
  if (names.length !== Object.keys(asked).length) return false
  return names.every((name) => Object.hasOwn(asked, name) && coversValue(registered[name], asked[name]))
}

/** Alternatives (`vct_values`, `type_values`) are covered one by one. Any other value must be the same. */
function coversValue(registered: unknown, asked: unknown): boolean {
  if (!Array.isArray(registered) || !Array.isArray(asked)) return isDeepStrictEqual(registered, asked)
  return asked.length > 0 && asked.every((one) => registered.some((other) => coversAlternative(other, one)))
}

/** An alternative of `type_values` demands all of its types. One with more types accepts fewer credentials. */
function coversAlternative(registered: unknown, asked: unknown): boolean {
  if (!Array.isArray(registered) || !Array.isArray(asked)) return isDeepStrictEqual(registered, asked)
  return registered.length > 0 && registered.every((type) => asked.includes(type))
}

const coversPath = (registered: ClaimsPath, asked: ClaimsPath): boolean =>
  registered.length > 0 && registered.every((component, at) => coversComponent(component, asked[at]))

const coversComponent = (registered: string | number | null, asked: string | number | null | undefined): boolean =>
  registered === asked || (registered === null && typeof asked === 'number')

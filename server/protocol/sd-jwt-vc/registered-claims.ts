import { CredentialError, MAX_DEPTH } from '../credential/verification.js'
import { isObject, type JsonObject } from '../json/json-object.js'

/** Claims that no Disclosure may contain, not even a part of the claim (SD-JWT VC, "Registered JWT Claims"). */
export const NEVER_DISCLOSED: ReadonlySet<string> = new Set([
  'iss',
  'nbf',
  'exp',
  'cnf',
  'vct',
  'vct#integrity',
  'aka_vcts',
  'status',
])

/** Names that have a special meaning in every SD-JWT (RFC 9901 §4.1, §4.1.1). */
export const SD_JWT_NAMES: ReadonlySet<string> = new Set(['_sd', '...', '_sd_alg'])

/** Names at the top level that the credential itself uses. No claim about the subject can have them. */
export const REGISTERED_CLAIMS: ReadonlySet<string> = new Set([
  ...NEVER_DISCLOSED,
  'sub',
  'iat',
  'aud',
  'jti',
  ...SD_JWT_NAMES,
])

/**
 * Checks that claims about a subject can be part of an SD-JWT VC. It must be called before an offer is made.
 *
 * @throws CredentialError that names the first unsuitable claim.
 */
export function checkSubjectClaims(claims: JsonObject): void {
  for (const name of Object.keys(claims)) {
    if (REGISTERED_CLAIMS.has(name)) {
      throw new CredentialError(`Subject claim ${name} collides with the registered claim of the same name.`)
    }
  }
  checkNames(claims, 0)
}

function checkNames(value: unknown, depth: number): void {
  if (depth > MAX_DEPTH) throw new CredentialError(`Subject claims are nested deeper than ${MAX_DEPTH} levels.`)
  if (Array.isArray(value)) {
    for (const item of value) checkNames(item, depth + 1)
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      // RFC 9901 §4.1: `_sd` and `...` contain digests and nothing else. Some implementations of the standard lose
      // claims with an empty name or the name `__proto__`.
      if (SD_JWT_NAMES.has(name) || name === '' || name === '__proto__') {
        throw new CredentialError(`Subject claim name "${name}" cannot be used in an SD-JWT.`)
      }
      checkNames(member, depth + 1)
    }
  }
}

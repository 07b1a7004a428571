import type { UserClaims } from '../../../auth/sign-in.js'
import { valueAt } from '../../../protocol/json/json-pointer.js'
import type { IssuanceContext } from '../../issuance/store.js'
import type { ClaimsFrom } from '../../schemas/store.js'
import type { ProvidedClaims } from './authorization.js'

/** A subject made from the provider's claims. A claim that the provider does not send is left out. */
export function subjectFrom(claimsFrom: ClaimsFrom, claims: UserClaims): Record<string, unknown> {
  const entries = Object.entries(claimsFrom).map(([name, pointer]) => [name, valueAt(claims, pointer)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

const NAMES = ['name', 'preferred_username', 'email'] as const

const nameOf = (claims: UserClaims): string | undefined =>
  NAMES.map((claim) => claims[claim])
    .find((value): value is string => typeof value === 'string' && value !== '')
    ?.slice(0, 200)

/** Members of an ID token that describe the token or the session, not the user (OpenID Connect Core 1.0 §2). */
const OF_THE_TOKEN: ReadonlySet<string> = new Set([
  'acr',
  'amr',
  'at_hash',
  'aud',
  'auth_time',
  'azp',
  'c_hash',
  'exp',
  'iat',
  'iss',
  'jti',
  'nbf',
  'nonce',
  's_hash',
  'sid',
  'typ',
])

/** Limit for the claims that a claims source gets, in bytes of JSON. */
const MAX_SIGN_IN_BYTES = 16_384

/** The claims about the user for a claims source. A claim that would exceed the limit is left out. */
export function signInClaims(claims: UserClaims): Record<string, unknown> {
  let left = MAX_SIGN_IN_BYTES
  const about = Object.entries(claims).filter(([name, value]) => {
    if (OF_THE_TOKEN.has(name) || value === undefined) return false
    const bytes = Buffer.byteLength(JSON.stringify({ [name]: value }))
    if (bytes > left) return false
    left -= bytes
    return true
  })
  return Object.fromEntries(about)
}

/**
 * The part of the provider's claims that is stored until the user decides. This part contains a name for the user. If a
 * type is issued from the provider's claims, it also contains the claims of the credential.
 *
 * @param contexts the issuable versions of the types that the wallet requests; empty if the request names an offer
 * @param claimsAtIssuance whether the claims of this offer come from a claims source
 */
export function providedClaims(
  contexts: readonly IssuanceContext[],
  claims: UserClaims,
  claimsAtIssuance: boolean,
): ProvidedClaims {
  const [made] = contexts.flatMap(({ id, claimsFrom }) =>
    claimsFrom === null ? [] : [{ schemaId: id, credentialSubject: subjectFrom(claimsFrom, claims) }],
  )
  const isForSource = claimsAtIssuance || contexts.some(({ claimsSource }) => claimsSource !== null)
  return { name: nameOf(claims), made, ...(isForSource ? { signIn: signInClaims(claims) } : {}) }
}

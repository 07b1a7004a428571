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

/**
 * The part of the provider's claims that is stored until the user decides. This part contains a name for the user. If a
 * type is issued from the provider's claims, it also contains the claims of the credential.
 *
 * @param contexts the issuable versions of the types that the wallet requests; empty if the request names an offer
 */
export function providedClaims(contexts: readonly IssuanceContext[], claims: UserClaims): ProvidedClaims {
  const [made] = contexts.flatMap(({ id, claimsFrom }) =>
    claimsFrom === null ? [] : [{ schemaId: id, credentialSubject: subjectFrom(claimsFrom, claims) }],
  )
  return { name: nameOf(claims), made }
}

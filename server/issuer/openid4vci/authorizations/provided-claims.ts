import type { UserClaims } from '../../../auth/sign-in.js'
import { valueAt } from '../../../protocol/json/json-pointer.js'
import type { IssuanceContext } from '../../issuance/store.js'
import type { ClaimsFrom } from '../../schemas/store.js'
import type { ProvidedClaims } from './authorization.js'

/** A subject of the provider's claims. What the provider does not say is no claim. */
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
 * The part of the provider's claims that is kept until the user decides. It has a name for the user. Where a type is issued of
 * such claims, it has the claims that the credential would hold.
 *
 * @param contexts what would be issued of the types that the wallet asks for; none where it named an offer
 */
export function providedClaims(contexts: readonly IssuanceContext[], claims: UserClaims): ProvidedClaims {
  const [made] = contexts.flatMap(({ id, claimsFrom }) =>
    claimsFrom === null ? [] : [{ schemaId: id, credentialSubject: subjectFrom(claimsFrom, claims) }],
  )
  return { name: nameOf(claims), made }
}

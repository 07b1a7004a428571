import { DcqlQuery } from 'dcql'
import { decodeJwt } from 'jose'
import type { HeldCredential } from './receive.js'

/** A credential chosen for one credential query, and the claims that it must disclose. */
export interface Chosen {
  readonly queryId: string
  readonly credential: HeldCredential
  /** The names of the top-level claims to disclose. */
  readonly disclose: readonly string[]
}

interface ClaimQuery {
  readonly path?: readonly unknown[]
}

/** All top-level claims of an SD-JWT VC, also the selectively disclosable claims. */
function disclosedClaims(compact: string): Record<string, unknown> {
  const [jwt = '', ...disclosures] = compact.split('~').slice(0, -1)
  const pairs = disclosures.map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown[])
  const disclosed = pairs.filter(({ length }) => length === 3).map(([, name, value]) => [String(name), value])
  return { ...decodeJwt(jwt), ...Object.fromEntries(disclosed) }
}

/** Converts a credential to the input of the query library. */
function candidateOf({ format, compact }: HeldCredential) {
  if (format === 'dc+sd-jwt') {
    const claims = disclosedClaims(compact) as Record<string, never>
    return {
      credential_format: 'dc+sd-jwt' as const,
      vct: String(claims.vct),
      claims,
      cryptographic_holder_binding: true,
    }
  }
  const { vc } = decodeJwt(compact) as { vc: Record<string, never> & { type: string[] } }
  return { credential_format: 'jwt_vc_json' as const, type: vc.type, claims: vc, cryptographic_holder_binding: true }
}

/**
 * Chooses the credentials for a DCQL query (OpenID4VP 1.0 §6). It uses the first option of the query that the wallet
 * can satisfy.
 */
export function match(dcqlQuery: unknown, held: readonly HeldCredential[]): Chosen[] {
  const query = DcqlQuery.parse(dcqlQuery as DcqlQuery.Input)
  const result = DcqlQuery.query(query, held.map(candidateOf))
  const found = (id: string): Chosen[] => {
    const [first] = result.credential_matches[id]?.valid_credentials ?? []
    const credential = first === undefined ? undefined : held[first.input_credential_index]
    if (first === undefined || credential === undefined) return []
    const asked = query.credentials.find((credentialQuery) => credentialQuery.id === id)
    const claims = (asked?.claims ?? []) as readonly ClaimQuery[]
    const indexes = first.claims.valid_claim_sets[0].valid_claim_indexes ?? []
    return [{ queryId: id, credential, disclose: indexes.map((index) => String(claims[index]?.path?.[0])) }]
  }
  const sets = query.credential_sets?.map(({ options }) => options) ?? [[query.credentials.map(({ id }) => id)]]
  return sets.flatMap((options) => {
    const possible = options
      .map((ids) => ids.flatMap(found))
      .filter((chosen, at) => chosen.length === options[at]?.length)
    return possible[0] ?? []
  })
}

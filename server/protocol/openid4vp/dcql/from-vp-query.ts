import { type CompiledItem, VpQueryError } from '../query/vp-query.js'
import { claimsAndSets } from './claim-sets.js'
import type { CredentialQuery } from './credential-query.js'
import type { DcqlQuery } from './dcql-query.js'
import { claimsOfField } from './item-claims.js'
import { type KnownTypes, typeValuesOf, vctValuesOf } from './item-types.js'

const SUFFIXES = { 'dc+sd-jwt': 'sd-jwt', jwt_vc_json: 'jwt-vc' } as const
const CREDENTIAL_ID = /^item-(\d+)-(?:sd-jwt|jwt-vc)$/

/**
 * The DCQL query (OpenID4VP 1.0 §6) that asks for what a VP query demands: one credential query for each item and format, those
 * of an item joined by `credential_sets`. It may ask for more than will satisfy the items, never for less: answers are evaluated
 * against the items themselves.
 *
 * @param root what the query is called in the request, for the error's path
 * @throws VpQueryError when no format can hold what an item asks for
 */
export function dcqlFromVpQuery(items: readonly CompiledItem[], types: KnownTypes, root = 'query'): DcqlQuery {
  const queries = items.map((item, index) => {
    const alternatives = credentialQueriesOf(item, index, types)
    if (alternatives.length > 0) return alternatives
    throw new VpQueryError(`${root}.${index}`, 'asks for what no credential of a supported format and type can hold')
  })
  const credentials = queries.flat()
  if (queries.every(({ length }) => length === 1)) return { credentials }
  // Without sets a wallet looks for every credential query, that is for each item in both formats (§6.4.2).
  return {
    credentials,
    credential_sets: queries.map((alternatives) => ({ options: alternatives.map(({ id }) => [id]) })),
  }
}

/** The query item (its index) that a credential query of dcqlFromVpQuery came from, undefined for any other id. */
export function itemOfCredentialId(id: string): number | undefined {
  const index = CREDENTIAL_ID.exec(id)?.[1]
  return index === undefined ? undefined : Number(index)
}

function credentialQueriesOf(item: CompiledItem, index: number, types: KnownTypes): CredentialQuery[] {
  const sdJwt = sdJwtQueryOf(item, index, types)
  const jwtVc = jwtVcQueryOf(item, index)
  // Where a claims path cannot say what is wanted, a holder of an SD-JWT VC would not know what to disclose.
  if (isInexpressible(item) && jwtVc !== undefined) return [withoutClaims(jwtVc)]
  return [sdJwt, jwtVc].filter((query) => query !== undefined)
}

function sdJwtQueryOf(item: CompiledItem, index: number, types: KnownTypes): CredentialQuery | undefined {
  const claims = claimsOf(item, 'dc+sd-jwt')
  const vct_values = vctValuesOf(item, types)
  if (claims === undefined || vct_values.length === 0) return undefined
  return { id: idOf(index, 'dc+sd-jwt'), format: 'dc+sd-jwt', meta: { vct_values }, ...claims }
}

function jwtVcQueryOf(item: CompiledItem, index: number): CredentialQuery | undefined {
  const claims = claimsOf(item, 'jwt_vc_json')
  const type_values = typeValuesOf(item)
  if (claims === undefined || type_values.length === 0) return undefined
  return { id: idOf(index, 'jwt_vc_json'), format: 'jwt_vc_json', meta: { type_values }, ...claims }
}

/** Undefined where a field asks for what no credential of the format has. */
function claimsOf(
  { fields }: CompiledItem,
  format: CredentialQuery['format'],
): ReturnType<typeof claimsAndSets> | undefined {
  const needs = fields.map((field) => claimsOfField(field, format))
  if (needs.some(({ kind }) => kind === 'absent')) return undefined
  return claimsAndSets(needs.filter((need) => need.kind === 'claims'))
}

function isInexpressible({ fields }: CompiledItem): boolean {
  return fields.some((field) =>
    (['dc+sd-jwt', 'jwt_vc_json'] as const).some((format) => claimsOfField(field, format).kind === 'inexpressible'),
  )
}

function withoutClaims({ claims: _claims, claim_sets: _sets, ...query }: CredentialQuery): CredentialQuery {
  return query
}

function idOf(index: number, format: keyof typeof SUFFIXES): string {
  return `item-${index}-${SUFFIXES[format]}`
}

import { type Work, WorkExceededError } from '../../work.js'
import { type CompiledItem, VpQueryError } from '../query/vp-query.js'
import { claimsAndSets } from './claim-sets.js'
import type { CredentialQuery } from './credential-query.js'
import type { DcqlQuery } from './dcql-query.js'
import type { KnownTypes, QueryableFormat, Querying } from './format.js'
import { claimsOfField, type FieldClaims } from './item-claims.js'

const LETTER_A = 'a'.charCodeAt(0)

const CREDENTIAL_ID = /^item-(\d+)-[a-z][a-z-]*$/

/**
 * Makes the DCQL query (OpenID4VP 1.0 §6) for a VP query: one credential query for each item and format. If an item has
 * several credential queries, a credential set says that one of them is enough. The DCQL query may ask for more claims
 * than the items need, but never for fewer. Therefore answers are checked against the items, not only against the DCQL
 * query.
 *
 * @param work the budget for the conversion
 * @param root name of the query in the request, for the error's path
 * @throws VpQueryError if no format can hold a claim that an item asks for, or the item takes too much work
 */
export function dcqlFromVpQuery(
  items: readonly CompiledItem[],
  types: KnownTypes,
  formats: readonly QueryableFormat[],
  work: Work,
  root = 'query',
): DcqlQuery {
  const queries = items.map((item, index) => {
    const alternatives = orTooMuch(`${root}.${index}`, () => credentialQueriesOf(item, index, types, formats, work))
    if (alternatives.length > 0) return alternatives
    throw new VpQueryError(`${root}.${index}`, 'asks for what no credential of a supported format and type can hold')
  })
  const credentials = queries.flat()
  if (queries.every(({ length }) => length === 1)) return { credentials }
  // Without `credential_sets`, a wallet would have to answer each item in every format (§6.4.2).
  return {
    credentials,
    credential_sets: queries.map((alternatives) => ({ options: alternatives.map(({ id }) => [id]) })),
  }
}

/**
 * Returns the index of the query item for which dcqlFromVpQuery made the credential query with this id. Undefined for
 * any other id.
 */
export function itemOfCredentialId(id: string): number | undefined {
  const index = CREDENTIAL_ID.exec(id)?.[1]
  return index === undefined ? undefined : Number(index)
}

function orTooMuch<Result>(at: string, attempt: () => Result): Result {
  try {
    return attempt()
  } catch (error) {
    if (!(error instanceof WorkExceededError)) throw error
    throw new VpQueryError(at, 'takes more work to be asked for in DCQL than one request may', { cause: error })
  }
}

function credentialQueriesOf(
  item: CompiledItem,
  index: number,
  types: KnownTypes,
  formats: readonly QueryableFormat[],
  work: Work,
): CredentialQuery[] {
  const alternatives = formats.flatMap(({ name, querying }) => {
    const claims = claimsOf(item, types, querying, work)
    if (claims === undefined) return []
    const id = `item-${index}-${querying.idSuffix}`
    return querying.metasOf(item, types, work).map((meta, at) => ({
      querying,
      query: { id: at === 0 ? id : `${id}-${String.fromCharCode(LETTER_A + at)}`, format: name, meta, ...claims },
    }))
  })
  // If claims paths cannot express the item, the holder cannot know which claims to disclose. So only formats that
  // always disclose the whole credential are requested.
  const whole = alternatives.filter(({ querying }) => querying.disclosesAll)
  if (whole.length > 0 && isInexpressible(item, types, formats, work))
    return whole.map(({ query }) => withoutClaims(query))
  return alternatives.map(({ query }) => query)
}

/** The claims of an item in one format. Undefined if a field asks for a value that no credential of the format has. */
function claimsOf(
  item: CompiledItem,
  types: KnownTypes,
  querying: Querying,
  work: Work,
): ReturnType<typeof claimsAndSets> | undefined {
  const needs = needsOf(item, types, querying, work)
  if (needs.some(({ kind }) => kind === 'absent')) return undefined
  return claimsAndSets(
    needs.filter((need) => need.kind === 'claims'),
    work,
  )
}

function isInexpressible(
  item: CompiledItem,
  types: KnownTypes,
  formats: readonly QueryableFormat[],
  work: Work,
): boolean {
  return formats.some(({ querying }) =>
    needsOf(item, types, querying, work).some(({ kind }) => kind === 'inexpressible'),
  )
}

function needsOf(item: CompiledItem, types: KnownTypes, querying: Querying, work: Work): FieldClaims[] {
  return item.fields.map((field) => claimsOfField(field, (path) => querying.meaningOf(path, item, types, work)))
}

function withoutClaims({ claims: _claims, claim_sets: _sets, ...query }: CredentialQuery): CredentialQuery {
  return query
}

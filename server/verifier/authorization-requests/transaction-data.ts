import { errors } from '../../api/errors.js'
import type { Formats } from '../../formats/registry.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import { allowedHashes, type TransactionData } from '../../protocol/openid4vp/transaction-data.js'

type Query = DcqlQuery['credentials'][number]

/**
 * The reason why a credential query cannot authorize transactions (OpenID4VP 1.0 Appendix B.3.3); undefined if the
 * query can authorize transactions.
 */
function faultOf(query: Query | undefined, formats: Pick<Formats, 'named'>): string | undefined {
  if (query === undefined) return 'must be the id of a credential query'
  if (!formats.named(query.format).querying.authorizesTransactions) {
    return `must not name a credential query of format ${query.format}, which has no transaction data`
  }
  return query.require_cryptographic_holder_binding === false
    ? 'must not name a credential query without require_cryptographic_holder_binding'
    : undefined
}

/**
 * The JSON of each entry. This JSON is stored unchanged, and sent encoded.
 *
 * @throws 400 for an entry that no presentation could authorize, and for a duplicate entry.
 */
export function newTransactionData(
  entries: readonly TransactionData[] | undefined,
  { credentials }: DcqlQuery,
  formats: Pick<Formats, 'named'>,
): readonly string[] | null {
  if (entries === undefined) return null
  const queries = new Map(credentials.map((query) => [query.id, query]))
  for (const [index, { credential_ids: ids }] of entries.entries()) {
    for (const [at, id] of ids.entries()) {
      const fault = faultOf(queries.get(id), formats)
      if (fault !== undefined) throw errors.badRequest(`transactionData.${index}.credential_ids.${at} ${fault}`)
    }
  }
  assertOneHash(entries, queries)
  const kept = entries.map((entry) => JSON.stringify(entry))
  const again = kept.findIndex((json, index) => kept.indexOf(json) < index)
  if (again >= 0) throw errors.badRequest(`transactionData.${again} must not be the same as another`)
  return kept
}

/** One Key Binding JWT has hashes of one algorithm: entries that only one presentation can authorize must share an algorithm. */
function assertOneHash(entries: readonly TransactionData[], queries: ReadonlyMap<string, Query>): void {
  const left = new Map<string, readonly string[]>()
  for (const [index, entry] of entries.entries()) {
    const [id = '', ...others] = new Set(entry.credential_ids)
    if (others.length > 0 || queries.get(id)?.multiple === true) continue
    const allowed = allowedHashes(entry)
    const common = (left.get(id) ?? allowed).filter((name) => allowed.includes(name))
    if (common.length === 0) {
      throw errors.badRequest(
        `transactionData.${index}.transaction_data_hashes_alg must share an algorithm with the others for ${id}`,
      )
    }
    left.set(id, common)
  }
}

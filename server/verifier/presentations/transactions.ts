import {
  authorizedEntries,
  type SentTransactionData,
  TransactionDataError,
} from '../../protocol/openid4vp/transaction-data.js'
import type { Judged } from './judged.js'
import { PresentationError } from './presentation-error.js'

/** A presentation, the transaction data of its request, and the indexes of the entries that it authorizes. */
export type JudgedWithTransactions = Judged & {
  readonly asked: readonly SentTransactionData[]
  readonly authorizes: readonly number[]
}

/** Adds the entries that a presentation authorizes. A presentation with unrequested hashes fails (OpenID4VP 1.0 §8.4, §8.6). */
export function withTransactions(asked: readonly SentTransactionData[], judged: Judged): JudgedWithTransactions {
  const { query, found } = judged
  if (found instanceof PresentationError) return { ...judged, asked, authorizes: [] }
  try {
    const authorizes = found.flatMap(({ transactionDataHashes: hashes }) =>
      hashes === undefined ? [] : authorizedEntries(asked, query.id, hashes),
    )
    return { ...judged, asked, authorizes }
  } catch (thrown) {
    if (!(thrown instanceof TransactionDataError)) throw thrown
    const message = `Presentation for ${query.id}: ${thrown.message}`
    const failed = new PresentationError('transaction-data', message, { cause: thrown })
    return { ...judged, found: failed, asked, authorizes: [] }
  }
}

/**
 * Checks that exactly one presentation authorizes each entry (OpenID4VP 1.0 §5.1: wallets use only one of the credentials).
 *
 * @throws PresentationError that names the entry.
 */
export function assertAuthorized(
  asked: readonly SentTransactionData[],
  judged: readonly JudgedWithTransactions[],
): void {
  for (const [index, { entry }] of asked.entries()) {
    const authorizing = judged.filter(({ authorizes }) => authorizes.includes(index)).length
    if (authorizing === 1) continue
    if (authorizing > 1) {
      throw new PresentationError('transaction-data', `transactionData.${index} is authorized more than once.`)
    }
    const failed = judged.find(
      ({ query, found }) => found instanceof PresentationError && entry.credential_ids.includes(query.id),
    )
    const why = failed?.found instanceof PresentationError ? failed.found.message : 'No presentation has its hash.'
    throw new PresentationError('transaction-data', `transactionData.${index} is not authorized. ${why}`)
  }
}

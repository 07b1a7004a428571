import { z } from 'zod'
import { digestNamed, HASH_NAMES } from '../sd-jwt-vc/hash.js'

const MAX_ENTRIES = 16
const MAX_ENTRY_BYTES = 8_192
const DEFAULT_HASH = 'sha-256'

/** An entry of `transaction_data` (OpenID4VP 1.0 §5.1, Appendix B.3.3.1), with all members that its type defines. */
export const zTransactionData = z.looseObject({
  type: z.string().min(1).max(256),
  credential_ids: z.array(z.string()).min(1).max(32),
  transaction_data_hashes_alg: z.array(z.enum(HASH_NAMES)).min(1).max(HASH_NAMES.length).optional(),
})

export interface TransactionData {
  readonly type: string
  readonly credential_ids: readonly string[]
  readonly transaction_data_hashes_alg?: readonly string[] | undefined
  readonly [member: string]: unknown
}

const bytesOf = (entry: unknown): number => Buffer.byteLength(JSON.stringify(entry))

/** The entries of one request, limited in number and size. */
export const zTransactionDataEntries = z
  .array(
    zTransactionData.refine((entry) => bytesOf(entry) <= MAX_ENTRY_BYTES, {
      error: `must not hold more than ${MAX_ENTRY_BYTES} bytes as JSON`,
    }),
  )
  .min(1)
  .max(MAX_ENTRIES)

/** An entry of a request, and the string that represents it in `transaction_data`. */
export interface SentTransactionData {
  readonly entry: TransactionData
  readonly sent: string
}

/** The string that is sent for an entry; the entry is stored as JSON (§5.1). */
export const encodedTransactionData = (json: string): string => Buffer.from(json).toString('base64url')

/** Reads the entries of a request of this service from their stored JSON. */
export const keptTransactionData = (kept: readonly string[]): readonly SentTransactionData[] =>
  kept.map((json) => ({ entry: JSON.parse(json) as TransactionData, sent: encodedTransactionData(json) }))

/** The hash algorithms that an entry allows, the preferred algorithm first. */
export const allowedHashes = ({ transaction_data_hashes_alg: listed }: TransactionData): readonly string[] =>
  listed ?? [DEFAULT_HASH]

/** Members of a Key Binding JWT about transaction data, unchanged: `transaction_data_hashes` and the algorithm (Appendix B.3.3.1). */
export interface TransactionDataHashes {
  readonly hashes: unknown
  readonly alg: unknown
}

/**
 * Thrown if the hashes in a Key Binding JWT do not match the request. The message names the entry and the failed check.
 */
export class TransactionDataError extends Error {
  override readonly name = 'TransactionDataError'
}

const isHashes = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((hash) => typeof hash === 'string')

/**
 * The entries that a presentation authorizes (OpenID4VP 1.0 §8.4, Appendix B.3.3.1). Every hash in the presentation
 * must match a sent entry. The entry must name the credential and allow the algorithm.
 *
 * @returns their indexes in the request; empty if the presentation has no hashes.
 * @throws TransactionDataError
 */
export function authorizedEntries(
  asked: readonly SentTransactionData[],
  credentialQueryId: string,
  { hashes, alg }: TransactionDataHashes,
): readonly number[] {
  if (hashes === undefined) return []
  if (asked.length === 0) {
    throw new TransactionDataError('transaction_data_hashes are there, although no transaction data was asked for.')
  }
  if (!isHashes(hashes)) throw new TransactionDataError('transaction_data_hashes is no array of hashes.')
  if (hashes.length > asked.length) {
    throw new TransactionDataError('transaction_data_hashes holds more than was asked for.')
  }
  const name = alg === undefined ? DEFAULT_HASH : alg
  const digest = typeof name === 'string' ? digestNamed(name) : undefined
  if (typeof name !== 'string' || digest === undefined) {
    throw new TransactionDataError(`transaction_data_hashes_alg is none of ${HASH_NAMES.join(', ')}.`)
  }
  const indexes = new Map(asked.map(({ sent }, index) => [digest(sent), index]))
  const found = hashes.map((hash, at) => {
    const index = indexes.get(hash)
    const entry = index === undefined ? undefined : asked[index]?.entry
    if (index === undefined || entry === undefined) {
      throw new TransactionDataError(`transaction_data_hashes.${at} is the hash of nothing that was asked for.`)
    }
    assertAllowed(entry, `transactionData.${index}`, credentialQueryId, alg === undefined ? undefined : name)
    return index
  })
  if (new Set(found).size < found.length) throw new TransactionDataError('transaction_data_hashes holds a hash twice.')
  return found
}

function assertAllowed(entry: TransactionData, which: string, queryId: string, alg: string | undefined): void {
  if (!entry.credential_ids.includes(queryId)) {
    throw new TransactionDataError(`${which} is not for this credential: credential_ids does not name it.`)
  }
  if (entry.transaction_data_hashes_alg !== undefined && alg === undefined) {
    throw new TransactionDataError(`transaction_data_hashes_alg is missing, which ${which} asks for.`)
  }
  if (!allowedHashes(entry).includes(alg ?? DEFAULT_HASH)) {
    throw new TransactionDataError(`transaction_data_hashes_alg is none that ${which} allows.`)
  }
}

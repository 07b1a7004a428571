import { z } from 'zod'
import { errors } from '../../api/errors.js'
import {
  allowedHashes,
  type SentTransactionData,
  type TransactionData,
  zTransactionData,
} from '../../protocol/openid4vp/transaction-data.js'
import { digestNamed } from '../../protocol/sd-jwt-vc/hash.js'
import { parsedJson } from '../exchange/failure.js'
import type { Match, ParsedQuery } from './match-query.js'
import { RefusedRequest } from './refused-request.js'

/** Limits on the text that a stranger may show to a person. */
const MAX_ENTRIES = 16
const MAX_ENTRY_CHARACTERS = 16_384

/** Verifiers may also list unknown algorithms. */
const zEntry = zTransactionData.extend({ transaction_data_hashes_alg: z.array(z.string()).min(1).max(32).optional() })

const refused = (which: string, why: string) => new RefusedRequest('invalid_transaction_data', `${which} ${why}.`)

/**
 * The transaction data of a request (OpenID4VP 1.0 §5.1, §8.4), to show to the person who confirms the transactions.
 * This wallet knows no types of transaction data, so it shows all members.
 *
 * @param sent `transaction_data`; undefined if the request has none.
 * @throws RefusedRequest for an entry that this wallet cannot answer according to Appendix B.3.3.
 */
export function readTransactionData(sent: unknown, query: ParsedQuery): readonly SentTransactionData[] {
  const strings: readonly unknown[] = Array.isArray(sent) ? sent : sent === undefined ? [] : [sent]
  if (strings.length > MAX_ENTRIES) throw refused('The transaction data', `are more than ${MAX_ENTRIES}`)
  return strings.map((text, index) => {
    const which = `Transaction data ${index + 1}`
    const entry = typeof text === 'string' ? entryOf(text) : undefined
    if (typeof text !== 'string' || entry === undefined) throw refused(which, 'are not well-formed')
    if (!allowedHashes(entry).some((name) => digestNamed(name) !== undefined)) {
      throw refused(which, 'allow no hash algorithm that is known here')
    }
    if (!entry.credential_ids.every((id) => canAuthorize(query, id))) {
      throw refused(which, 'name a credential that cannot authorize them')
    }
    return { entry, sent: text }
  })
}

function entryOf(text: string): TransactionData | undefined {
  if (text.length > MAX_ENTRY_CHARACTERS || !/^[\w-]+$/.test(text)) return undefined
  return zEntry.safeParse(parsedJson(Buffer.from(text, 'base64url').toString())).data
}

/** Appendix B.3.3: the format must support transaction data, and the query must demand holder binding. */
function canAuthorize({ query, formats }: ParsedQuery, id: string): boolean {
  const asked = query.credentials.find((credential) => credential.id === id)
  return (
    formats.get(id)?.querying.authorizesTransactions === true && asked?.require_cryptographic_holder_binding !== false
  )
}

interface Authorizing {
  readonly match: Match
  readonly entries: readonly SentTransactionData[]
  /** Algorithms that all entries allow. */
  readonly algorithms: readonly string[]
}

/**
 * Assigns each entry of transaction data to one credential (§5.1), to the selected credential if possible.
 *
 * @returns the matches, with the hashes for the holder's proof.
 * @throws 400 if no credential can authorize an entry.
 */
export function authorizing(
  transactionData: readonly SentTransactionData[],
  matches: readonly Match[],
  selectedId: string,
): readonly Match[] {
  const order = matches.toSorted((a, b) => Number(b.held.id === selectedId) - Number(a.held.id === selectedId))
  const all = new Map<string, Authorizing>(
    order.map((match) => [match.queryId, { match, entries: [], algorithms: ['sha-256', 'sha-384', 'sha-512'] }]),
  )
  for (const one of transactionData) {
    const taken = [...all.values()].map((each) => withEntry(each, one)).find((each) => each !== undefined)
    if (taken === undefined) {
      throw errors.badRequest('selectedCredential.id must be the id of a credential that can authorize the transaction')
    }
    all.set(taken.match.queryId, taken)
  }
  return matches.map((match) => ({ ...match, transactionDataHashes: hashesOf(all.get(match.queryId)) }))
}

function withEntry({ match, entries, algorithms }: Authorizing, one: SentTransactionData): Authorizing | undefined {
  const allowed = allowedHashes(one.entry)
  const common = algorithms.filter((name) => allowed.includes(name))
  if (!one.entry.credential_ids.includes(match.queryId) || common.length === 0) return undefined
  return { match, entries: [...entries, one], algorithms: common }
}

/** Appendix B.3.3.1: the proof names the algorithm if an entry names algorithms. */
function hashesOf(authorizing: Authorizing | undefined): Match['transactionDataHashes'] {
  const [alg = ''] = authorizing?.algorithms ?? []
  const digest = digestNamed(alg)
  if (authorizing === undefined || authorizing.entries.length === 0 || digest === undefined) return undefined
  const named = authorizing.entries.some(({ entry }) => entry.transaction_data_hashes_alg !== undefined)
  return { hashes: authorizing.entries.map(({ sent }) => digest(sent)), ...(named ? { alg } : {}) }
}

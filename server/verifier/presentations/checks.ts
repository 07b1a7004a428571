import type { Check } from '../../protocol/credential/verification.js'
import type { PresentationChecks } from './presentation-error.js'
import { PresentationError } from './presentation-error.js'
import type { JudgedWithTransactions } from './transactions.js'

/** Presentations whose checks are kept of one answer; it may hold 64. */
const MAX_KEPT = 20
const MAX_ID = 100
const MAX_MESSAGE = 300

/** What every presentation that holds has passed. */
const ALWAYS: readonly Check[] = ['format', 'issuer-trust', 'issuer-key', 'signature', 'validity', 'revoked', 'query']

const failedBy = (error: PresentationError) => ({ check: error.check, message: error.message.slice(0, MAX_MESSAGE) })

function checksOf({ query, found, authorizes }: JudgedWithTransactions): PresentationChecks {
  const credentialQueryId = query.id.slice(0, MAX_ID)
  if (found instanceof PresentationError) return { credentialQueryId, passed: [], failed: failedBy(found) }
  const bound = found.length > 0 && found.every(({ holderBound }) => holderBound)
  return {
    credentialQueryId,
    passed: [
      ...ALWAYS,
      ...(bound ? (['holder-binding'] as const) : []),
      ...(authorizes.length > 0 ? (['transaction-data'] as const) : []),
    ],
    failed: null,
  }
}

/** What was checked of an answer, those that failed first: which of them passed before the one that failed depends on the format and is not told. */
export function keptChecks(judged: readonly JudgedWithTransactions[]): PresentationChecks[] {
  const all = judged.map(checksOf)
  return [...all.filter(({ failed }) => failed !== null), ...all.filter(({ failed }) => failed === null)].slice(
    0,
    MAX_KEPT,
  )
}

/** What was checked of an answer that is refused as a whole, or for one of its presentations. */
export function checksOfRefused(error: PresentationError): readonly PresentationChecks[] {
  const known = error.checks ?? []
  const { message } = failedBy(error)
  if (known.some(({ failed }) => failed?.message === message)) return known
  return [{ credentialQueryId: null, passed: [], failed: failedBy(error) }, ...known].slice(0, MAX_KEPT)
}

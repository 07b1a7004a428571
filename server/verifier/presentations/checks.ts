import type { UntrustedSigner } from '../../protocol/credential/untrusted-signer.js'
import { type Check, CredentialError } from '../../protocol/credential/verification.js'
import type { PresentationChecks } from './presentation-error.js'
import { PresentationError } from './presentation-error.js'
import type { JudgedWithTransactions } from './transactions.js'

/** Number of presentations of one answer whose checks are stored; an answer may hold 64. */
const MAX_KEPT = 20
/** Number of these presentations whose issuers' certificates are stored. */
const MAX_SIGNERS = 5
const MAX_ID = 100
const MAX_MESSAGE = 300

/** Checks that every valid presentation has passed. */
const ALWAYS: readonly Check[] = ['format', 'issuer-trust', 'issuer-key', 'signature', 'validity', 'revoked', 'query']

/** The checks that a presentation has passed so far, in the order in which its format makes them. */
export interface PassedChecks {
  readonly all: () => readonly Check[]
  /** When each of them was passed last. */
  readonly times: ReadonlyMap<Check, Date>
  readonly add: (check: Check) => void
  /** Removes all checks. Call it before the next credential of the same presentation is checked. */
  readonly clear: () => void
}

export function newPassedChecks(clock: () => Date): PassedChecks {
  const passed = new Map<Check, Date>()
  return {
    all: () => [...passed.keys()],
    times: passed,
    add: (check) => void passed.set(check, clock()),
    clear: () => passed.clear(),
  }
}

/** The certificates of the issuer, if the presentation failed because the issuer is not trusted. */
function signerOf({ cause }: PresentationError): { readonly signer?: UntrustedSigner } {
  const untrusted = cause instanceof CredentialError ? cause.untrusted : undefined
  return untrusted === undefined ? {} : { signer: untrusted }
}

const failedBy = (error: PresentationError) => ({ check: error.check, message: error.message.slice(0, MAX_MESSAGE) })

/** Required checks that are known in advance: the query may demand holder binding, the request may have transaction data. */
function demandedOf({ query, asked }: JudgedWithTransactions): readonly Check[] {
  const bound = query.require_cryptographic_holder_binding !== false
  const authorizing = asked.some(({ entry }) => entry.credential_ids.includes(query.id))
  return [
    ...ALWAYS,
    ...(bound ? (['holder-binding'] as const) : []),
    ...(authorizing ? (['transaction-data'] as const) : []),
  ]
}

export function checksOf(judged: JudgedWithTransactions): PresentationChecks {
  const { query, found, authorizes } = judged
  const credentialQueryId = query.id.slice(0, MAX_ID)
  if (found instanceof PresentationError) {
    // A passed check may still fail later for another reason, such as a disclosure.
    const passed = judged.passed.filter((check) => check !== found.check)
    const notReached = demandedOf(judged).filter((check) => check !== found.check && !passed.includes(check))
    return { credentialQueryId, passed, failed: failedBy(found), notReached, ...signerOf(found) }
  }
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

/** The checks of an answer to store; failed presentations come first. */
export function keptChecks(judged: readonly JudgedWithTransactions[]): PresentationChecks[] {
  const all = judged.map(checksOf)
  const sorted = [...all.filter(({ failed }) => failed !== null), ...all.filter(({ failed }) => failed === null)]
  // The certificates of a few issuers are enough, and a hostile wallet may send many.
  return sorted.slice(0, MAX_KEPT).map(({ signer, ...one }, at) => ({
    ...one,
    ...(signer === undefined || at >= MAX_SIGNERS ? {} : { signer }),
  }))
}

/** The checks of a refused answer: of the whole answer, or of the presentation that failed. */
export function checksOfRefused(error: PresentationError): readonly PresentationChecks[] {
  const known = error.checks ?? []
  const { message } = failedBy(error)
  if (known.some(({ failed }) => failed?.message === message)) return known
  return [{ credentialQueryId: null, passed: [], failed: failedBy(error), ...signerOf(error) }, ...known].slice(
    0,
    MAX_KEPT,
  )
}

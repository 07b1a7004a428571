import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import { creatorIn, type Reach } from '../../auth/rights.js'
import type { UntrustedSigner } from '../../protocol/credential/untrusted-signer.js'
import type { ReadTransactionData } from '../openid4vp/transaction-data.js'
import type { PresentationChecks } from '../presentations/presentation-error.js'
import { NOT_REACHED, PASSED } from '../verify/check-done.js'
import type { readSessionChecks } from './checks.contract.js'
import type { VerificationSessionStore } from './store.js'
import type { VerificationSessions } from './verification-sessions.js'

type ShownChecks = z.input<typeof readSessionChecks.output>

const shownSigner = (signer: UntrustedSigner | undefined) =>
  signer === undefined
    ? {}
    : { signer: { ...signer, certificates: [...signer.certificates], types: [...signer.types] } }

/** Recorded checks in the form of the API, each with its sentence. */
const shownChecks = (checks: readonly PresentationChecks[]): ShownChecks['checks'] =>
  checks.flatMap(({ credentialQueryId, passed, failed, notReached = [], signer }) => {
    const of = credentialQueryId === null ? {} : { credentialQueryId }
    return [
      ...passed.map((check) => ({ ...of, check, outcome: 'passed' as const, message: PASSED[check] })),
      ...(failed === null
        ? []
        : [
            { ...of, check: failed.check, outcome: 'failed' as const, message: failed.message, ...shownSigner(signer) },
          ]),
      ...notReached.map((check) => ({ ...of, check, outcome: 'not-reached' as const, message: NOT_REACHED })),
    ]
  })

/** Dependencies of {@link createSessionChecks}. */
export interface SessionChecksPorts {
  readonly store: Pick<VerificationSessionStore, 'checks'>
  /** Reads the transaction data of an open session. */
  readonly transactionData: ReadTransactionData
  readonly asksOf: VerificationSessions['asksOf']
}

export type SessionChecks = ReturnType<typeof createSessionChecks>

/** Reads the checks of the answers to requests. */
export function createSessionChecks({ store, transactionData, asksOf }: SessionChecksPorts) {
  return {
    /**
     * The credentials that a session asks for, and the checks of its answer. An open session also has its transaction data.
     *
     * @throws 500 for an unknown session, or a session that the reader does not reach
     */
    async read(reach: Reach, sessionId: string): Promise<ShownChecks> {
      const found = await store.checks(sessionId, creatorIn(reach))
      if (found === undefined) throw errors.verificationSessionNotFound()
      const { createdBy, state, errorMessage, checks, dcqlQuery } = found
      const transactions = found.secrets === null ? [] : await transactionData({ id: sessionId, ...found })
      return {
        verificationSessionId: sessionId,
        ...(createdBy === null ? {} : { createdBy }),
        state,
        ...(errorMessage === null ? {} : { errorMessage }),
        asks: asksOf(dcqlQuery),
        ...(transactions.length === 0 ? {} : { transactionData: [...transactions] }),
        checks: shownChecks(checks ?? []),
      }
    },
  }
}

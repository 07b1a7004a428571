import type { z } from 'zod'
import type { Check } from '../../../protocol/credential/verification.js'
import type { PresentationChecks } from '../../presentations/presentation-error.js'
import type { readSessionChecks } from './checks.contract.js'

/** What it means that a check was passed. */
const PASSED: Readonly<Record<Check, string>> = {
  format: 'The presentation is well-formed.',
  'issuer-key': 'The key of its issuer was found.',
  'issuer-trust': 'Its issuer is trusted.',
  signature: 'Its signature is that of its issuer.',
  validity: 'It is valid at this time.',
  'holder-binding': 'Its holder has proven to be its holder, for this request.',
  'transaction-data': 'Its holder has authorized transaction data with it.',
  revoked: 'It is neither revoked nor suspended.',
  status: 'Its status could be read.',
  query: 'It is what was asked for.',
}

type Shown = z.input<typeof readSessionChecks.output>['checks'][number]

/** Recorded checks as they are shown, each with its sentence. */
export const shownChecks = (checks: readonly PresentationChecks[]): Shown[] =>
  checks.flatMap(({ credentialQueryId, passed, failed }) => {
    const of = credentialQueryId === null ? {} : { credentialQueryId }
    return [
      ...passed.map((check) => ({ ...of, check, outcome: 'passed' as const, message: PASSED[check] })),
      ...(failed === null ? [] : [{ ...of, check: failed.check, outcome: 'failed' as const, message: failed.message }]),
    ]
  })

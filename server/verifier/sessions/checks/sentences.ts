import type { z } from 'zod'
import type { PresentationChecks } from '../../presentations/presentation-error.js'
import { NOT_REACHED, PASSED } from '../../verify/check-done.js'
import type { readSessionChecks } from './checks.contract.js'

type Shown = z.input<typeof readSessionChecks.output>['checks'][number]

/** Recorded checks as they are shown, each with its sentence. */
export const shownChecks = (checks: readonly PresentationChecks[]): Shown[] =>
  checks.flatMap(({ credentialQueryId, passed, failed, notReached = [] }) => {
    const of = credentialQueryId === null ? {} : { credentialQueryId }
    return [
      ...passed.map((check) => ({ ...of, check, outcome: 'passed' as const, message: PASSED[check] })),
      ...(failed === null ? [] : [{ ...of, check: failed.check, outcome: 'failed' as const, message: failed.message }]),
      ...notReached.map((check) => ({ ...of, check, outcome: 'not-reached' as const, message: NOT_REACHED })),
    ]
  })

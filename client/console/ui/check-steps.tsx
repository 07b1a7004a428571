import type { ReactNode } from 'react'
import type { CheckDone } from '../queries/shapes.js'
import type { Texts } from '../texts/texts.js'
import { Reason } from './reason.js'
import type { Step } from './timeline.js'

const TONES = { passed: 'good', failed: 'bad', 'not-reached': 'left' } as const

/**
 * Checks as steps of a timeline: name, outcome, and what the check has found.
 *
 * @param named names the credential query of a check, if the checks are about several queries
 */
export function checkSteps(
  checks: readonly CheckDone[],
  { checks: names }: Texts,
  named: (credentialQueryId: string) => ReactNode = () => null,
): Step[] {
  const isOfSeveral = new Set(checks.map(({ credentialQueryId }) => credentialQueryId)).size > 1
  return checks.map(({ check, outcome, message, credentialQueryId }, at) => ({
    key: `${at} ${check}`,
    tone: TONES[outcome],
    title: (
      <>
        {names.names[check]}
        <span className="hidden"> {names.outcomes[outcome]}</span>
        {isOfSeveral && credentialQueryId !== undefined && named(credentialQueryId)}
      </>
    ),
    text:
      outcome === 'failed' ? (
        <Reason check={check}>{message}</Reason>
      ) : outcome === 'passed' ? (
        names.passed[check]
      ) : (
        names.notReached
      ),
  }))
}

import type { CheckDone } from '../queries/shapes.js'
import type { Texts } from '../texts/texts.js'
import { Sentence } from './sentence.js'
import type { Step } from './timeline.js'

const TONES = { passed: 'good', failed: 'bad', 'not-reached': 'left' } as const

/** Checks as steps of a timeline: name, outcome, and the service's sentence. */
export function checkSteps(checks: readonly CheckDone[], { checks: names }: Texts): Step[] {
  const isOfSeveral = new Set(checks.map(({ credentialQueryId }) => credentialQueryId)).size > 1
  return checks.map(({ check, outcome, message, credentialQueryId }, at) => ({
    key: `${at} ${check}`,
    tone: TONES[outcome],
    title: (
      <>
        {names.names[check]}
        <span className="hidden"> {names.outcomes[outcome]}</span>
        {isOfSeveral && credentialQueryId !== undefined && <code className="soft"> {credentialQueryId}</code>}
      </>
    ),
    text: <Sentence>{message}</Sentence>,
  }))
}

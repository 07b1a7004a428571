import type { Config } from '../config/config.js'
import { type ClaimsRetention, claimsStored, type Retained } from '../issuer/issuance/retention.js'
import { type Html, html } from '../pages/html.js'
import type { Speech } from '../pages/speech.js'
import type { PresentPage } from './store.js'

const DAY_SECONDS = 86_400

const UNITS = [
  ['kept.days', DAY_SECONDS],
  ['kept.hours', 3_600],
  ['kept.minutes', 60],
] as const

/** `for 30 days`, in the largest unit that divides the time. */
function forSoLong(seconds: number, speech: Speech): string {
  const [unit, size] = UNITS.find(([, each]) => seconds % each === 0) ?? (['kept.seconds', 1] as const)
  return speech.say(unit, { count: seconds / size })
}

const section = (sentences: readonly string[], speech: Speech): Html =>
  html`<section class="kept"><h2>${speech.say('kept.heading')}</h2><ul>${sentences.map((each) => html`<li>${each}</li>`)}</ul></section>`

/** The settings that decide how long an answer is stored. */
export type KeptAnswerConfig = Pick<Config, 'sessionResultTtlSeconds' | 'sessionRetentionDays'>

/**
 * Says in words how long the service stores the answer to a request, evidence of the answer, and the request itself.
 *
 * @param verifier the name of the verifier, who may read the answer
 */
export function keptOfAnswer(
  { claimsErased, evidenceSeconds }: Pick<PresentPage, 'claimsErased' | 'evidenceSeconds'>,
  { sessionResultTtlSeconds, sessionRetentionDays }: KeptAnswerConfig,
  verifier: string,
  speech: Speech,
): Html {
  const { say } = speech
  const duration = (seconds: number) => ({ duration: forSoLong(seconds, speech) })
  // The claims of an erased session are not stored, and neither is evidence of them.
  const ofAnswer = claimsErased
    ? [say('kept.nothing')]
    : [
        say('kept.answer', { verifier, ...duration(sessionResultTtlSeconds) }),
        say('kept.copies', { verifier }),
        ...(evidenceSeconds === null ? [] : [say('kept.proof', duration(evidenceSeconds))]),
      ]
  return section([...ofAnswer, say('kept.request', duration(sessionRetentionDays * DAY_SECONDS))], speech)
}

function claimsSentence(stored: ClaimsRetention, speech: Speech): string {
  if (stored === 'never') return speech.say('kept.claimsAlways')
  if (stored === 'untilIssued') return speech.say('kept.claimsSoon')
  return speech.say('kept.claims', { duration: forSoLong(stored.days * DAY_SECONDS, speech) })
}

/** Says in words how long the service stores the claims of an offered credential. */
export const keptOfCredential = (type: Retained, config: Pick<Config, 'retentionClaimsDays'>, speech: Speech): Html =>
  section([claimsSentence(claimsStored(type, config), speech)], speech)

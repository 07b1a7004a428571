import type { Speech } from '../../pages/speech.js'
import {
  DECLINED_MESSAGE,
  EXPIRED_MESSAGE,
  isFinal,
  type SessionState,
  WALLET_ANSWERED,
} from '../../verifier/sessions/session.js'
import type { Beginner } from '../browser.js'

/**
 * What people may see of the progress of a request: no presented data, and no reason of a failure, because a reason
 * could contain presented data.
 */
export interface Progress {
  /** `Ended` is the final state for browsers other than the first browser of the page. */
  readonly state: SessionState | 'Ended'
  /** A sentence. */
  readonly message: string
}

function endedBy(errorMessage: string | null | undefined) {
  if (errorMessage === EXPIRED_MESSAGE) return 'present.expired'
  if (errorMessage === DECLINED_MESSAGE) return 'present.youDeclined'
  if (errorMessage?.startsWith(WALLET_ANSWERED) === true) return 'present.declined'
  return 'present.notAccepted'
}

/** The final states. A session does not leave them. */
export const FINAL_STATES: readonly Progress['state'][] = ['ResponseVerified', 'Error', 'Ended']

/**
 * Describes the progress of a request in a sentence.
 *
 * @param beginner `this` for the browser that opened the page first: only this browser learns the outcome. If a wallet answered before
 *   any browser opened the page, no browser learns it
 */
export function progressOf(
  {
    state,
    errorMessage,
  }: {
    readonly state: SessionState
    readonly errorMessage?: string | null | undefined
  },
  beginner: Beginner,
  speech: Speech,
): Progress {
  if (beginner !== 'this' && isFinal(state) && errorMessage !== EXPIRED_MESSAGE)
    return { state: 'Ended', message: speech.say(beginner === 'another' ? 'present.anotherBrowser' : 'link.used') }
  switch (state) {
    case 'RequestCreated':
      return { state, message: speech.say('present.waitingForWallet') }
    case 'RequestUriRetrieved':
      return { state, message: speech.say('present.waitingForAnswer') }
    case 'ResponseVerified':
      return { state, message: speech.say('present.done') }
    case 'Error':
      return { state, message: speech.say(endedBy(errorMessage)) }
  }
}

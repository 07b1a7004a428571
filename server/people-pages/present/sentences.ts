import { EXPIRED_MESSAGE, isFinal, type SessionState, WALLET_ANSWERED } from '../../verifier/sessions/session.js'
import type { Beginner } from '../browser.js'
import { USED } from '../used-link.js'

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

function endedBy(errorMessage: string | null | undefined): string {
  if (errorMessage === EXPIRED_MESSAGE) return 'The request has expired. Nothing was accepted.'
  if (errorMessage?.startsWith(WALLET_ANSWERED) === true) return 'The wallet declined. Nothing was shown.'
  return 'The wallet’s answer was not accepted.'
}

/** The message that other browsers see after the end, if one browser opened the page first. */
export const ANOTHER_BROWSER = 'This request was opened in another browser. The result is shown only there.'

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
): Progress {
  if (beginner !== 'this' && isFinal(state) && errorMessage !== EXPIRED_MESSAGE)
    return { state: 'Ended', message: beginner === 'another' ? ANOTHER_BROWSER : USED }
  switch (state) {
    case 'RequestCreated':
      return { state, message: 'Waiting for your wallet.' }
    case 'RequestUriRetrieved':
      return { state, message: 'Waiting for your answer.' }
    case 'ResponseVerified':
      return { state, message: 'Done. Your answer was accepted.' }
    case 'Error':
      return { state, message: endedBy(errorMessage) }
  }
}

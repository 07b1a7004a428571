import { EXPIRED_MESSAGE, isFinal, type SessionState, WALLET_ANSWERED } from '../../verifier/sessions/session.js'
import type { Beginner } from '../browser.js'
import { USED } from '../used-link.js'

/** The progress of a request for people: no presented data, and no reason that might hold some. */
export interface Progress {
  /** `Ended` is the state that browsers other than the first receive. */
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

/** States that no other state follows. */
export const FINAL_STATES: readonly Progress['state'][] = ['ResponseVerified', 'Error', 'Ended']

/**
 * A request's progress in a sentence.
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

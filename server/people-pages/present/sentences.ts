import { EXPIRED_MESSAGE, isFinal, type SessionState, WALLET_ANSWERED } from '../../verifier/sessions/session.js'
import type { Beginner } from '../browser.js'

/** How a request goes, as far as people are told: nothing of what was presented, and no reason that might hold some of it. */
export interface Progress {
  /** `Ended` is what another browser is told than the one that began. */
  readonly state: SessionState | 'Ended'
  /** A sentence. */
  readonly message: string
}

function endedBy(errorMessage: string | null | undefined): string {
  if (errorMessage === EXPIRED_MESSAGE) return 'The request has expired. Nothing was accepted.'
  if (errorMessage?.startsWith(WALLET_ANSWERED) === true) return 'The wallet declined. Nothing was shown.'
  return 'What the wallet showed could not be accepted.'
}

/** What a browser is told of the end that another one began. */
export const ANOTHER_BROWSER = 'This request was opened in another browser. The result is shown only there.'

/** States after which a request has no other. */
export const FINAL_STATES: readonly Progress['state'][] = ['ResponseVerified', 'Error', 'Ended']

/**
 * A request's progress in a sentence.
 *
 * @param beginner `another` where it is told to another browser than the one that began: how it ended is not its business
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
  if (beginner === 'another' && isFinal(state) && errorMessage !== EXPIRED_MESSAGE)
    return { state: 'Ended', message: ANOTHER_BROWSER }
  switch (state) {
    case 'RequestCreated':
      return { state, message: 'Waiting for your wallet.' }
    case 'RequestUriRetrieved':
      return { state, message: 'Waiting for your answer.' }
    case 'ResponseVerified':
      return { state, message: 'Done. What you showed was accepted.' }
    case 'Error':
      return { state, message: endedBy(errorMessage) }
  }
}

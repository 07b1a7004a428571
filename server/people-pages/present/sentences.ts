import { EXPIRED_MESSAGE, type SessionState, WALLET_ANSWERED } from '../../verifier/sessions/session.js'

/** How a request goes, as far as people are told: nothing of what was presented, and no reason that might hold some of it. */
export interface Progress {
  readonly state: SessionState
  /** A sentence. */
  readonly message: string
}

function endedBy(errorMessage: string | null | undefined): string {
  if (errorMessage === EXPIRED_MESSAGE) return 'The time for this has run out. Nothing was accepted.'
  if (errorMessage?.startsWith(WALLET_ANSWERED) === true) return 'The wallet declined. Nothing was shown.'
  return 'What the wallet showed could not be accepted.'
}

/** A request's progress in a sentence. */
export function progressOf({
  state,
  errorMessage,
}: {
  readonly state: SessionState
  readonly errorMessage?: string | null | undefined
}): Progress {
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

import { type CredentialOfferState, type Decision, EXPIRED } from '../../issuer/openid4vci/sessions/session.js'
import { TX_CODE_LOCKED } from '../../issuer/openid4vci/tx-code.js'

/** How an offer goes, as far as people are told. */
export interface Progress {
  readonly state: CredentialOfferState
  /** A sentence. */
  readonly message: string
}

const SENTENCES: Readonly<Record<Exclude<CredentialOfferState, 'Error'>, string>> = {
  Created: 'Waiting for your wallet.',
  OfferRetrieved: 'A wallet has opened the offer. Go on there.',
  Authorized: 'You have agreed. Your wallet fetches the credential.',
  TokenIssued: 'Your wallet fetches the credential.',
  CredentialIssued: 'Done. Your wallet has got the credential.',
  Accepted: 'Done. Your wallet keeps the credential.',
}

function endedBy(errorMessage: string | null | undefined, deferred: Decision | null | undefined): string {
  if (deferred === 'rejected') return 'The issuer has decided against it. There is no credential.'
  if (errorMessage === EXPIRED) return 'The time for this has run out. There is no credential.'
  if (errorMessage === TX_CODE_LOCKED) return 'The wrong code was entered too often. The offer is locked.'
  return 'This did not work. There is no credential in your wallet.'
}

/** An offer's progress in a sentence. */
export function progressOf({
  state,
  errorMessage,
  deferred,
}: {
  readonly state: CredentialOfferState
  readonly errorMessage?: string | null | undefined
  readonly deferred?: Decision | null | undefined
}): Progress {
  if (state === 'Error') return { state, message: endedBy(errorMessage, deferred) }
  if (deferred === 'pending')
    return { state, message: 'The issuer still has to decide. Your wallet asks again by itself.' }
  return { state, message: SENTENCES[state] }
}

/** States after which people have nothing more to do or to learn here. */
export const DONE_STATES: readonly CredentialOfferState[] = ['CredentialIssued', 'Accepted', 'Error']

import {
  CANCELLED,
  type CredentialOfferState,
  type Decision,
  EXPIRED,
} from '../../issuer/openid4vci/sessions/session.js'
import { TX_CODE_LOCKED } from '../../issuer/openid4vci/tx-code.js'
import type { Beginner } from '../browser.js'
import { USED } from '../used-link.js'

/** What people may see of the progress of an offer. */
export interface Progress {
  /** `Ended` is the final state for browsers other than the first browser of the page. */
  readonly state: CredentialOfferState | 'Ended'
  /** A sentence. */
  readonly message: string
}

const SENTENCES: Readonly<Record<Exclude<CredentialOfferState, 'Error'>, string>> = {
  Created: 'Waiting for your wallet.',
  OfferRetrieved: 'A wallet has opened the offer. Continue in the wallet.',
  Authorized: 'You have agreed. Your wallet is fetching the credential.',
  TokenIssued: 'Your wallet is fetching the credential.',
  CredentialIssued: 'Done. Your wallet has received the credential.',
  Accepted: 'Done. Your wallet has stored the credential.',
}

function endedBy(errorMessage: string | null | undefined, deferred: Decision | null | undefined): string {
  if (deferred === 'rejected') return 'The issuer declined. You get no credential.'
  if (errorMessage === EXPIRED) return 'The offer has expired. You get no credential.'
  if (errorMessage === CANCELLED) return 'The issuer has cancelled the offer. You get no credential.'
  if (errorMessage === TX_CODE_LOCKED) return 'A wrong code was entered too often. The offer is locked.'
  return 'This did not work. Your wallet has no credential from this offer.'
}

/** The data of an offer that the sentences depend on. */
interface Told {
  readonly state: CredentialOfferState
  readonly errorMessage?: string | null | undefined
  readonly deferred?: Decision | null | undefined
}

const IN_USE = 'A wallet has opened the offer.'
const RAN_OUT = 'The credential offer has expired.'

/**
 * The progress for browsers other than the first browser of the page. The sentence does not reveal who took the offer,
 * or whether a credential was issued.
 */
function progressOfOthers({ state, errorMessage }: Told): Progress {
  if (state === 'Error' && errorMessage === EXPIRED) return { state: 'Ended', message: RAN_OUT }
  if (DONE_STATES.includes(state)) return { state: 'Ended', message: USED }
  return state === 'Created' ? { state, message: SENTENCES[state] } : { state: 'OfferRetrieved', message: IN_USE }
}

/** The reason why an offer cannot be taken any more, for browsers other than the first browser of the page. */
export const closedForOthers = (reason: string): string => (reason === RAN_OUT ? reason : USED)

/**
 * Describes the progress of an offer in a sentence.
 *
 * @param beginner `this` for the browser that opened the page first
 */
export function progressOf(told: Told, beginner: Beginner): Progress {
  if (beginner !== 'this') return progressOfOthers(told)
  const { state, errorMessage, deferred } = told
  if (state === 'Error') return { state, message: endedBy(errorMessage, deferred) }
  if (deferred === 'pending')
    return { state, message: 'The issuer has not decided yet. Your wallet asks again automatically.' }
  return { state, message: SENTENCES[state] }
}

/** States after which the page changes no more and people have nothing more to do on it. */
export const DONE_STATES: readonly Progress['state'][] = ['CredentialIssued', 'Accepted', 'Error', 'Ended']

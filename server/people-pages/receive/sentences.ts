import { type CredentialOfferState, type Decision, EXPIRED } from '../../issuer/openid4vci/sessions/session.js'
import { TX_CODE_LOCKED } from '../../issuer/openid4vci/tx-code.js'
import type { Beginner } from '../browser.js'

/** How an offer goes, as far as people are told. */
export interface Progress {
  /** `Ended` is what a browser is told that did not begin. */
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
  if (errorMessage === TX_CODE_LOCKED) return 'The wrong code was entered too often. The offer is locked.'
  return 'This did not work. Your wallet has no credential from this offer.'
}

/** An offer as far as people are told of it. */
interface Told {
  readonly state: CredentialOfferState
  readonly errorMessage?: string | null | undefined
  readonly deferred?: Decision | null | undefined
}

const IN_USE = 'A wallet has opened the offer.'
const USED = 'This link has been used or has expired. If you need another link, ask the sender.'
const RAN_OUT = 'The credential offer has expired.'

/** What a browser is told that did not begin: nothing of who took the offer, and whether somebody got a credential. */
function progressOfOthers({ state, errorMessage }: Told): Progress {
  if (state === 'Error' && errorMessage === EXPIRED) return { state: 'Ended', message: RAN_OUT }
  if (DONE_STATES.includes(state)) return { state: 'Ended', message: USED }
  return state === 'Created' ? { state, message: SENTENCES[state] } : { state: 'OfferRetrieved', message: IN_USE }
}

/** Why an offer can no longer be taken, as a browser is told it that did not begin. */
export const closedForOthers = (reason: string): string => (reason === RAN_OUT ? reason : USED)

/**
 * An offer's progress in a sentence.
 *
 * @param beginner `this` where it is told to the browser that began
 */
export function progressOf(told: Told, beginner: Beginner): Progress {
  if (beginner !== 'this') return progressOfOthers(told)
  const { state, errorMessage, deferred } = told
  if (state === 'Error') return { state, message: endedBy(errorMessage, deferred) }
  if (deferred === 'pending')
    return { state, message: 'The issuer has not decided yet. Your wallet asks again automatically.' }
  return { state, message: SENTENCES[state] }
}

/** States after which people have nothing more to do or to learn here. */
export const DONE_STATES: readonly Progress['state'][] = ['CredentialIssued', 'Accepted', 'Error', 'Ended']

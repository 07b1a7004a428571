import { ERASED, HAS_EXPIRED, USED_UP } from '../../issuer/openid4vci/offer.js'
import {
  CANCELLED,
  type CredentialOfferState,
  type Decision,
  EXPIRED,
} from '../../issuer/openid4vci/sessions/session.js'
import { TX_CODE_LOCKED } from '../../issuer/openid4vci/tx-code.js'
import type { Speech } from '../../pages/speech.js'
import type { TextKey } from '../../pages/texts/catalogue.js'
import type { Beginner } from '../browser.js'

/** What people may see of the progress of an offer. */
export interface Progress {
  /** `Ended` is the final state for browsers other than the first browser of the page. */
  readonly state: CredentialOfferState | 'Ended'
  /** A sentence. */
  readonly message: string
}

const SENTENCES = {
  Created: 'receive.waiting',
  OfferRetrieved: 'receive.opened',
  Authorized: 'receive.agreed',
  TokenIssued: 'receive.fetching',
  CredentialIssued: 'receive.received',
  Accepted: 'receive.stored',
} as const satisfies Readonly<Record<Exclude<CredentialOfferState, 'Error'>, TextKey>>

function endedBy(errorMessage: string | null | undefined, deferred: Decision | null | undefined) {
  if (deferred === 'rejected') return 'receive.rejected'
  if (errorMessage === EXPIRED) return 'receive.expired'
  if (errorMessage === CANCELLED) return 'receive.cancelled'
  if (errorMessage === TX_CODE_LOCKED) return 'receive.locked'
  return 'receive.failed'
}

/** The data of an offer that the sentences depend on. */
interface Told {
  readonly state: CredentialOfferState
  readonly errorMessage?: string | null | undefined
  readonly deferred?: Decision | null | undefined
}

/**
 * The progress for browsers other than the first browser of the page. The sentence does not reveal who took the offer,
 * or whether a credential was issued.
 */
function progressOfOthers({ state, errorMessage }: Told, speech: Speech): Progress {
  if (state === 'Error' && errorMessage === EXPIRED)
    return { state: 'Ended', message: speech.say('receive.hasExpired') }
  if (DONE_STATES.includes(state)) return { state: 'Ended', message: speech.say('link.used') }
  return state === 'Created'
    ? { state, message: speech.say(SENTENCES[state]) }
    : { state: 'OfferRetrieved', message: speech.say('receive.inUse') }
}

/** The keys of the reasons of `closedReason`. */
const CLOSED = new Map<string, 'receive.locked' | 'receive.usedUp' | 'receive.hasExpired' | 'receive.erased'>([
  [TX_CODE_LOCKED, 'receive.locked'],
  [USED_UP, 'receive.usedUp'],
  [HAS_EXPIRED, 'receive.hasExpired'],
  [ERASED, 'receive.erased'],
])

/**
 * The reason why an offer cannot be taken any more. Browsers other than the first browser of the page do not learn
 * how the offer ended.
 *
 * @param reason of `closedReason`
 */
export function closedText(reason: string, forBeginner: boolean, speech: Speech): string {
  if (!forBeginner && reason !== HAS_EXPIRED) return speech.say('link.used')
  return speech.say(CLOSED.get(reason) ?? 'receive.ended')
}

/**
 * Describes the progress of an offer in a sentence.
 *
 * @param beginner `this` for the browser that opened the page first
 */
export function progressOf(told: Told, beginner: Beginner, speech: Speech): Progress {
  if (beginner !== 'this') return progressOfOthers(told, speech)
  const { state, errorMessage, deferred } = told
  if (state === 'Error') return { state, message: speech.say(endedBy(errorMessage, deferred)) }
  if (deferred === 'pending') return { state, message: speech.say('receive.notDecided') }
  return { state, message: speech.say(SENTENCES[state]) }
}

/** States after which the page changes no more and people have nothing more to do on it. */
export const DONE_STATES: readonly Progress['state'][] = ['CredentialIssued', 'Accepted', 'Error', 'Ended']

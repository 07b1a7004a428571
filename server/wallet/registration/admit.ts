import type { Config } from '../../config/config.js'
import type { PartyRegistration } from './registration.contract.js'

/** Limit of sentences in one message. */
const MAX_SENTENCES = 5

/** Why a registration is not in order, as one sentence; undefined if it is in order. */
export function registrationFault(
  { state, reason, beyond }: PartyRegistration,
  party: 'issuer' | 'verifier',
): string | undefined {
  if (state === 'registered') return undefined
  if (state === 'none') return `The ${party} has no registration certificate.`
  if (state === 'invalid') return `The registration certificate of the ${party} is refused: ${reason}`
  const sentences = beyond.slice(0, MAX_SENTENCES)
  const more = beyond.length > MAX_SENTENCES ? `; and ${beyond.length - MAX_SENTENCES} more` : ''
  const what = party === 'verifier' ? 'request' : 'offer'
  return `The ${what} goes beyond the registration certificate of the ${party}: ${sentences.join('; ')}${more}.`
}

/** What a wallet does about a registration. */
export type Admission = 'admitted' | 'refused' | 'needs-person'

/**
 * Decides about a registration. Registration is optional by law, so a party without a certificate is admitted. A party whose
 * certificate is refused, or who asks for more, needs a person who has seen it. With `required`, both are refused.
 */
export function admission(
  { state }: PartyRegistration,
  { walletRegistration }: Pick<Config, 'walletRegistration'>,
  personConfirms: boolean,
): Admission {
  if (state === 'registered') return 'admitted'
  if (walletRegistration === 'required') return 'refused'
  return state === 'none' || personConfirms ? 'admitted' : 'needs-person'
}

import type { Profile } from './profile.js'
import { singleCredential, withProofs } from './single-proof.js'

/**
 * OpenID4VCI 1.0. A request with the single `proof` of the drafts is accepted too. The answer then has the single `credential`
 * beside `credentials`. Some wallets need this although they follow 1.0 in everything else.
 */
export const final: Profile = {
  txCodeFault: () => undefined,
  txCodeName: 'tx_code',
  offer: (offer) => offer,
  parameters: (sent) => sent,
  tokenResponse: (response) => response,
  credentialRequest: withProofs,
  credentialResponse: (response, sent) => ({ ...singleCredential(response, sent), ...response }),
  refusal: (refusal) => refusal,
}

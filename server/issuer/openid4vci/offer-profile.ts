import { DRAFTS } from '../../protocol/openid4vci/drafts.js'

/**
 * What an offer asks of wallets: OpenID4VCI 1.0 as it stands, or what HAIP 1.0 demands beyond it. A draft's is for wallets that
 * know no later version.
 */
export const OFFER_PROFILES = ['final', 'haip', ...DRAFTS] as const

export type OfferProfile = (typeof OFFER_PROFILES)[number]

/** Which grant an offer names. */
export type OfferGrant = 'pre-authorized_code' | 'authorization_code'

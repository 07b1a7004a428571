import { DRAFTS } from '../../protocol/openid4vci/drafts.js'

/**
 * The rules of an offer for wallets: OpenID4VCI 1.0, or OpenID4VCI 1.0 with HAIP 1.0, or a draft. A draft is for wallets that
 * know no later version.
 */
export const OFFER_PROFILES = ['final', 'haip', ...DRAFTS] as const

export type OfferProfile = (typeof OFFER_PROFILES)[number]

/** The grant that an offer names. */
export type OfferGrant = 'pre-authorized_code' | 'authorization_code'

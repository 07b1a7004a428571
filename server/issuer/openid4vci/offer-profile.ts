/** What an offer asks of wallets: OpenID4VCI 1.0 as it stands, or what HAIP 1.0 demands beyond it. */
export const OFFER_PROFILES = ['final', 'haip'] as const

export type OfferProfile = (typeof OFFER_PROFILES)[number]

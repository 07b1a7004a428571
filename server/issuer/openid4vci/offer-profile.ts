/** What an offer asks of wallets: `final` is OpenID4VCI 1.0 as it stands. */
export const OFFER_PROFILES = ['final'] as const

export type OfferProfile = (typeof OFFER_PROFILES)[number]

/** Drafts of OpenID4VCI, by implementers' version, that deployed wallets still use. */
export const DRAFTS = ['draft15', 'draft13', 'draft11'] as const

export type Draft = (typeof DRAFTS)[number]

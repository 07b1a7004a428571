/** Drafts of OpenID4VP, by implementers' version, that deployed wallets still use. */
export const DRAFTS = ['draft24', 'draft21'] as const

export type Draft = (typeof DRAFTS)[number]

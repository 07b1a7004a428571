/** Drafts of OpenID4VP, by implementers' version, that wallets in the field still speak. */
export const DRAFTS = ['draft24', 'draft21'] as const

export type Draft = (typeof DRAFTS)[number]

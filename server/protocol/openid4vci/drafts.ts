/** Drafts of OpenID4VCI, by implementers' version, that wallets in the field still speak. */
export const DRAFTS = ['draft15', 'draft13', 'draft11'] as const

export type Draft = (typeof DRAFTS)[number]

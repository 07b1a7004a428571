/** The longest list that is read, in bytes. The list of trusted lists of the largest countries has about 5 MiB. */
export const MAX_LIST_BYTES = 16 * 1024 * 1024
/** The deepest nesting of a list. Lists of the standards have about 12 levels. */
export const MAX_NESTING = 32
export const MAX_ENTITIES = 5_000
/** Services of one entity. National lists have entities with more than 200 services. */
export const MAX_SERVICES = 1_000
/** Certificates and keys of one service. */
export const MAX_CERTIFICATES = 64
/** Certificates and keys of the whole list. */
export const MAX_ALL_CERTIFICATES = 50_000
/** Pinned certificates of signers. A list changes its signer now and then, and has two in the meantime. */
export const MAX_SIGNERS = 10

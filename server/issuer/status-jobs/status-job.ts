/** The states of a job. It counts its credentials, then changes them. A paused job goes on later. The last two states are final. */
export const JOB_STATES = ['counting', 'running', 'paused', 'done', 'cancelled'] as const

export type JobState = (typeof JOB_STATES)[number]

/** The highest number of credentials that one job may change. */
export const MAX_MATCHED = 1_000_000

/** The highest number of ids, or of references, in a filter. */
export const MAX_NAMED = 10_000

/** The highest number of jobs that have not ended. */
export const MAX_UNFINISHED = 100

/** Counting stops here. Above it, messages say *more than*. */
export const MOST_COUNTED = 10_000_000

/** The filter of a job as the API shows it. Ids and references may be many, so they are only counted. */
export interface Scope {
  readonly all?: true
  readonly schema?: string
  readonly offering?: string
  /** The id of a batch of offers. */
  readonly batch?: string
  /** ISO 8601 */
  readonly issuedFrom?: string
  readonly issuedTo?: string
  readonly idCount?: number
  readonly referenceCount?: number
}

/** The credentials that a filter lists one by one. */
export interface Listed {
  readonly ids?: readonly string[]
  /** The keyed hashes of references. */
  readonly referenceHashes?: readonly string[]
}

/** The parts of a job that are encrypted. */
export interface Confidential extends Listed {
  readonly note?: string
}

/** The numbers of credentials by outcome. */
export interface Outcomes {
  readonly changed: number
  readonly unchanged: number
  readonly revoked: number
  readonly notSuspendable: number
  readonly removed: number
}

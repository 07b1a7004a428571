import type { Caller } from '../../auth/caller.js'
import type { Reach } from '../../auth/rights.js'

/** The reader of offerings: a user, a caller with the client secret, or an anonymous caller. */
export interface Reader {
  readonly caller: Caller | undefined
  /** Readers who reach the records of all callers see the subjects and redemptions of every offering. */
  readonly reach: Reach
}

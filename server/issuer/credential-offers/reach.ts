import type { Caller } from '../../auth/caller.js'
import type { Reach } from '../../auth/rights.js'

/** The sender of a request, and the offers and batches that the sender reaches. */
export interface Sender {
  /** Undefined for the client secret. */
  readonly caller: Caller | undefined
  readonly reach: Reach
}

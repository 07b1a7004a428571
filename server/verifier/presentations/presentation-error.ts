import type { Check } from '../../protocol/credential/verification.js'

/**
 * A requested presentation that fails a check. `message` is one sentence that both wallet and verifier get: it
 * names credential, check and path, never a claim's value.
 */
export class PresentationError extends Error {
  override readonly name = 'PresentationError'

  constructor(
    readonly check: Check,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** A presentation that failed a check, where the others satisfy the query. */
export interface DiscardedPresentation {
  readonly credentialQueryId: string
  /** One sentence that names credential, check and path, never a claim's value. */
  readonly reason: string
}

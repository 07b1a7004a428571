import type { Check } from '../../protocol/credential/verification.js'

/** What was checked of a presentation: all that it passed, and the check that failed where one did. */
export interface PresentationChecks {
  /** Null for the answer as a whole. */
  readonly credentialQueryId: string | null
  readonly passed: readonly Check[]
  readonly failed: { readonly check: Check; readonly message: string } | null
  /** What was not checked any more, of a presentation that failed; those that failed before it was recorded have none. */
  readonly notReached?: readonly Check[]
}

/**
 * A requested presentation that fails a check. `message` is one sentence that both wallet and verifier get: it
 * names credential, check and path, never a claim's value.
 */
export class PresentationError extends Error {
  override readonly name = 'PresentationError'
  /** What was checked of the whole answer, where it came to that. */
  readonly checks: readonly PresentationChecks[] | undefined

  constructor(
    readonly check: Check,
    message: string,
    { checks, ...options }: ErrorOptions & { readonly checks?: readonly PresentationChecks[] } = {},
  ) {
    super(message, options)
    this.checks = checks
  }
}

/** A presentation that failed a check, where the others satisfy the query. */
export interface DiscardedPresentation {
  readonly credentialQueryId: string
  /** One sentence that names credential, check and path, never a claim's value. */
  readonly reason: string
}

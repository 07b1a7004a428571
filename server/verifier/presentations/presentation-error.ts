import type { UntrustedSigner } from '../../protocol/credential/untrusted-signer.js'
import type { Check } from '../../protocol/credential/verification.js'

/** Checks of a presentation: the passed checks, and the failed check if there is one. */
export interface PresentationChecks {
  /** Null for a check of the whole answer. */
  readonly credentialQueryId: string | null
  readonly passed: readonly Check[]
  readonly failed: { readonly check: Check; readonly message: string } | null
  /** Checks that a failed presentation did not reach. Absent on presentations that were stored before this member existed. */
  readonly notReached?: readonly Check[]
  /** The certificates of an issuer that is not trusted. Absent if the issuer has none. */
  readonly signer?: UntrustedSigner
}

/**
 * A requested presentation that fails a check. `message` is one sentence for both wallet and verifier. The message
 * names credential, check and path, never a claim's value.
 */
export class PresentationError extends Error {
  override readonly name = 'PresentationError'
  /** Checks of the whole answer, if all presentations were checked. */
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

/** A presentation that failed a check while the others satisfy the query. */
export interface DiscardedPresentation {
  readonly credentialQueryId: string
  /** One sentence that names credential, check and path, never a claim's value. */
  readonly reason: string
}

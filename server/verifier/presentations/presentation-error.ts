import type { Check } from '../../protocol/credential/verification.js'

/**
 * A presentation that was asked for and came, and fails a check. `message` is the sentence for wallet and verifier alike: it
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

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

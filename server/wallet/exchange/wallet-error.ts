import type { UntrustedSigner } from '../../protocol/credential/untrusted-signer.js'

/**
 * The reason why a hosted wallet does not accept a credential or answer a request. `message` is one sentence for the wallet's
 * owner; `cause` is for the log.
 */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  /** The certificates of the other side, if it is not trusted and has certificates. */
  readonly untrusted: UntrustedSigner | undefined

  constructor(
    message: string,
    { untrusted, ...options }: ErrorOptions & { readonly untrusted?: UntrustedSigner | undefined } = {},
  ) {
    super(message, options)
    this.untrusted = untrusted
  }
}

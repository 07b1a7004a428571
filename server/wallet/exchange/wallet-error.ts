/**
 * The reason why a hosted wallet does not accept a credential or answer a request. `message` is one sentence for the wallet's
 * owner; `cause` is for the log.
 */
export class WalletError extends Error {
  override readonly name = 'WalletError'
}

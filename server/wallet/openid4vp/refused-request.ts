import { WalletError } from '../protocol/wallet-error.js'

/** What a verifier is told of a request that this wallet refuses (OpenID4VP 1.0 §8.5). That a credential is missing is never told (§15). */
export type RefusalCode = 'invalid_request' | 'invalid_transaction_data' | 'vp_formats_not_supported'

/** A request of a verifier that is who it says, which the wallet refuses. `message` is for the wallet's owner, `error` for the verifier. */
export class RefusedRequest extends WalletError {
  constructor(
    readonly error: RefusalCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

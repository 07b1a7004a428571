import { WalletError } from '../exchange/wallet-error.js'

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

/** A request with transaction data, where nobody is there who could confirm them (OpenID4VP 1.0 §5.1). */
export class UnconfirmedTransaction extends RefusedRequest {
  constructor() {
    super('invalid_transaction_data', 'Transaction data are confirmed by a person, in a flow.')
  }
}

import { WalletError } from '../exchange/wallet-error.js'

/** Error codes for a request that this wallet refuses (OpenID4VP 1.0 §8.5). The wallet never reports a missing credential (§15). */
export type RefusalCode = 'invalid_request' | 'invalid_transaction_data' | 'vp_formats_not_supported'

/** The wallet refuses a request of an authenticated verifier. `message` is for the wallet's owner, `error` for the verifier. */
export class RefusedRequest extends WalletError {
  constructor(
    readonly error: RefusalCode,
    message: string,
    options?: ConstructorParameters<typeof WalletError>[1],
  ) {
    super(message, options)
  }
}

/** A request goes beyond the registration of its verifier, or the registration is refused, and no person can confirm it. */
export class UnconfirmedRegistration extends RefusedRequest {
  constructor(message: string) {
    super('invalid_request', message)
  }
}

/** A request has transaction data, but no person can confirm the data (OpenID4VP 1.0 §5.1). */
export class UnconfirmedTransaction extends RefusedRequest {
  constructor() {
    super('invalid_transaction_data', 'A person must confirm transaction data, in a flow.')
  }
}

import type { Openid4vpAuthorizationRequest } from '@openid4vc/openid4vp'
import type { SentTransactionData } from '../../protocol/openid4vp/transaction-data.js'
import type { ExchangeRequest, ProfileName } from './profiles/profile.js'

/** An authorization request whose sender and form were checked; it can be stored as JSON. */
export interface PresentationRequest {
  /** In the terms of OpenID4VP 1.0, as the library has them. */
  readonly payload: Openid4vpAuthorizationRequest
  /** The full client identifier as the verifier has it: the audience of what is presented (OpenID4VP 1.0 §14.8). */
  readonly clientId: string
  readonly query: Readonly<Record<string, unknown>>
  /** What the holder is to authorize (OpenID4VP 1.0 §8.4): only a person confirms it. */
  readonly transactionData: readonly SentTransactionData[]
  readonly responseUri: string
  /** What the answer is written in. */
  readonly profile: ProfileName
  /** Where the query was made of a presentation definition. */
  readonly exchange?: ExchangeRequest | undefined
}

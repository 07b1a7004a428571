import type { Openid4vpAuthorizationRequest } from '@openid4vc/openid4vp'
import type { SentTransactionData } from '../../protocol/openid4vp/transaction-data.js'
import type { PartyRegistration } from '../registration/registration.contract.js'
import type { ExchangeRequest, ProfileName } from './profiles/profile.js'

/** An authorization request after its sender and form were checked. The request can be stored as JSON. */
export interface PresentationRequest {
  /** The request in the terms of OpenID4VP 1.0, in the library's format. */
  readonly payload: Openid4vpAuthorizationRequest
  /** The verifier's full client identifier: the audience of presentations (OpenID4VP 1.0 §14.8). */
  readonly clientId: string
  readonly query: Readonly<Record<string, unknown>>
  /** Transactions for the holder to authorize (OpenID4VP 1.0 §8.4). Only a person can confirm transactions. */
  readonly transactionData: readonly SentTransactionData[]
  readonly responseUri: string
  /** The profile of the answer. */
  readonly profile: ProfileName
  /** The registration of the verifier. Requests that an earlier version stored lack this member. */
  readonly registration?: PartyRegistration
  /** Present if the query was made from a presentation definition. */
  readonly exchange?: ExchangeRequest | undefined
}

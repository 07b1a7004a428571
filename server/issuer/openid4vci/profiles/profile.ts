import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { OAuthError } from '../../../protocol/oauth/error.js'
import type { TxCodeDescription } from '../tx-code.js'
import type { SentCredentialRequest } from './sent-credential-request.js'

/** Parameters of an authorization or a token request, each sent once. */
export type Parameters = Readonly<Record<string, string | undefined>>

/** A configuration that a wallet may ask for, with all that it can be named by. */
export interface OfferedType {
  readonly id: string
  readonly format: string
  /** The members that say its type (OpenID4VCI 1.0 Appendix A): `vct`, or `credential_definition`. */
  readonly members: JsonObject
}

/** What some configurations can be named by: only some drafts ask. */
export type OfferedTypes = () => readonly OfferedType[]

/** Makes a fresh `c_nonce`, with its lifetime, for an answer that has one. */
export type NonceMembers = () => { readonly c_nonce: string; readonly c_nonce_expires_in: number }

/**
 * How one version of OpenID4VCI says what 1.0 says in another way. Everything else of the service knows the requests and
 * answers of 1.0 alone.
 */
export interface Profile {
  /** What is wrong with a transaction code for wallets of this version; undefined where nothing is. */
  readonly txCodeFault: (txCode: TxCodeDescription) => string | undefined
  /** How wallets call the parameter with the transaction code (§6.1), for what is said of it. */
  readonly txCodeName: string
  /** A credential offer of 1.0 (§4.1.1). */
  readonly offer: (offer: JsonObject) => JsonObject
  /** Parameters of an authorization or a token request in those of 1.0 (§5.1, §6.1), for an offer of some types. */
  readonly parameters: (sent: Parameters, types: OfferedTypes) => Parameters
  /** A token response of 1.0 (§6.2). */
  readonly tokenResponse: (response: JsonObject, nonce: NonceMembers) => JsonObject
  /**
   * A credential request in the members of 1.0 (§8.2), which are checked after that.
   *
   * @throws OAuthError for what cannot be said in them.
   */
  readonly credentialRequest: (sent: SentCredentialRequest, types: OfferedTypes) => JsonObject
  /** A credential response of 1.0 (§8.3) for a request. */
  readonly credentialResponse: (response: JsonObject, sent: SentCredentialRequest, nonce: NonceMembers) => JsonObject
  /** A credential error response of 1.0 (§8.3.1.2). */
  readonly refusal: (refusal: OAuthError, nonce: NonceMembers) => OAuthError
}

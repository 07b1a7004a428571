import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { OAuthError } from '../../../protocol/oauth/error.js'
import type { TxCodeDescription } from '../tx-code.js'
import type { SentCredentialRequest } from './sent-credential-request.js'

/** The parameters of an authorization request or a token request. Each parameter is sent once. */
export type Parameters = Readonly<Record<string, string | undefined>>

/** A configuration that a wallet may request, with all its names. */
export interface OfferedType {
  readonly id: string
  readonly format: string
  /** The members that name the configuration's type (OpenID4VCI 1.0 Appendix A): `vct`, or `credential_definition`. */
  readonly members: JsonObject
}

/** Returns the configurations with their names. It is a function because only some drafts need the names. */
export type OfferedTypes = () => readonly OfferedType[]

/** Makes a fresh `c_nonce` with its lifetime, for an answer that contains a nonce. */
export type NonceMembers = () => { readonly c_nonce: string; readonly c_nonce_expires_in: number }

/**
 * The differences between one version of OpenID4VCI and 1.0. The rest of the service knows only the requests and answers of
 * 1.0.
 */
export interface Profile {
  /** Why wallets of this version cannot use a transaction code; undefined if the wallets can use the code. */
  readonly txCodeFault: (txCode: TxCodeDescription) => string | undefined
  /** The name of the parameter with the transaction code (§6.1), for error messages. */
  readonly txCodeName: string
  /** Converts a credential offer of 1.0 (§4.1.1). */
  readonly offer: (offer: JsonObject) => JsonObject
  /** Converts the parameters of an authorization request or a token request to 1.0 (§5.1, §6.1). */
  readonly parameters: (sent: Parameters, types: OfferedTypes) => Parameters
  /** Converts a token response of 1.0 (§6.2). */
  readonly tokenResponse: (response: JsonObject, nonce: NonceMembers) => JsonObject
  /**
   * Converts a credential request to 1.0 (§8.2). The caller checks the result.
   *
   * @throws OAuthError for a request that has no form in 1.0
   */
  readonly credentialRequest: (sent: SentCredentialRequest, types: OfferedTypes) => JsonObject
  /** Converts a credential response of 1.0 (§8.3) for a request. */
  readonly credentialResponse: (response: JsonObject, sent: SentCredentialRequest, nonce: NonceMembers) => JsonObject
  /** Converts a credential error response of 1.0 (§8.3.1.2). */
  readonly refusal: (refusal: OAuthError, nonce: NonceMembers) => OAuthError
}

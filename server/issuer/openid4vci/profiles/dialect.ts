import type { JsonObject } from '../../../protocol/json/json-object.js'
import type { SentCredentialRequest } from './sent-credential-request.js'

/**
 * How one version of OpenID4VCI says what 1.0 says in another way. Everything else of the service knows the requests and
 * answers of 1.0 alone.
 */
export interface Dialect {
  /**
   * A credential request in the members of 1.0, which are checked after that.
   *
   * @throws OAuthError for what cannot be said in them.
   */
  readonly credentialRequest: (sent: SentCredentialRequest) => JsonObject
  /** A credential response of 1.0 for a request. */
  readonly credentialResponse: (response: JsonObject, sent: SentCredentialRequest) => JsonObject
}

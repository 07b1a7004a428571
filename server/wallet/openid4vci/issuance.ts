import type { AccessTokenResponse, RequestDpopOptions } from '@openid4vc/oauth2'
import type { CredentialOfferObject, IssuerMetadataResult, Openid4vciClient } from '@openid4vc/openid4vci'
import type { Signer } from '../../protocol/jose/jws.js'

/** One issuance with one issuer. */
export interface Issuance {
  readonly client: Openid4vciClient
  readonly fetch: typeof globalThis.fetch
  readonly offer: CredentialOfferObject
  readonly metadata: IssuerMetadataResult
  readonly dpopKey: Signer
  readonly txCode: string | undefined
}

/** What the token endpoint gave. */
export interface Grant {
  readonly token: AccessTokenResponse
  /** Where the token is bound to a key (RFC 9449 §5). */
  readonly dpop: RequestDpopOptions | undefined
  /** `iss` of key proofs; absent for an anonymous client (OpenID4VCI 1.0 Appendix F.1). */
  readonly clientId: string | undefined
}

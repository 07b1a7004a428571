import type { AccessTokenResponse, RequestDpopOptions } from '@openid4vc/oauth2'
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci'
import type { Signer } from '../../protocol/jose/jws.js'
import type { IssuanceClient } from '../protocol/library-clients.js'

/** An exchange with one issuer. */
export interface Session extends IssuanceClient {
  readonly fetch: typeof globalThis.fetch
  readonly metadata: IssuerMetadataResult
  readonly dpopKey: Signer
}

/** One issuance with one issuer. */
export interface Issuance extends Session {
  readonly offer: CredentialOfferObject
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

/** The grant with the server's newest DPoP nonce. */
export function withNonce(grant: Grant, answered: { readonly nonce: string } | undefined): Grant {
  if (grant.dpop === undefined || answered === undefined) return grant
  return { ...grant, dpop: { ...grant.dpop, nonce: answered.nonce } }
}

/** The member that requests with a bound token have. */
export const dpopOf = ({ dpop }: Grant) => (dpop === undefined ? {} : { dpop })

import type { AccessTokenResponse, RequestDpopOptions } from '@openid4vc/oauth2'
import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci'
import type { OutboundFetch } from '../../outbound/guard.js'
import { libraryJwk } from '../exchange/libraries.js'
import type { IssuanceClient } from './issuance-client.js'
import type { SessionKey } from './wallet-keys.js'

/** An exchange with one issuer. */
export interface Session extends IssuanceClient {
  readonly fetch: OutboundFetch
  readonly metadata: IssuerMetadataResult
  readonly dpopKey: SessionKey
  /** Key of an attested wallet (OpenID4VCI 1.0 Appendix E); undefined if this wallet has no attestation. */
  readonly instanceKey: SessionKey | undefined
  /** The largest number of copies that one answer of the issuer may hold. */
  readonly copies: number
}

/** One issuance with one issuer. */
export interface Issuance extends Session {
  readonly offer: CredentialOfferObject
  readonly txCode: string | undefined
}

/** The result of the token endpoint. */
export interface Grant {
  readonly token: AccessTokenResponse
  /** The authorization server's identifier. */
  readonly server: string
  /** When the access token expires, if the server reports the time. */
  readonly expiresAt: Date | undefined
  /** Present if the token is bound to a key (RFC 9449 §5). */
  readonly dpop: RequestDpopOptions | undefined
  /** `iss` of key proofs; absent for an anonymous client (OpenID4VCI 1.0 Appendix F.1). */
  readonly clientId: string | undefined
}

/** The options of the library for proofs of possession with a key. */
export const dpopBy = ({ signer: { alg, publicJwk } }: SessionKey): RequestDpopOptions => ({
  signer: { method: 'jwk', alg, publicJwk: libraryJwk(publicJwk) },
})

/** RFC 9449 §5: a server that does not know DPoP answers with a Bearer token. */
export const boundTo = (token: AccessTokenResponse, dpop: RequestDpopOptions | undefined) =>
  token.token_type.toLowerCase() === 'dpop' ? dpop : undefined

/** When a new access token expires. */
export const endOf = ({ expires_in: seconds }: AccessTokenResponse, now: Date): Date | undefined =>
  seconds === undefined ? undefined : new Date(now.getTime() + Math.min(Math.max(seconds, 0), MAX_SECONDS) * 1000)

/** Ten years: longer than this service stores anything. */
const MAX_SECONDS = 315_360_000

/** The grant with the server's newest DPoP nonce. */
export function withNonce(grant: Grant, answered: { readonly nonce: string } | undefined): Grant {
  if (grant.dpop === undefined || answered === undefined) return grant
  return { ...grant, dpop: { ...grant.dpop, nonce: answered.nonce } }
}

/** The member of requests with a bound token. */
export const dpopOf = ({ dpop }: Grant) => (dpop === undefined ? {} : { dpop })

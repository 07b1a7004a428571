import type { Deps } from '../../../deps.js'
import type { DpopProof } from '../../../protocol/oauth/dpop.js'
import type { WalletClient } from '../client-authentication.js'

/** Parameters of a token request, each sent once, none without a value (RFC 6749 §3.2). */
export type TokenParameters = Readonly<Record<string, string | undefined>>

/** Token Response (OpenID4VCI 1.0 §6.2). */
export type TokenResponse = Readonly<Record<string, unknown>>

/** What is proven about the sender of a token request. */
export interface TokenClient {
  /** The DPoP proof of the request (RFC 9449 §5): the token is bound to its key. */
  readonly dpop: DpopProof | undefined
  /** The wallet, by its attestation where it has one. */
  readonly wallet: WalletClient
}

/** A way to get an access token: the token endpoint finds it by its identifier. */
export interface Grant {
  /** `grant_type`; also in `grant_types_supported`. */
  readonly identifier: string
  /** @throws OAuthError with the code of RFC 6749 §5.2 that fits. */
  readonly handle: (deps: Deps, parameters: TokenParameters, client: TokenClient) => Promise<TokenResponse>
}

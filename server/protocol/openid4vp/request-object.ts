import { type Jwk, type Signer, signCompact } from '../jose/jws.js'
import type { JsonObject } from '../json/json-object.js'
import { withParameters } from '../oauth/redirect-uri.js'
import type { DcqlQuery } from './dcql/dcql-query.js'
import { ENCRYPTED_RESPONSE_ENC_VALUES } from './response-encryption.js'

/** RFC 9101 §10.8; OpenID4VP 1.0 §5.10.1. */
export const REQUEST_OBJECT_MEDIA_TYPE = 'application/oauth-authz-req+jwt'

/** §8.2, §8.3.1; over the Digital Credentials API Appendix A.2. */
export const RESPONSE_MODES = ['direct_post', 'direct_post.jwt', 'dc_api', 'dc_api.jwt'] as const
export type ResponseMode = (typeof RESPONSE_MODES)[number]

/** Whether the answer is encrypted (§8.3). */
export const isEncrypted = (mode: ResponseMode): boolean => mode.endsWith('.jwt')

/** Whether request and answer go through the browser with the Digital Credentials API (Appendix A). */
export const isOverBrowser = (mode: ResponseMode | undefined): boolean => mode === 'dc_api' || mode === 'dc_api.jwt'

/** Header of a signed request (RFC 9101 §10.8; OpenID4VP 1.0 §5). */
export const REQUEST_OBJECT_TYPE = { typ: 'oauth-authz-req+jwt' } as const

/** §5.8: the wallet's metadata is static. */
const STATIC_DISCOVERY = 'https://self-issued.me/v2'

/** An element of `verifier_info` (§5.1). */
export interface VerifierInfo {
  readonly format: string
  readonly data: string | JsonObject
  /** Credential queries that the information applies to; all credential queries if absent. */
  readonly credential_ids?: readonly string[] | undefined
}

/** The parameters that name the verifier in a request: `client_id`, and the additional members of a draft. */
export type ClientParameters = Readonly<Record<string, string>> & { readonly client_id: string }

/** The parameters of a request of 1.0 (§5.1, §5.2). */
export interface FinalParameters extends JsonObject {
  readonly client_id?: string
  readonly dcql_query: DcqlQuery
  readonly client_metadata: JsonObject
}

/** Content of a request, signed or not. */
export interface RequestParameters {
  /** Rewrites the parameters of 1.0 for a draft. Absent if the request follows 1.0. */
  readonly inWords?: ((parameters: FinalParameters) => JsonObject) | undefined
  /**
   * The client identifier, with its prefix. Absent if an unsigned request goes through the browser, or if each
   * signature has its own client identifier.
   */
  readonly clientId?: string | undefined
  readonly responseMode: ResponseMode
  /** The address that receives the answer, and the `state` that the answer repeats (§8.2). Absent if the browser delivers the answer. */
  readonly replyTo?: { readonly responseUri: string; readonly state: string } | undefined
  readonly nonce: string
  readonly dcqlQuery: DcqlQuery
  /** `vp_formats_supported` (§11.1). */
  readonly vpFormats: JsonObject
  /** Attestations about the verifier (§5.1), if there are any. */
  readonly verifierInfo?: readonly VerifierInfo[] | undefined
  /** `transaction_data` (§5.1): the encoded entries, if there are any. */
  readonly transactionData?: readonly string[] | undefined
  /**
   * The public key, with its `kid`, for the encryption of the answer. Present only if the response mode requires
   * encryption.
   */
  readonly encryptionKey?: Jwk | undefined
}

/** The content of a request, and its validity period. */
export interface TimedRequest extends RequestParameters {
  readonly issuedAt: Date
  readonly expiresAt: Date
}

export interface RequestObjectInput extends TimedRequest {
  readonly signer: Signer
  /** JOSE header members that name the signer's key as the prefix of `clientId` requires (`headerFor`). */
  readonly header: JsonObject
  /** `wallet_nonce`: a value that the wallet sent and expects back (§5.10). */
  readonly walletNonce?: string | undefined
}

/**
 * Signs the request object of an authorization request (RFC 9101; OpenID4VP 1.0 §5). A request of 1.0 contains its
 * query only in DCQL, and no member of a draft. Wallets recognize a draft by such members.
 */
export function signRequestObject(input: RequestObjectInput): Promise<string> {
  const nonce = input.walletNonce === undefined ? {} : { wallet_nonce: input.walletNonce }
  return signCompact(input.signer, { ...REQUEST_OBJECT_TYPE, ...input.header }, { ...requestClaims(input), ...nonce })
}

/** Claims of a signed request: its parameters, its audience and its validity period (RFC 9101 §4; OpenID4VP 1.0 §5.8). */
export const requestClaims = (input: TimedRequest): JsonObject => ({
  aud: STATIC_DISCOVERY,
  ...requestParameters(input),
  iat: Math.floor(input.issuedAt.getTime() / 1000),
  exp: Math.ceil(input.expiresAt.getTime() / 1000),
})

/** The parameters of a request, as its version of OpenID4VP defines them. */
export const requestParameters = ({ inWords, ...input }: RequestParameters): JsonObject =>
  inWords === undefined ? parametersOfFinal(input) : inWords(parametersOfFinal(input))

const parametersOfFinal = (input: RequestParameters): FinalParameters => ({
  ...(input.clientId === undefined ? {} : { client_id: input.clientId }),
  response_type: 'vp_token',
  response_mode: input.responseMode,
  nonce: input.nonce,
  ...(input.replyTo === undefined ? {} : { response_uri: input.replyTo.responseUri, state: input.replyTo.state }),
  dcql_query: input.dcqlQuery,
  client_metadata: clientMetadata(input),
  ...verifierInfoFor(input),
  ...(input.transactionData === undefined ? {} : { transaction_data: input.transactionData }),
})

/**
 * The entries of `verifier_info` that apply to credentials in this query. The query that a wallet receives may lack
 * some credentials.
 */
function verifierInfoFor({ verifierInfo, dcqlQuery }: RequestParameters): JsonObject {
  const asked = new Set(dcqlQuery.credentials.map(({ id }) => id))
  const left = (verifierInfo ?? []).flatMap((info) => {
    const ids = info.credential_ids?.filter((id) => asked.has(id))
    if (ids === undefined) return [info]
    return ids.length === 0 ? [] : [{ ...info, credential_ids: ids }]
  })
  return left.length === 0 ? {} : { verifier_info: left }
}

/** §5.1, §11.1. Wallets require `use` and `alg` in addition to the `kid` that the standard requires. */
function clientMetadata({ vpFormats, encryptionKey }: RequestParameters): JsonObject {
  if (encryptionKey === undefined) return { vp_formats_supported: vpFormats }
  return {
    vp_formats_supported: vpFormats,
    jwks: { keys: [encryptionKey] },
    encrypted_response_enc_values_supported: ENCRYPTED_RESPONSE_ENC_VALUES,
  }
}

/** Scheme that opens every wallet (§13.1.2). */
const ANY_WALLET = 'openid4vp://'

/**
 * The address in a link or QR code that opens a wallet. It contains the address of the request (`request_uri`). The
 * wallet may fetch the request with POST too (§5.7, §5.10, §13.1.2).
 */
export const authorizationRequestUri = (client: ClientParameters, requestUri: string): string =>
  withParameters(ANY_WALLET, { ...client, request_uri: requestUri, request_uri_method: 'post' })

/**
 * The address in a link or QR code of an unsigned request. It contains all parameters of the request (§5.9.3
 * `redirect_uri`). Objects are written as JSON.
 */
export function unsignedRequestUri(input: RequestParameters): string {
  const parameters = Object.entries(requestParameters(input)).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)] as const
  })
  return withParameters(ANY_WALLET, Object.fromEntries(parameters))
}

/** Rewrites the address of a request, which opens every wallet, so that it opens one particular wallet. */
export const forWallet = (requestUri: string, walletUrl: string): string =>
  withParameters(walletUrl, Object.fromEntries(new URLSearchParams(requestUri.slice(`${ANY_WALLET}?`.length))))

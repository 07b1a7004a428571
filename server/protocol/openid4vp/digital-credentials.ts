import { type Jwk, type SignedGeneral, type Signer, signCompact, signGeneral } from '../jose/jws.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { isWebOrigin } from '../oauth/redirect-uri.js'
import { readParameters, type WalletAnswer } from './authorization-response.js'
import { REQUEST_OBJECT_TYPE, type RequestParameters, requestClaims, requestParameters } from './request-object.js'
import { ResponseError } from './response-error.js'

/** Protocols of requests over the Digital Credentials API, one for each way of signing (OpenID4VP 1.0 Appendix A.1). */
export const DIGITAL_CREDENTIAL_PROTOCOLS = [
  'openid4vp-v1-unsigned',
  'openid4vp-v1-signed',
  'openid4vp-v1-multisigned',
] as const
export type DigitalCredentialProtocol = (typeof DIGITAL_CREDENTIAL_PROTOCOLS)[number]

/** An element of `requests` of `navigator.credentials.get({digital: {requests}})`. */
export interface DigitalCredentialRequest {
  readonly protocol: DigitalCredentialProtocol
  readonly data: JsonObject
}

/** A client identifier of the verifier, with its prefix, and the JOSE header that names the key. */
export interface SigningClient {
  readonly clientId: string
  readonly header: JsonObject
}

export interface DigitalCredentialRequestInput extends Omit<RequestParameters, 'clientId' | 'replyTo'> {
  /** The client identifiers of the verifier, each of which adds a signature to the request: none, one, or several. */
  readonly clients: readonly SigningClient[]
  readonly signer: Signer
  /** The origins that may make the request. An unsigned request does not contain them. */
  readonly expectedOrigins: readonly string[]
  readonly issuedAt: Date
  readonly expiresAt: Date
}

/** The protocol of a request. @param clientIds the client identifiers that sign the request */
export const protocolFor = (clientIds: readonly string[]): DigitalCredentialProtocol => {
  if (clientIds.length === 0) return 'openid4vp-v1-unsigned'
  return clientIds.length === 1 ? 'openid4vp-v1-signed' : 'openid4vp-v1-multisigned'
}

/** A request over the Digital Credentials API (OpenID4VP 1.0 Appendix A.2, A.3): without `state` and `response_uri`. */
export async function digitalCredentialRequest(
  input: DigitalCredentialRequestInput,
): Promise<DigitalCredentialRequest> {
  const protocol = protocolFor(input.clients.map(({ clientId }) => clientId))
  const [client, ...others] = input.clients
  if (client === undefined) return { protocol, data: requestParameters(input) }
  const request = await (others.length === 0 ? signedBy(client, input) : signedByAll(input))
  return { protocol, data: { request } }
}

/** Appendix A.3.2.1. */
function signedBy({ clientId, header }: SigningClient, input: DigitalCredentialRequestInput): Promise<string> {
  const claims = { ...requestClaims({ ...input, clientId }), expected_origins: input.expectedOrigins }
  return signCompact(input.signer, { ...REQUEST_OBJECT_TYPE, ...header }, claims)
}

/**
 * Appendix A.3.2.2: parameters that belong to one client identifier are only in the protected header of that client
 * identifier.
 */
function signedByAll(input: DigitalCredentialRequestInput): Promise<SignedGeneral> {
  const { verifier_info: verifierInfo, ...claims } = requestClaims(input)
  const headers = input.clients.map(({ clientId, header }) => ({
    ...REQUEST_OBJECT_TYPE,
    ...header,
    client_id: clientId,
    ...(verifierInfo === undefined ? {} : { verifier_info: verifierInfo }),
  }))
  return signGeneral(input.signer, headers, { ...claims, expected_origins: input.expectedOrigins })
}

/**
 * The accepted audiences of an answer (Appendix A.4). An audience is an origin, even for a signed request. It is
 * written as in browsers, or with a slash at the end as in the standard's example. The origin of an app is opaque and
 * stays unchanged.
 */
export const originAudiences = (origins: readonly string[]): readonly string[] =>
  origins.flatMap((origin) => (isWebOrigin(origin) ? [`origin:${origin}`, `origin:${origin}/`] : [`origin:${origin}`]))

/** The result of `navigator.credentials.get()` that a page sends: the members of a `DigitalCredential`. */
export interface DigitalCredential {
  readonly protocol: string
  /** An object, or the JSON text of an object. */
  readonly data: string | JsonObject
}

/** The values of a request that are needed to read its answer. */
export interface AskedOverBrowser {
  readonly protocol: DigitalCredentialProtocol
  /** The private key that decrypts the answer, if the response mode requires encryption. */
  readonly encryptionKey?: Jwk | undefined
}

/**
 * Reads the answer to a request over the Digital Credentials API (OpenID4VP 1.0 Appendix A.4).
 *
 * @throws ResponseError for an answer of a protocol other than the request's, an answer that is not encrypted as
 * requested or does not decrypt, and a vp_token that is missing or malformed.
 */
export function readDigitalCredential({ protocol, data }: DigitalCredential, asked: AskedOverBrowser): WalletAnswer {
  if (protocol !== asked.protocol)
    throw new ResponseError(`Member protocol is not ${asked.protocol}, as in the request.`)
  return readParameters(objectIn(data), asked.encryptionKey)
}

function objectIn(data: string | JsonObject): JsonObject {
  if (typeof data !== 'string') return data
  try {
    const parsed: unknown = JSON.parse(data)
    if (isObject(parsed)) return parsed
  } catch {
    // No cause is attached: a syntax error quotes the text.
  }
  throw new ResponseError('Member data is not a JSON object.')
}

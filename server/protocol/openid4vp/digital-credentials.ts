import { type Jwk, type SignedGeneral, type Signer, signCompact, signGeneral } from '../jose/jws.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { isWebOrigin } from '../oauth/redirect-uri.js'
import { readParameters, type WalletAnswer } from './authorization-response.js'
import { REQUEST_OBJECT_TYPE, type RequestParameters, requestClaims, requestParameters } from './request-object.js'
import { ResponseError } from './response-error.js'

/** How a request over the Digital Credentials API is signed, as its protocol says (OpenID4VP 1.0 Appendix A.1). */
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

/** A name of the verifier, with its prefix, and how the JOSE header names the key of it. */
export interface SigningClient {
  readonly clientId: string
  readonly header: JsonObject
}

export interface DigitalCredentialRequestInput extends Omit<RequestParameters, 'clientId' | 'replyTo'> {
  /** Who signs: nobody, one, or several names of the verifier. */
  readonly clients: readonly SigningClient[]
  readonly signer: Signer
  /** The origins that may make the request; an unsigned one does not say them. */
  readonly expectedOrigins: readonly string[]
  readonly issuedAt: Date
  readonly expiresAt: Date
}

/** @param clientIds the names that the request is signed under */
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

/** Appendix A.3.2.2: what belongs to one of the names stands in its protected header and nowhere else. */
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
 * The audiences that an answer may have (Appendix A.4): an origin, whatever signed the request, as browsers write it or with the
 * slash that the standard's example has. The origin of an app is opaque, and stands there as it is.
 */
export const originAudiences = (origins: readonly string[]): readonly string[] =>
  origins.flatMap((origin) => (isWebOrigin(origin) ? [`origin:${origin}`, `origin:${origin}/`] : [`origin:${origin}`]))

/** What a page got from `navigator.credentials.get()`: members of a `DigitalCredential`. */
export interface DigitalCredential {
  readonly protocol: string
  /** An object, or the same as JSON. */
  readonly data: string | JsonObject
}

/** Of a request, what its answer is read by. */
export interface AskedOverBrowser {
  readonly protocol: DigitalCredentialProtocol
  /** The private key that the answer must be encrypted for, where the response mode asks for that. */
  readonly encryptionKey?: Jwk | undefined
}

/**
 * Reads the answer to a request over the Digital Credentials API (OpenID4VP 1.0 Appendix A.4).
 *
 * @throws ResponseError for one of another protocol, that is not encrypted as the request asked or does not decrypt, or whose
 *   vp_token is missing or of another shape.
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
    // Without a cause: a syntax error quotes the text.
  }
  throw new ResponseError('Member data is not a JSON object.')
}

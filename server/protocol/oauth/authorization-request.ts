import { OAuthError } from './error.js'

/** Parameters of an authorization request, each sent once; parameters without a value are left out (RFC 6749 §3.1). */
export type AuthorizationParameters = Readonly<Record<string, string | undefined>>

/** The address to which the answer is sent. */
export interface RedirectTarget {
  readonly clientId: string
  readonly redirectUri: string
  /** The received `state`, unchanged; undefined if there was none. */
  readonly state: string | undefined
}

/** An authorization request whose parameters are each well-formed. */
export interface AuthorizationRequest extends RedirectTarget {
  readonly codeChallenge: string
  readonly scope: string | undefined
  /** JSON text (RFC 9396 §2). */
  readonly authorizationDetails: string | undefined
  readonly issuerState: string | undefined
  /** Thumbprint of the key that the code is bound to (RFC 9449 §10). */
  readonly dpopJkt: string | undefined
}

const MAX_LENGTH = 4_096
/** SHA-256 in base64url: the hash of a code verifier (RFC 7636 §4.2), or a key's thumbprint (RFC 7638). */
const SHA256 = /^[A-Za-z0-9_-]{43}$/
/** Parameters that are stored unchanged. */
const KEPT = ['scope', 'authorization_details', 'issuer_state'] as const

const invalid = (description: string) => new OAuthError('invalid_request', description)

/**
 * Reads `client_id` and the address of the response. An error in one of these values must not be sent to that address
 * (RFC 6749 §4.1.2.1).
 *
 * @param isRedirectUri whether an answer to a client may be sent to an address
 * @throws OAuthError `invalid_request`
 */
export function redirectTarget(
  parameters: AuthorizationParameters,
  isRedirectUri: (clientId: string, uri: string) => boolean,
): RedirectTarget {
  const { client_id: clientId, redirect_uri: redirectUri, state } = parameters
  if (clientId === undefined) throw invalid('client_id is missing.')
  if (clientId.length > MAX_LENGTH) throw invalid(`client_id is longer than ${MAX_LENGTH} characters.`)
  if (redirectUri === undefined) throw invalid('redirect_uri is missing.')
  if (redirectUri.length > MAX_LENGTH || !isRedirectUri(clientId, redirectUri))
    throw invalid('redirect_uri is not an address that this client may be answered at.')
  if (state !== undefined && state.length > MAX_LENGTH) throw invalid(`state is longer than ${MAX_LENGTH} characters.`)
  return { clientId, redirectUri, state }
}

/**
 * RFC 9101 §10.5: a request object is refused, since a client that sends a request object expects the server to read
 * it.
 */
export function assertNoRequestObject({ request }: AuthorizationParameters): void {
  if (request !== undefined) throw new OAuthError('request_not_supported', 'Request objects are not supported.')
}

/**
 * Reads the rest of an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2). Errors in these parameters
 * are sent to the client by redirect.
 *
 * @param issuer the credential issuer identifier, the only `resource`
 * @throws OAuthError with the code of RFC 6749 §4.1.2.1 or RFC 8707 §2 that fits
 */
export function authorizationRequest(
  parameters: AuthorizationParameters,
  target: RedirectTarget,
  issuer: string,
): AuthorizationRequest {
  const { response_type: responseType, response_mode: responseMode, resource } = parameters
  if (responseType === undefined) throw invalid('response_type is missing.')
  if (responseType !== 'code') throw new OAuthError('unsupported_response_type', 'The response_type must be code.')
  if (responseMode !== undefined && responseMode !== 'query') throw invalid('The response_mode must be query.')
  const { code_challenge: codeChallenge, code_challenge_method: method } = parameters
  if (codeChallenge === undefined) throw invalid('code_challenge is missing: PKCE is required.')
  if (method !== 'S256') throw invalid('The code_challenge_method must be S256.')
  if (!SHA256.test(codeChallenge)) throw invalid('code_challenge is no SHA-256 hash in base64url.')
  if (resource !== undefined && resource !== issuer)
    throw new OAuthError('invalid_target', 'The resource must be the credential issuer identifier.')
  const long = KEPT.find((name) => (parameters[name]?.length ?? 0) > MAX_LENGTH)
  if (long !== undefined) throw invalid(`${long} is longer than ${MAX_LENGTH} characters.`)
  const { dpop_jkt: dpopJkt } = parameters
  if (dpopJkt !== undefined && !SHA256.test(dpopJkt)) throw invalid('dpop_jkt is no SHA-256 thumbprint in base64url.')
  return {
    ...target,
    codeChallenge,
    scope: parameters.scope,
    authorizationDetails: parameters.authorization_details,
    issuerState: parameters.issuer_state,
    dpopJkt,
  }
}

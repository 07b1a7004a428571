import { timingSafeEqual } from 'node:crypto'

/** What a client has stored about the authorization request that it sent. */
export interface SentRequest {
  /** `state` of the request. */
  readonly state: string
  /** The authorization server's identifier. */
  readonly issuer: string
  /** `authorization_response_iss_parameter_supported` of the server's metadata (RFC 9207 §3). */
  readonly issSupported: boolean
}

/** An answer to the request: a code, or an error code of RFC 6749 §4.1.2.1. */
export type AuthorizationResponse = { readonly code: string } | { readonly error: string }

/** Thrown for an answer that a client must refuse. `message` names the parameter, and never a value. */
export class AuthorizationResponseError extends Error {
  override readonly name = 'AuthorizationResponseError'
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/** RFC 6749 §3.1: a parameter without a value counts as omitted, and no parameter occurs twice. */
function singleParameters(query: URLSearchParams): ReadonlyMap<string, string> {
  const single = new Map<string, string>()
  for (const [name, value] of query) {
    if (single.has(name)) throw new AuthorizationResponseError(`The parameter ${name} is given more than once.`)
    single.set(name, value)
  }
  return new Map([...single].filter(([, value]) => value !== ''))
}

/**
 * Reads the parameters of an authorization response (RFC 6749 §4.1.2). Anyone may have sent them.
 *
 * @throws AuthorizationResponseError for a repeated parameter, and for a `state` that differs from the request's (RFC
 * 6749 §10.12). Also if `iss` is not the server's identifier, or if `iss` is absent although the server supports it
 * (RFC 9207 §2.4). Also for a response that has neither a code nor an error.
 */
export function readAuthorizationResponse(query: URLSearchParams, request: SentRequest): AuthorizationResponse {
  const parameters = singleParameters(query)
  const refuse = (what: string): never => {
    throw new AuthorizationResponseError(`The authorization response ${what}.`)
  }
  const state = parameters.get('state')
  if (state === undefined) refuse('has no state')
  else if (!isSame(state, request.state)) refuse('has another state than the request')
  const iss = parameters.get('iss')
  if (iss === undefined && request.issSupported)
    refuse('has no iss, although the metadata of the authorization server announce it')
  if (iss !== undefined && iss !== request.issuer) refuse('has an iss that is not the authorization server')
  const [code, error] = [parameters.get('code'), parameters.get('error')]
  if (code !== undefined && error !== undefined) refuse('has both code and error')
  if (error !== undefined) return { error }
  return code === undefined ? refuse('has neither code nor error') : { code }
}

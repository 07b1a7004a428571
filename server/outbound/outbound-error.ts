/**
 * Why an outbound request was refused or failed:
 * - `url`: not an absolute URL, or one with a user name in it
 * - `scheme`: neither https nor, where that is allowed, http
 * - `own-path`: this service itself, outside the OpenID protocol's paths
 * - `address`: the host is, or resolves to, an address that is not public
 * - `redirects`: too many redirects, one that may not be followed, or one that leads nowhere
 * - `timeout`: no complete answer within the deadline
 * - `too-large`: the body exceeds the limit, before or after decompression
 * - `status`: an answer outside 200 to 299 where content was asked for, or a status that HTTP does not know
 * - `content`: a body that cannot be decoded or is not what was asked for
 * - `connect`: name resolution, connection, TLS or HTTP framing failed
 */
export type OutboundErrorCode =
  | 'url'
  | 'scheme'
  | 'own-path'
  | 'address'
  | 'redirects'
  | 'timeout'
  | 'too-large'
  | 'status'
  | 'content'
  | 'connect'

/**
 * An outbound request that was refused or failed. `message` names the URL's host and the reason, never a resolved
 * address or a part of an answer, so that it may be shown to a caller; `cause` is for the log alone.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'

  constructor(
    readonly code: OutboundErrorCode,
    message: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(message, options)
  }
}

/** Node and undici say what went wrong in a code; their messages hold addresses and certificate names. */
function failureCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? code : 'unknown'
}

/** Translates a failure of resolver, socket, TLS or HTTP client, by its stable code. */
export function transportFailure(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error
  const code = failureCode(error)
  return new OutboundError('connect', `Request to ${host} failed (${code}).`, { cause: error })
}

/** @param maxBytes the limit that was exceeded. */
export function tooLarge(host: string, maxBytes: number): OutboundError {
  return new OutboundError('too-large', `${host} answered with more than ${maxBytes} bytes.`)
}

/**
 * The reason why an outbound request was refused or failed:
 * - `url`: not an absolute URL, or a URL with a user name
 * - `scheme`: neither https nor, if allowed, http
 * - `own-path`: an address of this service, outside the OpenID protocol's paths
 * - `address`: the host is, or resolves to, an address that is not public
 * - `redirects`: too many redirects, a redirect without a usable target, or a redirect of a request whose method allows
 * none
 * - `timeout`: no complete answer within the deadline
 * - `too-large`: the body exceeds the limit, before or after decompression
 * - `status`: a status outside 200 to 299 if content was requested, or a status that HTTP does not know
 * - `content`: a body that cannot be decoded, or is not of the requested type (JSON or text)
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
 * Thrown if an outbound request was refused or failed. Callers may see `message`. It names the URL's host and the
 * reason, and never contains a resolved address or a part of an answer. `cause` is only for the log.
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

/** The error code of Node or undici. Their messages are not used, since they contain addresses and certificate names. */
function failureCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? code : 'unknown'
}

/**
 * Converts a failure of the resolver, the socket, TLS or the HTTP client to an OutboundError. The error's code decides
 * the kind, because codes do not change between versions.
 */
export function transportFailure(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error
  const code = failureCode(error)
  return new OutboundError('connect', `Request to ${host} failed (${code}).`, { cause: error })
}

/** The error for an answer that is too large. @param maxBytes the limit that was exceeded. */
export function tooLarge(host: string, maxBytes: number): OutboundError {
  return new OutboundError('too-large', `${host} answered with more than ${maxBytes} bytes.`)
}

/**
 * The fault of a JWS: `malformed` (not a compact JWS of JSON objects), `algorithm` (not allowed, or not suitable for
 * the key), `key` (unusable for signatures), `signature` (does not verify).
 */
export type JwsErrorCode = 'malformed' | 'algorithm' | 'key' | 'signature'

/** Thrown if a JWS or a key is refused; `message` is a sentence that may be shown to the other party. */
export class JwsError extends Error {
  override readonly name = 'JwsError'

  constructor(
    readonly code: JwsErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

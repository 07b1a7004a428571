/** Thrown if the issuer's key is unknown or not trusted; `message` is a sentence that may be shown to the caller. */
export class IssuerKeyError extends Error {
  override readonly name = 'IssuerKeyError'
}

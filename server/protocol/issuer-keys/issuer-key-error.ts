/** No key is known, or trusted, to be the issuer's; `message` is a sentence that may be shown to the caller. */
export class IssuerKeyError extends Error {
  override readonly name = 'IssuerKeyError'
}

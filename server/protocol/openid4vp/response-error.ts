/**
 * A message that is not a valid authorization response to the request: it is incomplete, or from another wallet than the wallet
 * that fetched the request. It is not an error of a presentation. `message` is one sentence that may be shown to anyone.
 */
export class ResponseError extends Error {
  override readonly name = 'ResponseError'
}

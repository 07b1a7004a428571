/**
 * A message that is not a valid authorization response to the request: not from the wallet that fetched the request, or
 * incomplete. It is not an error of a presentation. `message` is one sentence that may be shown to anyone.
 */
export class ResponseError extends Error {
  override readonly name = 'ResponseError'
}

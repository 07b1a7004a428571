/**
 * An answer that is no authorization response to the request: it cannot have come from the wallet that was asked, or not
 * whole. It says nothing about a presentation. `message` is one sentence that may be shown to anyone.
 */
export class ResponseError extends Error {
  override readonly name = 'ResponseError'
}

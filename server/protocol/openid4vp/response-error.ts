/**
 * Thrown for a message that is not a valid authorization response to the request: it is incomplete, or not from the
 * wallet that fetched the request. An invalid presentation is a different error. `message` is one sentence that may be
 * shown to anyone.
 */
export class ResponseError extends Error {
  override readonly name = 'ResponseError'
}

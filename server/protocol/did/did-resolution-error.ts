/**
 * A DID that does not lead to a usable document or key; `message` is a sentence that names it and may be shown to the
 * caller.
 */
export class DidResolutionError extends Error {
  override readonly name = 'DidResolutionError'
}

/**
 * Thrown if a DID does not lead to a usable document or key. `message` is a sentence that names the DID and may be shown
 * to the caller.
 */
export class DidResolutionError extends Error {
  override readonly name = 'DidResolutionError'
}

import { DidResolutionError } from '../protocol/did/resolve-did.js'

/** DIDs of other hosts that one call may make this service resolve. */
export const MAX_REMOTE_DIDS = 4

/** Counts the DIDs of other hosts that one call names, each once, whether or not their documents are remembered. */
export class RemoteDids {
  readonly #dids = new Set<string>()

  /** @throws DidResolutionError for the fifth. */
  admit(did: string): void {
    this.#dids.add(did)
    if (this.#dids.size <= MAX_REMOTE_DIDS) return
    throw new DidResolutionError(`More than ${MAX_REMOTE_DIDS} DIDs of other hosts would have to be resolved.`)
  }
}

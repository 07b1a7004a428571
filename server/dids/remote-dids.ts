import { DidResolutionError } from '../protocol/did/resolve-did.js'

/** Maximum number of DIDs that this service fetches from foreign hosts in one call. */
export const MAX_REMOTE_DIDS = 4

/** Counts the different DIDs of foreign hosts in one call. A DID is counted even if its document is cached. */
export class RemoteDids {
  readonly #dids = new Set<string>()

  /** Counts a DID. @throws DidResolutionError for the fifth different DID. */
  admit(did: string): void {
    this.#dids.add(did)
    if (this.#dids.size <= MAX_REMOTE_DIDS) return
    throw new DidResolutionError(`More than ${MAX_REMOTE_DIDS} DIDs of other hosts would have to be resolved.`)
  }
}

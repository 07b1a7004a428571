import type { Deps } from '../../deps.js'
import { RemoteDids } from '../../dids/remote-dids.js'
import type { DidKeys } from '../../protocol/did/did-document.js'
import type { RequestNonces } from './request-nonces.js'

/**
 * Resolves the DIDs that one credential request names. Before a DID of another host is resolved, the nonces of its
 * proofs are used up. At most four such DIDs are resolved.
 */
export class RequestDids {
  readonly #deps: Pick<Deps, 'resolver'>
  readonly #nonces: RequestNonces
  readonly #remote = new RemoteDids()

  constructor(deps: Pick<Deps, 'resolver'>, nonces: RequestNonces) {
    this.#deps = deps
    this.#nonces = nonces
  }

  /**
   * @param nonces those of the proofs that the DID is needed for
   * @throws DidResolutionError, or OAuthError `invalid_nonce` where a nonce has been used before.
   */
  resolve(did: string, nonces: readonly string[]): Promise<DidKeys> {
    return this.#deps.resolver.resolve(did, async (remote) => {
      this.#remote.admit(remote)
      await this.#nonces.use(nonces)
    })
  }
}

import { RemoteDids } from '../../dids/remote-dids.js'
import type { DidResolver } from '../../dids/resolver.js'
import type { DidKeys } from '../../protocol/did/did-document.js'
import type { RequestNonces } from './request-nonces.js'

/**
 * Resolves a DID that a credential request names.
 *
 * @param nonces those of the proofs that the DID is needed for
 * @throws DidResolutionError, or OAuthError `invalid_nonce` where a nonce has been used before.
 */
export type ResolveRequestDid = (did: string, nonces: readonly string[]) => Promise<DidKeys>

/**
 * Makes the resolution of the DIDs that one credential request names. Before a DID of another host is resolved, the nonces of its
 * proofs are used up. At most four such DIDs are resolved.
 */
export function requestDids(resolver: DidResolver, requestNonces: RequestNonces): ResolveRequestDid {
  const remoteDids = new RemoteDids()
  return (did, nonces) =>
    resolver.resolve(did, async (remote) => {
      remoteDids.admit(remote)
      await requestNonces.use(nonces)
    })
}

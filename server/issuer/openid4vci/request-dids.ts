import { RemoteDids } from '../../dids/remote-dids.js'
import type { DidResolver } from '../../dids/resolver.js'
import type { DidKeys } from '../../protocol/did/did-document.js'
import type { RequestNonces } from './request-nonces.js'

/**
 * Resolves a DID that a credential request names.
 *
 * @param nonces the nonces of the proofs that need the DID
 * @throws DidResolutionError, or OAuthError `invalid_nonce` if a nonce was used before.
 */
export type ResolveRequestDid = (did: string, nonces: readonly string[]) => Promise<DidKeys>

/**
 * Creates the function that resolves the DIDs of one credential request. Before a DID of another host is resolved, the
 * nonces of its proofs are marked as used. At most four DIDs of other hosts are resolved.
 */
export function requestDids(resolver: DidResolver, requestNonces: RequestNonces): ResolveRequestDid {
  const remoteDids = new RemoteDids()
  return (did, nonces) =>
    resolver.resolve(did, async (remote) => {
      remoteDids.admit(remote)
      await requestNonces.use(nonces)
    })
}

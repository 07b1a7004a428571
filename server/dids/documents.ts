import type { Config } from '../config/config.js'
import { type DidDocument, didDocument } from '../protocol/did/did-document.js'
import { keyIdOf } from './identity.js'
import type { StoredDid } from './store.js'

/**
 * The DID document of a DID of this installation (DID Core 1.0 §5). It contains all keys of the key set. Former keys
 * are included, since their signatures must stay verifiable. Issuers and verifiers have a LinkedDomains service;
 * holders never have one.
 */
export function documentOf(stored: StoredDid, config: Pick<Config, 'issuerBaseUrl' | 'verifierBaseUrl'>): DidDocument {
  const { did, purpose } = stored
  const origin = new URL(purpose === 'verifier' ? config.verifierBaseUrl : config.issuerBaseUrl).origin
  const linked = stored.method === 'web' && (purpose === 'issuer' || purpose === 'verifier')
  return didDocument({
    did,
    keys: stored.keys.map((key) => ({ id: keyIdOf(did, key.publicJwk), jwk: key.publicJwk })),
    alsoKnownAs: stored.alsoKnownAs,
    services: linked
      ? [{ id: `${did}#linked-domain`, type: 'LinkedDomains', serviceEndpoint: { origins: [origin] } }]
      : [],
  })
}

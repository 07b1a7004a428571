import type { AgentStore } from '../../agent/store.js'
import type { Config } from '../../config/config.js'
import { keyIdOf } from '../../dids/identity.js'
import type { DidStore } from '../../dids/store.js'
import type { DocumentSigners } from '../../keys/document-signers/document-signers.js'
import { signCompact } from '../../protocol/jose/jws.js'
import type { IssuerMetadata } from './issuer-metadata.js'

/** Dependencies of {@link createSignedMetadata}. */
export interface SignedMetadataPorts {
  readonly metadata: IssuerMetadata
  readonly defaultIssuer: AgentStore['defaultIssuer']
  /** The DID and key that each issuer and verifier signs with. */
  readonly recordIdentities: DidStore['recordIdentities']
  readonly documentSigners: Pick<DocumentSigners, 'signerOf'>
  readonly config: Pick<Config, 'issuerBaseUrl'>
}

/**
 * Issuer metadata as a JWT (OpenID4VCI 1.0 §12.2.3). The default issuer signs the JWT. The header contains the issuer's
 * key or certificate chain.
 */
export function createSignedMetadata(ports: SignedMetadataPorts): (now: Date) => Promise<string> {
  const { metadata: metadataOf, defaultIssuer, recordIdentities, documentSigners, config } = ports
  return async (now) => {
    const [metadata, issuer, identities] = await Promise.all([metadataOf(now), defaultIssuer(), recordIdentities()])
    const identity = identities.find(({ did, purpose }) => purpose === 'issuer' && did === issuer?.did)
    if (identity === undefined) throw new Error('There is no default issuer.')
    const { keyId, did, publicJwk } = identity
    const key = { keyId, kid: keyIdOf(did, publicJwk), x5c: identity.x5c }
    const { signer, x5c } = await documentSigners.signerOf(key, 'token')
    const named = x5c === null ? { kid: signer.kid, jwk: signer.publicJwk } : { x5c }
    return signCompact(
      signer,
      { typ: 'openidvci-issuer-metadata+jwt', ...named },
      {
        iss: x5c === null ? did : config.issuerBaseUrl,
        sub: config.issuerBaseUrl,
        iat: Math.floor(now.getTime() / 1000),
        ...metadata,
      },
    )
  }
}

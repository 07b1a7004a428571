import type { AgentStore } from '../../agent/store.js'
import type { DidStore } from '../../dids/store.js'
import type { Formats } from '../../formats/registry.js'
import type { DocumentSigners } from '../../keys/document-signers/document-signers.js'
import type { KeyStore } from '../../keys/store.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import type { Schemas } from '../schemas/schemas.js'
import { createIssuerMetadata, type IssuerMetadataPorts } from './issuer-metadata.js'
import type { MetadataTexts } from './kept-texts.js'
import { createServerMetadata } from './server-metadata.js'
import { createSignedMetadata } from './signed-metadata.js'

/** Dependencies of {@link createMetadata}. */
export interface MetadataPorts {
  readonly texts: MetadataTexts
  readonly schemas: Schemas['published']
  readonly defaultIssuer: AgentStore['defaultIssuer']
  readonly recordIdentities: DidStore['recordIdentities']
  /** What else the metadata contain: the keys, and the registration certificates of issuers. */
  readonly published: {
    readonly keys: KeyStore['published']
    readonly registrations: IssuerMetadataPorts['registrations']
  }
  /** Every key of every issuer, for verifiers. */
  readonly keySet: () => Promise<{ readonly keys: readonly Jwk[] }>
  readonly documentSigners: Pick<DocumentSigners, 'signerOf'>
  readonly config: IssuerMetadataPorts['config']
  readonly formats: Pick<Formats, 'issued' | 'former'>
}

export type Metadata = ReturnType<typeof createMetadata>

/** The metadata and keys that the issuer publishes. */
export function createMetadata(ports: MetadataPorts) {
  const { texts, schemas, defaultIssuer, recordIdentities, published, keySet, documentSigners, config, formats } = ports
  const metadata = createIssuerMetadata({
    schemas,
    defaultIssuer,
    publishedKeys: published.keys,
    registrations: published.registrations,
    config,
    formats,
  })
  const signed = createSignedMetadata({ metadata, defaultIssuer, recordIdentities, documentSigners, config })
  const server = createServerMetadata({ schemas, config, formats })

  return {
    /** Credential Issuer Metadata as JSON (OpenID4VCI 1.0 §12.2.4). */
    issuer: (): Promise<string> => texts('issuer', async (now) => JSON.stringify(await metadata(now))),

    /** Credential Issuer Metadata as a JWT (§12.2.3). Its `iat` is at most one hour old. */
    signedIssuer: (): Promise<string> => texts('signed issuer', signed),

    /** Authorization Server Metadata as JSON (RFC 8414). */
    authorizationServer: (): Promise<string> =>
      texts('authorization server', async () => JSON.stringify(await server())),

    /** The JWK Set of the issuer (RFC 7517 §5). */
    keySet,
  }
}

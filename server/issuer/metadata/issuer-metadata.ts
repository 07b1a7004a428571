import type { AgentStore } from '../../agent/store.js'
import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import type { KeyStore } from '../../keys/store.js'
import { BATCH_SIZE } from '../../protocol/openid4vci/proofs.js'
import { encryptionMembers } from '../openid4vci/encryption.js'
import { metadataMembers } from '../openid4vci/profiles/configurations.js'
import { displayOf } from '../schemas/display.js'
import type { Schemas } from '../schemas/schemas.js'
import { type ConfigurationsConfig, configurationsOf, proofTypes } from './configurations.js'

const DEFAULT_NAME = 'Credence'

/** The URL of an OpenID4VCI endpoint or of its authorization server. */
export const endpoint = ({ issuerBaseUrl }: Pick<Config, 'issuerBaseUrl'>, name: string) =>
  `${issuerBaseUrl}/openid4vci/${name}`

/** Dependencies of {@link createIssuerMetadata}. */
export interface IssuerMetadataPorts {
  readonly schemas: Schemas['published']
  readonly defaultIssuer: AgentStore['defaultIssuer']
  /** The keys and algorithms in the metadata. */
  readonly publishedKeys: KeyStore['published']
  readonly config: ConfigurationsConfig & Pick<Config, 'credentialEncryption'>
  readonly formats: Pick<Formats, 'issued' | 'former'>
}

export type IssuerMetadata = () => Promise<Record<string, unknown>>

/** Credential Issuer Metadata (OpenID4VCI 1.0 §12.2.4) with the members of this interface. No member is null. */
export function createIssuerMetadata(ports: IssuerMetadataPorts): IssuerMetadata {
  const { schemas: schemasOf, defaultIssuer, publishedKeys, config, formats } = ports
  return async () => {
    const { issuerBaseUrl } = config
    const [schemas, issuer, { encryptionKey, ...algorithms }] = await Promise.all([
      schemasOf(),
      defaultIssuer(),
      publishedKeys(),
    ])
    const configurations = await configurationsOf({ config, formats }, schemas, algorithms)
    const formerFormats = new Set(formats.former.filter(({ issuing }) => issuing.drafts).map(({ name }) => name))
    return {
      ...metadataMembers(config.issuerLegacyProfiles, configurations, issuerBaseUrl, formerFormats),
      credential_issuer: issuerBaseUrl,
      authorization_servers: [issuerBaseUrl],
      credential_endpoint: endpoint(config, 'credential'),
      nonce_endpoint: endpoint(config, 'nonce'),
      deferred_credential_endpoint: endpoint(config, 'deferred-credential'),
      notification_endpoint: endpoint(config, 'notification'),
      token_endpoint: endpoint(config, 'token'),
      schema_endpoint: `${issuerBaseUrl}/schemas`,
      offering_endpoint: `${issuerBaseUrl}/api/v1/offerings`,
      ...encryptionMembers(config, encryptionKey),
      batch_credential_issuance: { batch_size: BATCH_SIZE },
      display: displayOf(issuer?.display ?? [], DEFAULT_NAME),
      credential_configurations_supported: configurations,
      proof_types_supported: proofTypes(config),
    }
  }
}

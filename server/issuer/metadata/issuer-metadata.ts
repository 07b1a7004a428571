import type { AgentStore } from '../../agent/store.js'
import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import type { KeyStore } from '../../keys/store.js'
import { partyName } from '../../protocol/credential-card/party-name.js'
import { BATCH_SIZE } from '../../protocol/openid4vci/proofs.js'
import { aggregationUri } from '../../status-lists/publication.js'
import { attestsWallets } from '../openid4vci/client-authentication.js'
import { encryptionMembers } from '../openid4vci/encryption.js'
import { metadataMembers } from '../openid4vci/profiles/configurations.js'
import { displayOf, forOpenid4vci, publicDisplay } from '../schemas/display.js'
import type { Schemas } from '../schemas/schemas.js'
import type { ListedSchema } from '../schemas/store.js'
import { type ConfigurationsConfig, configurationsOf, proofTypes, statusPeriodOf } from './configurations.js'
import { issuerInfoMember } from './issuer-info.js'

/** The URL of an OpenID4VCI endpoint or of its authorization server. */
export const endpoint = ({ issuerBaseUrl }: Pick<Config, 'issuerBaseUrl'>, name: string) =>
  `${issuerBaseUrl}/openid4vci/${name}`

/**
 * TS3 v1.5 §2.4: how long a wallet provider should maintain the status of a wallet attestation. It is the longest period of all
 * types, because the member stands for all of them.
 */
function statusPeriod(config: ConfigurationsConfig, schemas: readonly ListedSchema[]): Record<string, number> {
  const periods = schemas.flatMap((schema) => statusPeriodOf(schema) ?? [])
  if (periods.length === 0 || !attestsWallets(config)) return {}
  return { preferred_client_status_period: Math.max(...periods) }
}

/** Dependencies of {@link createIssuerMetadata}. */
export interface IssuerMetadataPorts {
  readonly schemas: Schemas['published']
  readonly defaultIssuer: AgentStore['defaultIssuer']
  /** The keys and algorithms in the metadata. */
  readonly publishedKeys: KeyStore['published']
  readonly config: ConfigurationsConfig & Pick<Config, 'credentialEncryption' | 'issuerRegistrarDataset'>
  /** The registration certificates of issuers that can be used at a time. */
  readonly registrations: (now: Date) => Promise<readonly string[]>
  readonly formats: Pick<Formats, 'issued' | 'former'>
}

export type IssuerMetadata = (now: Date) => Promise<Record<string, unknown>>

/** Credential Issuer Metadata (OpenID4VCI 1.0 §12.2.4) with the members of this interface. No member is null. */
export function createIssuerMetadata(ports: IssuerMetadataPorts): IssuerMetadata {
  const { schemas: schemasOf, defaultIssuer, publishedKeys, registrations, config, formats } = ports
  return async (now) => {
    const { issuerBaseUrl } = config
    const [schemas, issuer, { encryptionKey, ...algorithms }, certificates] = await Promise.all([
      schemasOf(),
      defaultIssuer(),
      publishedKeys(),
      registrations(now),
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
      status_list_aggregation_endpoint: aggregationUri(config),
      ...statusPeriod(config, schemas),
      ...issuerInfoMember(config.issuerRegistrarDataset, certificates),
      batch_credential_issuance: { batch_size: BATCH_SIZE },
      display: displayOf(publicDisplay(issuer?.display ?? [], config), partyName(undefined, issuerBaseUrl)).map(
        forOpenid4vci,
      ),
      credential_configurations_supported: configurations,
      proof_types_supported: proofTypes(config),
    }
  }
}

import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import { DPOP_ALGORITHMS } from '../../protocol/oauth/dpop.js'
import { ATTESTATION_ALGORITHMS } from '../../protocol/openid4vci/attester.js'
import { aggregationUri } from '../../status-lists/publication.js'
import { configurationIdsOf, issuabilityOfRow } from '../issuance/configurations.js'
import { attestsWallets } from '../openid4vci/client-authentication.js'
import { grantTypesOf } from '../openid4vci/grants/grant.js'
import { isHaip } from '../openid4vci/haip.js'
import { publishedFormats } from '../openid4vci/profiles/profiles.js'
import type { Schemas } from '../schemas/schemas.js'
import { endpoint } from './issuer-metadata.js'

/** Dependencies of {@link createServerMetadata}. */
export interface ServerMetadataPorts {
  readonly schemas: Schemas['published']
  readonly config: Pick<Config, 'attestationTrust' | 'issuerBaseUrl' | 'issuerLegacyProfiles' | 'issuerProfile'>
  readonly formats: Pick<Formats, 'issued' | 'former'>
}

/** Attestation-Based Client Authentication, draft 07, §10.1: no member is listed if no wallet provider is trusted. */
function attestationMembers(config: ServerMetadataPorts['config']): Record<string, unknown> {
  if (!attestsWallets(config)) return {}
  return {
    challenge_endpoint: endpoint(config, 'challenge'),
    client_attestation_signing_alg_values_supported: [...ATTESTATION_ALGORITHMS],
    client_attestation_pop_signing_alg_values_supported: [...ATTESTATION_ALGORITHMS],
  }
}

/**
 * The members in which HAIP 1.0 §4 differs from OpenID4VCI 1.0. Wallets must push their requests, authenticate, and request
 * credentials by scope.
 */
function profileMembers(config: ServerMetadataPorts['config']): Record<string, unknown> {
  const attested = attestsWallets(config) ? ['attest_jwt_client_auth'] : []
  if (isHaip({ config }))
    return { require_pushed_authorization_requests: true, token_endpoint_auth_methods_supported: attested }
  return {
    token_endpoint_auth_methods_supported: ['none', ...attested],
    authorization_details_types_supported: ['openid_credential'],
    'pre-authorized_grant_anonymous_access_supported': true,
  }
}

/** Authorization Server Metadata (RFC 8414 §2, RFC 9396 §10, OpenID4VCI 1.0 §12.3). */
export function createServerMetadata({ schemas: schemasOf, config, formats }: ServerMetadataPorts) {
  return async (): Promise<Record<string, unknown>> => {
    const schemas = await schemasOf()
    const published = publishedFormats({ config, formats })
    return {
      issuer: config.issuerBaseUrl,
      token_endpoint: endpoint(config, 'token'),
      jwks_uri: `${config.issuerBaseUrl}/.well-known/jwks.json`,
      grant_types_supported: [...grantTypesOf({ config })],
      authorization_endpoint: endpoint(config, 'authorize'),
      pushed_authorization_request_endpoint: endpoint(config, 'par'),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: schemas.flatMap(({ name, asMdoc }) =>
        configurationIdsOf(published, name, issuabilityOfRow(asMdoc)),
      ),
      // Token Status List §9.1.
      status_list_aggregation_endpoint: aggregationUri(config),
      ...attestationMembers(config),
      dpop_signing_alg_values_supported: [...DPOP_ALGORITHMS],
      ...profileMembers(config),
    }
  }
}

import type { Deps } from '../../deps.js'
import { keyIdOf } from '../../dids/identity.js'
import { signCompact } from '../../protocol/jose/jws.js'
import { DPOP_ALGORITHMS } from '../../protocol/oauth/dpop.js'
import { ATTESTATION_ALGORITHMS } from '../../protocol/openid4vci/attester.js'
import { BATCH_SIZE } from '../../protocol/openid4vci/proofs.js'
import { configurationIdsOf, issuabilityByDefault } from '../issuance/configurations.js'
import { attestsWallets } from '../openid4vci/client-authentication.js'
import { encryptionMembers } from '../openid4vci/encryption.js'
import { grantTypesOf } from '../openid4vci/grants/grant.js'
import { isHaip } from '../openid4vci/haip.js'
import { metadataMembers } from '../openid4vci/profiles/configurations.js'
import { publishedFormats } from '../openid4vci/profiles/profiles.js'
import { displayOf } from '../schemas/display.js'
import { configurationsOf, proofTypes } from './configurations.js'

const DEFAULT_NAME = 'Credence'

const endpoint = (deps: Pick<Deps, 'config'>, name: string) => `${deps.config.issuerBaseUrl}/openid4vci/${name}`

/** Credential Issuer Metadata (OpenID4VCI 1.0 §12.2.4) with the interface's own members. No member is ever null. */
export async function issuerMetadataOf(deps: Deps): Promise<Record<string, unknown>> {
  const { issuerBaseUrl } = deps.config
  const { agents, keys, schemas: schemaStore } = deps.stores
  const [schemas, issuer, { encryptionKey, ...algorithms }] = await Promise.all([
    schemaStore.listed(deps.clock()),
    agents.defaultIssuer(),
    keys.published(),
  ])
  const configurations = await configurationsOf(deps, schemas, algorithms)
  const formerFormats = new Set(deps.formats.former.filter(({ issuing }) => issuing.drafts).map(({ name }) => name))
  return {
    ...metadataMembers(deps.config.issuerLegacyProfiles, configurations, issuerBaseUrl, formerFormats),
    credential_issuer: issuerBaseUrl,
    authorization_servers: [issuerBaseUrl],
    credential_endpoint: endpoint(deps, 'credential'),
    nonce_endpoint: endpoint(deps, 'nonce'),
    deferred_credential_endpoint: endpoint(deps, 'deferred-credential'),
    notification_endpoint: endpoint(deps, 'notification'),
    token_endpoint: endpoint(deps, 'token'),
    schema_endpoint: `${issuerBaseUrl}/schemas`,
    offering_endpoint: `${issuerBaseUrl}/api/v1/offerings`,
    ...encryptionMembers(deps.config, encryptionKey),
    batch_credential_issuance: { batch_size: BATCH_SIZE },
    display: displayOf(issuer?.display ?? [], DEFAULT_NAME),
    credential_configurations_supported: configurations,
    proof_types_supported: proofTypes(deps.config),
  }
}

/** The same as a JWT (§12.2.3), signed by the default issuer, whose key or certificate chain the header holds. */
export async function signedIssuerMetadataOf(deps: Deps): Promise<string> {
  const { agents, dids } = deps.stores
  const [metadata, issuer, identities] = await Promise.all([
    issuerMetadataOf(deps),
    agents.defaultIssuer(),
    dids.recordIdentities(),
  ])
  const identity = identities.find(({ did, purpose }) => purpose === 'issuer' && did === issuer?.did)
  if (identity === undefined) throw new Error('There is no default issuer.')
  const signer = await deps.keys.signer(identity.keyId, keyIdOf(identity.did, identity.publicJwk))
  const named = identity.x5c === null ? { kid: signer.kid, jwk: signer.publicJwk } : { x5c: identity.x5c }
  return signCompact(
    signer,
    { typ: 'openidvci-issuer-metadata+jwt', ...named },
    {
      iss: identity.x5c === null ? identity.did : deps.config.issuerBaseUrl,
      sub: deps.config.issuerBaseUrl,
      iat: Math.floor(deps.clock().getTime() / 1000),
      ...metadata,
    },
  )
}

/** Attestation-Based Client Authentication, draft 07, §10.1: nothing is listed where no wallet provider is trusted. */
function attestationMembers(deps: Pick<Deps, 'config'>): Record<string, unknown> {
  if (!attestsWallets(deps.config)) return {}
  return {
    challenge_endpoint: endpoint(deps, 'challenge'),
    client_attestation_signing_alg_values_supported: [...ATTESTATION_ALGORITHMS],
    client_attestation_pop_signing_alg_values_supported: [...ATTESTATION_ALGORITHMS],
  }
}

/** What differs between OpenID4VCI 1.0 and HAIP 1.0 §4: wallets must push and authenticate, and ask by scope. */
function profileMembers(deps: Pick<Deps, 'config'>): Record<string, unknown> {
  const attested = attestsWallets(deps.config) ? ['attest_jwt_client_auth'] : []
  if (isHaip(deps))
    return { require_pushed_authorization_requests: true, token_endpoint_auth_methods_supported: attested }
  return {
    token_endpoint_auth_methods_supported: ['none', ...attested],
    authorization_details_types_supported: ['openid_credential'],
    'pre-authorized_grant_anonymous_access_supported': true,
  }
}

/** Authorization Server Metadata (RFC 8414 §2, RFC 9396 §10, OpenID4VCI 1.0 §12.3). */
export async function authorizationServerMetadataOf(deps: Deps): Promise<Record<string, unknown>> {
  const schemas = await deps.stores.schemas.listed(deps.clock())
  const formats = publishedFormats(deps)
  return {
    issuer: deps.config.issuerBaseUrl,
    token_endpoint: endpoint(deps, 'token'),
    jwks_uri: `${deps.config.issuerBaseUrl}/.well-known/jwks.json`,
    grant_types_supported: [...grantTypesOf(deps)],
    authorization_endpoint: endpoint(deps, 'authorize'),
    pushed_authorization_request_endpoint: endpoint(deps, 'par'),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    scopes_supported: schemas.flatMap(({ name, asMdoc }) =>
      configurationIdsOf(formats, name, issuabilityByDefault(deps.config, asMdoc)),
    ),
    ...attestationMembers(deps),
    dpop_signing_alg_values_supported: [...DPOP_ALGORITHMS],
    ...profileMembers(deps),
  }
}

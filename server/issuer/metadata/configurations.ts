import type { Config } from '../../config/config.js'
import type { IssuedFormat } from '../../formats/format.js'
import type { Formats } from '../../formats/registry.js'
import { DAY_SECONDS } from '../../maintenance/task.js'
import { SIGNATURE_ALGORITHMS } from '../../protocol/jose/algorithms.js'
import {
  KEY_ATTESTATION_ALGORITHMS,
  type KeyAttestationRequirement,
} from '../../protocol/openid4vci/key-attestation.js'
import { configurationIdOf, formatsOfType, issuabilityOfRow } from '../issuance/configurations.js'
import { attestsWallets } from '../openid4vci/client-authentication.js'
import { isHaip } from '../openid4vci/haip.js'
import { configurationFor } from '../openid4vci/profiles/configurations.js'
import { publishedFormats } from '../openid4vci/profiles/profiles.js'
import { describeClaims } from '../schemas/claims.js'
import { displayOf, forOpenid4vci, publicDisplay } from '../schemas/display.js'
import { imageAddresses } from '../schemas/images.js'
import type { CredentialSchema, ListedSchema } from '../schemas/store.js'

/** The part of a type that decides about attestations. */
type Attested = Pick<CredentialSchema, 'expiresInDays' | 'keyAttestation' | 'watchAttestations'>

/** The shortest period for which every wallet provider maintains a status (TS3 v1.5 §2.4.2). */
const SHORTEST_STATUS_DAYS = 31

/**
 * The seconds for which a wallet provider should maintain the status of an attestation (TS3 v1.5 §2.4). The status should last as
 * long as the credential, and a day longer for the issuance itself.
 *
 * @returns undefined for a type that does not look at attestations again
 */
export const statusPeriodOf = ({ expiresInDays, watchAttestations }: Attested): number | undefined =>
  watchAttestations ? (expiresInDays === null ? SHORTEST_STATUS_DAYS : expiresInDays + 1) * DAY_SECONDS : undefined

/** §12.2.4: an empty object requires an attestation without constraints. */
const requirementOf = (requirement: KeyAttestationRequirement | null, statusPeriod: number | undefined) =>
  requirement === null
    ? {}
    : {
        key_attestations_required: {
          ...(requirement.keyStorage === undefined ? {} : { key_storage: requirement.keyStorage }),
          ...(requirement.userAuthentication === undefined
            ? {}
            : { user_authentication: requirement.userAuthentication }),
          ...(statusPeriod === undefined ? {} : { preferred_key_storage_status_period: statusPeriod }),
        },
      }

/**
 * `proof_types_supported`. A key attestation without a proof is listed if a wallet provider is trusted.
 *
 * @param type the type of the credential; undefined for all types
 * @param algorithms the algorithms of key proofs; the key that signs an attestation is a different key
 */
export function proofTypes(
  config: Pick<Config, 'attestationTrust'>,
  type?: Attested,
  algorithms: readonly string[] = SIGNATURE_ALGORITHMS,
) {
  const required = type === undefined ? {} : requirementOf(type.keyAttestation, statusPeriodOf(type))
  const jwt = { proof_signing_alg_values_supported: [...algorithms], ...required }
  if (!attestsWallets(config)) return { jwt }
  return { jwt, attestation: { proof_signing_alg_values_supported: [...KEY_ATTESTATION_ALGORITHMS], ...required } }
}

/** The ways in which a proof may name its key. Some wallets look only for the DID methods. */
const BINDING_METHODS = ['jwk', 'did:jwk', 'did:key', 'did:web']

/** The claims of the subject with their paths in the credential. */
function claimsOf(schema: CredentialSchema, { issuing }: IssuedFormat) {
  return issuing
    .claimsOf(describeClaims(schema), schema)
    .map(({ path, display, mandatory }) => ({ path, mandatory, ...(display.length === 0 ? {} : { display }) }))
}

/** The algorithms of the issuers' current keys. */
export interface SigningAlgorithms {
  readonly algorithms: readonly string[]
  /** The algorithms of documents that carry a chain if their signer has one. */
  readonly chainAlgorithms: readonly string[]
  /** The algorithms of the issuers whose key has a certificate. */
  readonly certifiedAlgorithms: readonly string[]
}

/** The settings of the service that configurations depend on. */
export type ConfigurationsConfig = Pick<
  Config,
  'attestationTrust' | 'issuerBaseUrl' | 'issuerLegacyProfiles' | 'issuerProfile' | 'sdJwtIssuer'
>

/** HAIP allows only ES256. */
function signingAlgorithms(
  { issuing }: IssuedFormat,
  config: Pick<Config, 'issuerProfile'>,
  { algorithms, chainAlgorithms, certifiedAlgorithms }: SigningAlgorithms,
): readonly unknown[] | Promise<readonly unknown[]> {
  const haip = isHaip({ config }) ? ['ES256'] : undefined
  const own = issuing.chain === undefined ? algorithms : chainAlgorithms
  return issuing.signingAlgorithms?.(haip ?? certifiedAlgorithms) ?? haip ?? own
}

async function configuration(
  schema: CredentialSchema,
  format: IssuedFormat,
  config: ConfigurationsConfig,
  algorithms: SigningAlgorithms,
): Promise<Record<string, unknown>> {
  const display = displayOf(
    schema.display && publicDisplay(schema.display, config),
    schema.title ?? schema.name,
    imageAddresses(config, schema),
  ).map(forOpenid4vci)
  const claims = claimsOf(schema, format)
  return {
    format: format.name,
    scope: configurationIdOf(schema.name, format),
    ...format.issuing.typeMembers(schema, config),
    cryptographic_binding_methods_supported:
      format.issuing.bindingMethods ?? (isHaip({ config }) ? ['jwk'] : BINDING_METHODS),
    credential_signing_alg_values_supported: await signingAlgorithms(format, config, algorithms),
    proof_types_supported: proofTypes(config, schema, await format.issuing.proofAlgorithms?.(SIGNATURE_ALGORITHMS)),
    display,
    credential_metadata: { display, ...(claims.length === 0 ? {} : { claims }) },
  }
}

/**
 * `credential_configurations_supported` (OpenID4VCI 1.0 §12.2.4): one for each active schema and format, including the formats
 * of open drafts.
 */
export async function configurationsOf(
  { config, formats }: { readonly config: ConfigurationsConfig; readonly formats: Pick<Formats, 'issued' | 'former'> },
  schemas: readonly ListedSchema[],
  algorithms: SigningAlgorithms,
): Promise<Record<string, Record<string, unknown>>> {
  const published = publishedFormats({ config, formats })
  const described = schemas.flatMap((schema) =>
    formatsOfType(published, issuabilityOfRow(schema.asMdoc)).map(async (format) => {
      const isFormer = !formats.issued.includes(format)
      const members = configurationFor(await configuration(schema, format, config, algorithms), isFormer)
      return [configurationIdOf(schema.name, format), members] as const
    }),
  )
  return Object.fromEntries(await Promise.all(described))
}

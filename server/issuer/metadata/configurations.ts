import type { Config } from '../../config.js'
import { SIGNATURE_ALGORITHMS } from '../../protocol/jose/algorithms.js'
import { type CredentialFormat, configurationIdOf } from '../issuance/configurations.js'
import { describeClaims, describeSdJwtClaims } from '../schemas/claims.js'
import { displayOf } from '../schemas/display.js'
import type { CredentialSchema } from '../schemas/store.js'
import { vctOf } from '../schemas/type-metadata.js'

const DEFAULT_LOCALE = 'en'

export const PROOF_TYPES = { jwt: { proof_signing_alg_values_supported: [...SIGNATURE_ALGORITHMS] } }

/** Ways in which a proof may name its key; wallets are known that look for the DID methods alone. */
const BINDING_METHODS = ['jwk', 'did:jwk', 'did:key', 'did:web']

/** OpenID4VCI 1.0 Appendix B.2: paths of a W3C credential start at `credentialSubject`. */
function claimsOf(schema: CredentialSchema, format: CredentialFormat) {
  const [prefix, claims] =
    format === 'jwt_vc_json'
      ? [['credentialSubject'], describeClaims(schema.body)]
      : [[], describeSdJwtClaims(schema.body)]
  return claims.map(({ path, title, mandatory }) => ({
    path: [...prefix, ...path],
    mandatory,
    ...(title === undefined ? {} : { display: [{ name: title, locale: DEFAULT_LOCALE }] }),
  }))
}

function configuration(
  schema: CredentialSchema,
  format: CredentialFormat,
  config: Config,
  algorithms: readonly string[],
): Record<string, unknown> {
  const display = displayOf(schema.display, schema.title ?? schema.name)
  const claims = claimsOf(schema, format)
  return {
    format,
    scope: configurationIdOf(schema.name, format),
    ...(format === 'jwt_vc_json'
      ? { credential_definition: { type: ['VerifiableCredential', schema.name] } }
      : { vct: vctOf(config, schema.name) }),
    cryptographic_binding_methods_supported: BINDING_METHODS,
    credential_signing_alg_values_supported: algorithms,
    proof_types_supported: PROOF_TYPES,
    display,
    credential_metadata: { display, ...(claims.length === 0 ? {} : { claims }) },
  }
}

/**
 * `credential_configurations_supported` (OpenID4VCI 1.0 §12.2.4): two for each active schema.
 *
 * @param algorithms that issuers sign with now.
 */
export function configurationsOf(
  schemas: readonly CredentialSchema[],
  config: Config,
  algorithms: readonly string[],
): Record<string, Record<string, unknown>> {
  const formats: readonly CredentialFormat[] = ['jwt_vc_json', 'dc+sd-jwt']
  return Object.fromEntries(
    schemas.flatMap((schema) =>
      formats.map((format) => [
        configurationIdOf(schema.name, format),
        configuration(schema, format, config, algorithms),
      ]),
    ),
  )
}

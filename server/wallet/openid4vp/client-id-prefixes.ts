import type { Config } from '../../config/config.js'
import { CLIENT_ID_PREFIXES } from '../../protocol/openid4vp/client-identifier.js'

/**
 * The client identifier prefixes that hosted wallets support (OpenID4VP 1.0 §5.9.3, §10.1). Verifiers with an attestation are
 * supported only if the configuration has trusted attestation issuers.
 */
export const clientIdPrefixes = ({
  verifierAttestationIssuers,
}: Pick<Config, 'verifierAttestationIssuers'>): readonly string[] =>
  CLIENT_ID_PREFIXES.filter((prefix) => prefix !== 'verifier_attestation' || verifierAttestationIssuers.length > 0)

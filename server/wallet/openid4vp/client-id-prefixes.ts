import type { Config } from '../../config/config.js'
import { CLIENT_ID_PREFIXES } from '../../protocol/openid4vp/client-identifier.js'

/**
 * The client identifier prefixes that hosted wallets know (OpenID4VP 1.0 §5.9.3, §10.1): verifiers with an attestation only where
 * somebody is trusted to attest.
 */
export const clientIdPrefixes = ({
  verifierAttestationIssuers,
}: Pick<Config, 'verifierAttestationIssuers'>): readonly string[] =>
  CLIENT_ID_PREFIXES.filter((prefix) => prefix !== 'verifier_attestation' || verifierAttestationIssuers.length > 0)

import type { Config } from '../../config/config.js'
import type { Formats } from '../../formats/registry.js'
import { SIGNATURE_ALGORITHMS } from '../../protocol/jose/algorithms.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import type { JsonObject } from '../../protocol/json/json-object.js'
import { vpFormatsSupported } from '../../protocol/openid4vp/vp-formats.js'
import { isHeld } from '../credentials/held.js'
import { clientIdPrefixes } from './client-id-prefixes.js'
import type { Profile } from './profiles/profile.js'

/** Algorithms with which this wallet can encrypt its responses (OpenID4VP 1.0 §8.3). */
export const RESPONSE_ENCRYPTION = {
  authorization_encryption_alg_values_supported: ['ECDH-ES', 'ECDH-ES+A256KW', 'RSA-OAEP-256'],
  authorization_encryption_enc_values_supported: ['A256GCM', 'A128GCM', 'A128CBC-HS256', 'A256CBC-HS512'],
}

/** Algorithms with which a request object may be encrypted (RFC 9101 §10.4). */
export const REQUEST_ENCRYPTION = {
  request_object_encryption_alg_values_supported: ['ECDH-ES'],
  request_object_encryption_enc_values_supported: ['A256GCM', 'A128GCM'],
}

/** The settings and formats that decide which requests the wallet accepts, and which credentials it may hold. */
export interface WalletMetadataPorts {
  readonly config: Pick<Config, 'trustAnchors' | 'verifierAttestationIssuers'>
  readonly formats: Formats
}

/**
 * The metadata that the wallet sends to a verifier (OpenID4VP 1.0 §10.1). The metadata contain no data about the
 * holder.
 *
 * @param encryptionKey a key with its `kid`, for the encryption of the request object (§5.10).
 */
export const walletMetadata = (
  { config, formats }: WalletMetadataPorts,
  { hasFormat }: Pick<Profile, 'hasFormat'>,
  encryptionKey: Jwk,
): JsonObject => ({
  response_types_supported: ['vp_token'],
  response_modes_supported: ['direct_post', 'direct_post.jwt'],
  client_id_prefixes_supported: clientIdPrefixes(config),
  request_object_signing_alg_values_supported: SIGNATURE_ALGORITHMS,
  vp_formats_supported: vpFormatsSupported(
    formats.all.filter((format) => hasFormat(format) && isHeld(config, format)),
    SIGNATURE_ALGORITHMS,
    ['ES256'],
  ),
  jwks: { keys: [encryptionKey] },
  ...REQUEST_ENCRYPTION,
  ...RESPONSE_ENCRYPTION,
})

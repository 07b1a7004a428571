import type { CredentialFormat } from '../../../formats/format.js'
import { isObject, type JsonObject } from '../../../protocol/json/json-object.js'
import { CLIENT_ID_PREFIXES } from '../../../protocol/openid4vp/client-identifier.js'
import type { DcqlFault } from '../../../protocol/openid4vp/dcql/check-references.js'
import type { WalletMetadata } from '../../../protocol/openid4vp/wallet-metadata.js'
import { final } from './final.js'
import type { Profile } from './profile.js'

/** The common rules of the drafts, apart from their message formats. */
export const draft: Profile = {
  ...final,
  // Draft 25 introduced x509_hash.
  clientIdPrefixes: CLIENT_ID_PREFIXES.filter((prefix) => prefix !== 'x509_hash'),
  certifiedPrefix: 'x509_san_dns',
  responseModes: ['direct_post', 'direct_post.jwt'],
  hasFormat: ({ querying }) => querying.exchange.presentedAs.length > 0,
}

/** Ciphers for answers; first the cipher that wallets need for mobile documents. Every answer may use either cipher. */
const ENC_VALUES = ['A256GCM', 'A128GCM'] as const

/** Describes a fault of a query. The text begins with the name of the member that the caller sent. */
export function queryFault(vpQuery: unknown, fault: DcqlFault | undefined): string | undefined {
  if (fault === undefined) return undefined
  return `${[vpQuery === null ? 'dcqlQuery' : 'query', ...fault.path].join('.')} ${fault.message}`
}

/**
 * The drafts' `client_metadata` (draft 24 §5.1, draft 21 §9.1; JARM §3): `vp_formats`, and one way to encrypt.
 *
 * @param listed entries of `vp_formats`
 */
export function formerClientMetadata(
  { jwks }: JsonObject,
  listed: readonly JsonObject[],
  wallet: WalletMetadata | undefined,
): JsonObject {
  const vp_formats = Object.assign({}, ...listed) as JsonObject
  if (jwks === undefined) return { vp_formats }
  const known = wallet?.authorization_encryption_enc_values_supported
  return {
    vp_formats,
    jwks,
    authorization_encrypted_response_alg: 'ECDH-ES',
    // This service does not support JARM's default cipher.
    authorization_encrypted_response_enc: ENC_VALUES.find((name) => known?.includes(name)) ?? ENC_VALUES[0],
  }
}

/** Converts `client_id_schemes_supported` and `vp_formats_supported` with `alg_values_supported` to 1.0 (draft 24 §10.1, draft 21 §8.1). */
export function formerWalletMetadata(
  metadata: WalletMetadata,
  formats: readonly CredentialFormat[],
  nameOf: (format: CredentialFormat) => string,
): WalletMetadata {
  const { client_id_schemes_supported: schemes, vp_formats_supported: supported } = metadata
  return {
    ...metadata,
    client_id_prefixes_supported:
      metadata.client_id_prefixes_supported ??
      schemes?.map((scheme) => (scheme === 'did' ? 'decentralized_identifier' : scheme)),
    vp_formats_supported: supported && formatsOfFinal(supported, formats, nameOf),
  }
}

function formatsOfFinal(
  supported: JsonObject,
  formats: readonly CredentialFormat[],
  nameOf: (format: CredentialFormat) => string,
): JsonObject {
  const known = formats.flatMap((format) => {
    const name = nameOf(format)
    const entry = Object.hasOwn(supported, name) ? supported[name] : undefined
    if (!isObject(entry)) return []
    return [[format.name, { alg_values: entry.alg_values_supported, ...entry }] as const]
  })
  return Object.fromEntries(known)
}

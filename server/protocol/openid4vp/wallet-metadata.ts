import { z } from 'zod'
import { canonicalAlgorithm } from '../jose/algorithms.js'
import { type ContentEncryption, ecdhEsEncryption, JweError } from '../jose/ecdh-es.js'
import type { Jwk } from '../jose/jws.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import type { CredentialSetQuery } from './dcql/credential-query.js'
import type { DcqlQuery } from './dcql/dcql-query.js'
import { ENCRYPTED_RESPONSE_ENC_VALUES } from './response-encryption.js'

const MAX_CHARACTERS = 16 * 1024

const zNames = z.array(z.string(), { error: 'is not an array of strings' }).optional()

/**
 * Members of a wallet's metadata that are read (OpenID4VP 1.0 §10.1; RFC 9101 §10.4); all other members are ignored.
 */
const zWalletMetadata = z.object({
  client_id_prefixes_supported: zNames,
  /** The name of `client_id_prefixes_supported` in drafts. */
  client_id_schemes_supported: zNames,
  request_object_signing_alg_values_supported: zNames,
  request_object_encryption_alg_values_supported: zNames,
  request_object_encryption_enc_values_supported: zNames,
  authorization_encryption_alg_values_supported: zNames,
  authorization_encryption_enc_values_supported: zNames,
  jwks: z.object({ keys: z.array(z.custom<JsonObject>(isObject)) }, { error: 'is not a JWK Set' }).optional(),
  vp_formats_supported: z.custom<JsonObject>(isObject, { error: 'is not an object' }).optional(),
})

/**
 * The metadata that a wallet sends about itself. The metadata are not verified, since they change only the copy of a
 * request that this wallet receives.
 */
export type WalletMetadata = z.infer<typeof zWalletMetadata>

/**
 * Thrown if metadata are malformed, or if the wallet does not support the request. `message` is one sentence that may
 * be shown to anyone.
 */
export class WalletMetadataError extends Error {
  override readonly name = 'WalletMetadataError'
}

/**
 * Reads `wallet_metadata` (OpenID4VP 1.0 §5.10): a JSON object of at most 16 KiB.
 *
 * @throws WalletMetadataError that names the member.
 */
export function readWalletMetadata(text: string): WalletMetadata {
  if (text.length > MAX_CHARACTERS) throw new WalletMetadataError('Parameter wallet_metadata is longer than 16 KiB.')
  const parsed = zWalletMetadata.safeParse(objectIn(text))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const [member = ''] = issue?.path ?? []
  throw new WalletMetadataError(`Parameter wallet_metadata is not valid: ${String(member)} is malformed.`)
}

function objectIn(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // No cause is attached: a syntax error quotes the text.
  }
  throw new WalletMetadataError('Parameter wallet_metadata is not a JSON object.')
}

/** Properties of a request that a wallet may not support. */
export interface RequestTraits {
  /** Algorithm of the request object's signature. */
  readonly alg: string
  readonly clientId: string
  /** Whether the answer must be encrypted. */
  readonly encrypted: boolean
}

/** Whether the metadata contain a restriction that a request can violate. */
export const limitsRequests = (metadata: WalletMetadata): boolean =>
  metadata.client_id_prefixes_supported !== undefined ||
  metadata.client_id_schemes_supported !== undefined ||
  metadata.request_object_signing_alg_values_supported !== undefined ||
  metadata.authorization_encryption_alg_values_supported !== undefined ||
  metadata.authorization_encryption_enc_values_supported !== undefined

/**
 * Checks that a wallet supports a request. @throws WalletMetadataError if the wallet's metadata exclude a request with
 * these traits.
 */
export function assertTakes(metadata: WalletMetadata, { alg, clientId, encrypted }: RequestTraits): void {
  const { client_id_prefixes_supported: prefixes, request_object_signing_alg_values_supported: algorithms } = metadata
  const [prefix = ''] = clientId.split(':', 1)
  if (prefixes !== undefined && !prefixes.includes(prefix)) {
    throw new WalletMetadataError(`The wallet does not support the client identifier prefix ${prefix}.`)
  }
  const signedWith = canonicalAlgorithm(alg)
  if (algorithms !== undefined && !algorithms.some((name) => name === alg || canonicalAlgorithm(name) === signedWith)) {
    throw new WalletMetadataError(`The wallet does not support request objects that are signed with ${alg}.`)
  }
  if (encrypted) assertEncrypts(metadata)
}

function assertEncrypts(metadata: WalletMetadata): void {
  const { authorization_encryption_alg_values_supported: algorithms } = metadata
  const { authorization_encryption_enc_values_supported: encryptions } = metadata
  if (algorithms !== undefined && !algorithms.includes('ECDH-ES')) {
    throw new WalletMetadataError('The wallet does not support ECDH-ES, which its answer must be encrypted with.')
  }
  if (encryptions !== undefined && !ENCRYPTED_RESPONSE_ENC_VALUES.some((name) => encryptions.includes(name))) {
    throw new WalletMetadataError('The wallet supports none of the content encryptions A128GCM and A256GCM.')
  }
}

/** Content encryption of request objects, the preferred one first. */
const REQUEST_ENC_VALUES: readonly ContentEncryption[] = ['A256GCM', 'A128GCM']

/**
 * Values of `alg`, and of `key_ops`, that show that a key without `use` is for encryption (RFC 7517 §4.3, §4.4). A
 * wallet may list keys for signatures too.
 */
const ENCRYPTING_ALGORITHM = /^(?:ECDH-ES|RSA)/
const ENCRYPTING_OPERATIONS: readonly unknown[] = ['deriveKey', 'deriveBits', 'encrypt', 'wrapKey']

function isForEncryption({ use, alg, key_ops: operations }: JsonObject): boolean {
  if (use !== undefined) return use === 'enc'
  if (typeof alg === 'string' && !ENCRYPTING_ALGORITHM.test(alg)) return false
  return !Array.isArray(operations) || operations.some((operation) => ENCRYPTING_OPERATIONS.includes(operation))
}

/**
 * Returns the encryption of the request object for a wallet whose metadata contain an encryption key (OpenID4VP 1.0
 * §5.10; RFC 9101 §6.1): ECDH-ES on P-256, with the signed request object inside.
 *
 * @returns a function that encrypts a signed request object; undefined if the metadata have no key for encryption.
 * @throws WalletMetadataError if the metadata have keys for encryption, but none is usable.
 */
export function requestObjectEncryption(metadata: WalletMetadata): ((signed: string) => string) | undefined {
  const keys = (metadata.jwks?.keys ?? []).filter(isForEncryption)
  if (keys.length === 0) return undefined
  if (metadata.request_object_encryption_alg_values_supported?.includes('ECDH-ES') === false) {
    throw new WalletMetadataError('The wallet does not support request objects that are encrypted with ECDH-ES.')
  }
  const listed = metadata.request_object_encryption_enc_values_supported
  const enc = REQUEST_ENC_VALUES.find((name) => listed === undefined || listed.includes(name))
  if (enc === undefined) {
    throw new WalletMetadataError('The wallet supports none of the content encryptions A128GCM and A256GCM.')
  }
  for (const key of keys) {
    const encrypt = encryptionTo(key, enc)
    if (encrypt !== undefined) return (signed) => encrypt(Buffer.from(signed))
  }
  throw new WalletMetadataError('Parameter wallet_metadata has no key that is supported: ECDH-ES on P-256.')
}

function encryptionTo(jwk: JsonObject, enc: ContentEncryption) {
  if (jwk.alg !== undefined && jwk.alg !== 'ECDH-ES') return undefined
  const kid = typeof jwk.kid === 'string' ? jwk.kid : undefined
  try {
    // RFC 7519 §5.2: the content type of a nested JWT must be `JWT`.
    return ecdhEsEncryption(jwk as Jwk, { enc, kid, cty: 'JWT' })
  } catch (error) {
    if (error instanceof JweError) return undefined
    throw error
  }
}

/**
 * Removes from a query the credentials that the wallet cannot hold or present, if `credential_sets` allow an answer
 * without these credentials. Otherwise returns the whole query (OpenID4VP 1.0 §10.1, `vp_formats_supported`).
 *
 * @param vpFormats formats that this verifier supports, written like `vp_formats_supported`
 */
export function queryFor(query: DcqlQuery, metadata: WalletMetadata, vpFormats: JsonObject): DcqlQuery {
  const { vp_formats_supported: supported } = metadata
  const { credentials, credential_sets: sets } = query
  if (supported === undefined || sets === undefined) return query
  const left = credentials.filter(({ format }) => shares(supported, vpFormats, format))
  if (left.length === 0 || left.length === credentials.length) return query
  const ids = new Set(left.map(({ id }) => id))
  const narrowed = sets.flatMap((set) => narrowedSet(set, ids))
  const isRequired = ({ required }: CredentialSetQuery) => required !== false
  // If all sets were removed, all remaining credentials would be required.
  if (narrowed.length === 0 || narrowed.filter(isRequired).length < sets.filter(isRequired).length) return query
  return { credentials: left, credential_sets: narrowed }
}

function narrowedSet(set: CredentialSetQuery, ids: ReadonlySet<string>): CredentialSetQuery[] {
  const options = set.options.filter((option) => option.every((id) => ids.has(id)))
  return options.length === 0 ? [] : [{ ...set, options }]
}

/** Whether wallet and verifier know the format, and have a common algorithm in every member that both list. */
function shares(supported: JsonObject, vpFormats: JsonObject, format: string): boolean {
  const [theirs, ours] = [supported, vpFormats].map((all) => (Object.hasOwn(all, format) ? all[format] : undefined))
  if (!isObject(theirs) || !isObject(ours)) return false
  return Object.entries(ours).every(([name, values]) => {
    const listed = Object.hasOwn(theirs, name) ? theirs[name] : undefined
    return !Array.isArray(listed) || !Array.isArray(values) || listed.some((value) => values.includes(value))
  })
}

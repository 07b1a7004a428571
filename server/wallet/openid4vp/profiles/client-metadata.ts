import { isObject, type JsonObject } from '../../../protocol/json/json-object.js'

/** Members of drafts up to 24 for the encryption of answers (JARM §3). OpenID4VP 1.0 ignores these members (§5.1). */
const JARM_MEMBERS = [
  'authorization_signed_response_alg',
  'authorization_encrypted_response_alg',
  'authorization_encrypted_response_enc',
]

/** JARM §3: the default if only the algorithm is named. */
const DEFAULT_ENC = 'A128CBC-HS256'

/** Whether metadata has members that only drafts know, and none of their replacements. */
export const isOfDraft = (metadata: JsonObject): boolean =>
  metadata.vp_formats_supported === undefined &&
  metadata.encrypted_response_enc_values_supported === undefined &&
  (metadata.vp_formats !== undefined || JARM_MEMBERS.some((name) => metadata[name] !== undefined))

export function withoutDraftMembers(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !JARM_MEMBERS.includes(name)))
}

/**
 * The metadata of a draft's verifier in the terms of 1.0. The member with the formats gets its current name. The
 * requested content encryption becomes the only choice. The requested algorithm is added to keys without an algorithm.
 */
export function clientMetadataOfDraft(metadata: JsonObject): JsonObject {
  const { authorization_encrypted_response_alg: alg, authorization_encrypted_response_enc: enc } = metadata
  const { vp_formats: formats, jwks, ...others } = withoutDraftMembers(metadata)
  const content = enc ?? (alg === undefined ? undefined : DEFAULT_ENC)
  return {
    ...others,
    ...(formats === undefined ? {} : { vp_formats_supported: formats }),
    ...(jwks === undefined ? {} : { jwks: typeof alg === 'string' ? withAlgorithm(jwks, alg) : jwks }),
    ...(content === undefined ? {} : { encrypted_response_enc_values_supported: [content] }),
  }
}

/**
 * Adds an algorithm to keys without an algorithm. Keys for another algorithm are left out, because they cannot encrypt
 * the answer.
 */
function withAlgorithm(jwks: unknown, alg: string): unknown {
  if (!isObject(jwks) || !Array.isArray(jwks.keys)) return jwks
  const keys: readonly unknown[] = jwks.keys
  return { keys: keys.flatMap((key) => (isObject(key) && (key.alg ?? alg) === alg ? [{ ...key, alg }] : [])) }
}

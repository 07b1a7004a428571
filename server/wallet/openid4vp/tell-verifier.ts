import type { Deps } from '../../deps.js'
import { type ContentEncryption, ecdhEsEncryption, JweError } from '../../protocol/jose/ecdh-es.js'
import type { Jwk } from '../../protocol/jose/jws.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import { ENCRYPTED_RESPONSE_ENC_VALUES } from '../../protocol/openid4vp/response-encryption.js'
import { failureReason } from '../protocol/exchange-failure.js'
import type { PresentationRequest } from './presentation-request.js'
import type { RefusalCode } from './refused-request.js'

type Payload = PresentationRequest['payload']

/**
 * Tells a verifier why its request is refused (OpenID4VP 1.0 §8.5), at the address that its client identifier allows. Whatever
 * goes wrong with it changes nothing for the wallet's owner.
 */
export async function tellVerifier(
  { log }: Pick<Deps, 'log'>,
  fetch: typeof globalThis.fetch,
  responseUri: string,
  payload: Payload,
  error: RefusalCode,
): Promise<void> {
  const { state } = payload
  const parameters = { error, ...(typeof state === 'string' ? { state } : {}) }
  // §8.3.1: in the clear where it cannot be encrypted.
  const form = encrypted(payload, parameters) ?? parameters
  try {
    await fetch(responseUri, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  } catch (thrown) {
    log.info({ reason: failureReason(thrown) }, 'a verifier could not be told that its request is refused')
  }
}

function encrypted(payload: Payload, parameters: JsonObject): { response: string } | undefined {
  if (payload.response_mode !== 'direct_post.jwt' || !isObject(payload.client_metadata)) return undefined
  const { jwks, encrypted_response_enc_values_supported: listed } = payload.client_metadata
  const enc = ENCRYPTED_RESPONSE_ENC_VALUES.find((name) =>
    (Array.isArray(listed) ? listed : ['A128GCM']).includes(name),
  )
  const keys: readonly unknown[] = isObject(jwks) && Array.isArray(jwks.keys) ? jwks.keys : []
  if (enc === undefined) return undefined
  const plaintext = Buffer.from(JSON.stringify(parameters))
  for (const key of keys) {
    const response = isObject(key) ? encryptedTo(key, enc, plaintext) : undefined
    if (response !== undefined) return { response }
  }
  return undefined
}

function encryptedTo(jwk: JsonObject, enc: ContentEncryption, plaintext: Uint8Array): string | undefined {
  if (jwk.use === 'sig' || (jwk.alg !== undefined && jwk.alg !== 'ECDH-ES')) return undefined
  try {
    return ecdhEsEncryption(jwk as Jwk, { enc, kid: typeof jwk.kid === 'string' ? jwk.kid : undefined })(plaintext)
  } catch (thrown) {
    if (thrown instanceof JweError) return undefined
    throw thrown
  }
}

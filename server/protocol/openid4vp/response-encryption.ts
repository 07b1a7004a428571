import { type CompactJwe, decodeCompactJwe, decryptEcdhEs, generateP256, JweError } from '../jose/ecdh-es.js'
import { type Jwk, publicJwkOf, thumbprint } from '../jose/jws.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { ResponseError } from './response-error.js'

/** Content encryption that wallets may choose (§5.1; HAIP 1.0 §5: both). */
export const ENCRYPTED_RESPONSE_ENC_VALUES = ['A128GCM', 'A256GCM'] as const

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A key pair for the answer to one request: P-256, ECDH-ES. The private JWK has the `kid`, `use` and `alg` too. */
export function generateResponseKey(): Jwk {
  const privateJwk = generateP256()
  return { ...privateJwk, kid: thumbprint(privateJwk), use: 'enc', alg: 'ECDH-ES' }
}

/** The part of the key pair that the request contains. */
export const responsePublicKey = (privateJwk: Jwk): Jwk => publicJwkOf(privateJwk)

/**
 * Decrypts an encrypted authorization response (OpenID4VP 1.0 §8.3): a JWE that was made with `ECDH-ES` and AES-GCM for
 * the key of the request. Returns the parameters of the response.
 *
 * @throws ResponseError for any other value.
 */
export function decryptResponse(jwe: string, privateJwk: Jwk): JsonObject {
  const decoded = decodeResponse(jwe)
  const { kid, zip } = decoded.header
  // §8.3: the JWE names its key with `kid`.
  if (kid !== undefined && kid !== privateJwk.kid) throw new ResponseError('Response is encrypted for another key.')
  // Compressed content is refused: a few bytes could expand without limit.
  if (zip !== undefined) throw new ResponseError('Response is compressed, which is not supported.')
  return parametersOf(plaintextOf(decoded, privateJwk))
}

function decodeResponse(jwe: string): CompactJwe {
  try {
    return decodeCompactJwe(jwe)
  } catch (cause) {
    throw refusal(cause, 'Response is not a compact JWE.')
  }
}

function plaintextOf(jwe: CompactJwe, privateJwk: Jwk): Uint8Array {
  try {
    return decryptEcdhEs(jwe, privateJwk)
  } catch (cause) {
    throw refusal(cause, 'Response cannot be decrypted.')
  }
}

const refusal = (cause: unknown, sentence: string): unknown =>
  cause instanceof JweError ? new ResponseError(sentence, { cause }) : cause

function parametersOf(plaintext: Uint8Array): JsonObject {
  try {
    const parameters: unknown = JSON.parse(utf8.decode(plaintext))
    if (isObject(parameters)) return parameters
  } catch (cause) {
    throw new ResponseError('Response holds no JSON object.', { cause })
  }
  throw new ResponseError('Response holds no JSON object.')
}

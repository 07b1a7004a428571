import { compactDecrypt, decodeProtectedHeader, errors, type ProtectedHeaderParameters } from 'jose'
import { isObject, type JsonObject } from '../credential.js'
import { generateKeyPair, type Jwk, publicJwkOf, thumbprint } from '../jose/jws.js'
import { ResponseError } from './response-error.js'

/** Content encryption that wallets may choose (§5.1; HAIP 1.0 §5: both). */
export const ENCRYPTED_RESPONSE_ENC_VALUES = ['A128GCM', 'A256GCM'] as const

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A key pair for the answer to one request: P-256, ECDH-ES. The private JWK has the `kid`, `use` and `alg` too. */
export async function generateResponseKey(): Promise<Jwk> {
  const { privateJwk } = await generateKeyPair('ES256')
  return { ...privateJwk, kid: thumbprint(privateJwk), use: 'enc', alg: 'ECDH-ES' }
}

/** What the request shows of it. */
export const responsePublicKey = (privateJwk: Jwk): Jwk => publicJwkOf(privateJwk)

/**
 * Opens an encrypted authorization response (OpenID4VP 1.0 §8.3): a JWE for the key of its request, `ECDH-ES` with an
 * AES-GCM, holding the response's parameters.
 *
 * @throws ResponseError for whatever is no such JWE.
 */
export async function decryptResponse(jwe: string, privateJwk: Jwk): Promise<JsonObject> {
  const { kid, zip } = headerOf(jwe)
  // §8.3: the JWE names the key that it is for.
  if (kid !== undefined && kid !== privateJwk.kid) throw new ResponseError('Response is encrypted for another key.')
  // Nothing is decompressed: a few bytes could become any number.
  if (zip !== undefined) throw new ResponseError('Response is compressed, which is not supported.')
  return parametersOf(await plaintextOf(jwe, privateJwk))
}

function headerOf(jwe: string): ProtectedHeaderParameters & { zip?: unknown } {
  try {
    return decodeProtectedHeader(jwe)
  } catch (cause) {
    throw new ResponseError('Response is not a compact JWE.', { cause })
  }
}

async function plaintextOf(jwe: string, privateJwk: Jwk): Promise<Uint8Array> {
  try {
    const { plaintext } = await compactDecrypt(jwe, privateJwk, {
      keyManagementAlgorithms: ['ECDH-ES'],
      contentEncryptionAlgorithms: [...ENCRYPTED_RESPONSE_ENC_VALUES],
    })
    return plaintext
  } catch (cause) {
    // An ephemeral key that is no point of the curve comes as an error of WebCrypto's own.
    if (cause instanceof errors.JOSEError || cause instanceof DOMException || cause instanceof TypeError) {
      throw new ResponseError('Response cannot be decrypted.', { cause })
    }
    throw cause
  }
}

function parametersOf(plaintext: Uint8Array): JsonObject {
  try {
    const parameters: unknown = JSON.parse(utf8.decode(plaintext))
    if (isObject(parameters)) return parameters
  } catch (cause) {
    throw new ResponseError('Response holds no JSON object.', { cause })
  }
  throw new ResponseError('Response holds no JSON object.')
}

import { isUtf8 } from 'node:buffer'
import {
  type CompactJwe,
  decodeCompactJwe,
  decryptEcdhEs,
  ecdhEsEncryption,
  generateP256,
  JweError,
} from '../jose/ecdh-es.js'
import { hasPrivateMembers, type Jwk } from '../jose/jws.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { OAuthError } from '../oauth/error.js'

/** The media type of encrypted requests and answers (OpenID4VCI 1.0 §10). */
export const ENCRYPTED_TYPE = 'application/jwt'

/** Key agreement, content encryption and compression of credential requests and responses (OpenID4VCI 1.0 §10). */
export const ENCRYPTION_ALG = 'ECDH-ES'
export const ENCRYPTION_ENC_VALUES = ['A128GCM', 'A256GCM'] as const
export const ENCRYPTION_ZIP_VALUES = ['DEF'] as const

/** Maximum length of the content of an encrypted request, in octets. */
export const MAX_REQUEST_BYTES = 262_144
/** Maximum length of the whole encrypted request in base64url. It leaves room for the header. */
const MAX_JWE_LENGTH = 360_448
/** The clock of a wallet may differ from this server's clock. */
const LEEWAY_SECONDS = 60

/**
 * Makes the private key with which the service decrypts requests. The public key is published with the same `kid`,
 * `use` and `alg`.
 */
export const generateEncryptionKey = (kid: string): Jwk => ({
  ...generateP256(),
  kid,
  use: 'enc',
  alg: ENCRYPTION_ALG,
})

/**
 * The error of §8.3.1.2 for a fault in the encryption of a request, or in the encryption that a request asks for in the
 * answer.
 */
export const encryptionError = (description: string, cause?: unknown): OAuthError =>
  new OAuthError('invalid_encryption_parameters', description, { cause })

const tooLong = (cause?: unknown) =>
  new OAuthError('invalid_credential_request', 'The encrypted request holds more than 256 KiB.', { status: 413, cause })

function decoded(jwe: string): CompactJwe {
  try {
    return decodeCompactJwe(jwe)
  } catch (cause) {
    throw encryptionError('The request is not a compact JWE.', cause)
  }
}

const isOneOf = <Value extends string>(values: readonly Value[], value: unknown): value is Value =>
  values.some((one) => one === value)

function assertHeader({ alg, enc, zip }: JsonObject): void {
  if (alg !== ENCRYPTION_ALG) throw encryptionError(`The request must be encrypted with alg ${ENCRYPTION_ALG}.`)
  if (!isOneOf(ENCRYPTION_ENC_VALUES, enc)) throw encryptionError('The enc of the request is not supported.')
  if (zip !== undefined && !isOneOf(ENCRYPTION_ZIP_VALUES, zip))
    throw encryptionError('The zip of the request is not supported.')
}

function decrypted(jwe: CompactJwe, key: Jwk): Uint8Array {
  try {
    return decryptEcdhEs(jwe, key, MAX_REQUEST_BYTES)
  } catch (cause) {
    if (!(cause instanceof JweError)) throw cause
    throw cause.tooLong ? tooLong(cause) : encryptionError('The request cannot be decrypted.', cause)
  }
}

/**
 * Decrypts an encrypted Credential Request or Deferred Credential Request (OpenID4VCI 1.0 §10).
 *
 * @param keyOf returns the private key with a `kid`
 * @returns the claims as the decrypted JSON text.
 * @throws OAuthError `invalid_encryption_parameters`; `invalid_credential_request` with status 413 for more than 256
 * KiB, compressed or not, and for a text that is no UTF-8.
 */
export async function decryptRequest(jwe: string, keyOf: (kid: string) => Promise<Jwk | undefined>): Promise<string> {
  if (jwe.length > MAX_JWE_LENGTH) throw tooLong()
  const message = decoded(jwe)
  assertHeader(message.header)
  const { kid } = message.header
  const key = typeof kid === 'string' ? await keyOf(kid) : undefined
  if (key === undefined)
    throw encryptionError('The kid of the request names no key of this issuer; its metadata have it.')
  const octets = decrypted(message, key)
  if (octets.length > MAX_REQUEST_BYTES) throw tooLong()
  if (!isUtf8(octets)) throw new OAuthError('invalid_credential_request', 'The encrypted request must be UTF-8.')
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('utf8')
}

/**
 * An encrypted request is a JWT. If it has a validity period, it is valid only in this period (RFC 7519 §4.1.4, §4.1.5).
 *
 * @throws OAuthError `invalid_credential_request`
 */
export function assertRequestTimes({ exp, nbf }: JsonObject, now: Date): void {
  const refusal = (description: string) => new OAuthError('invalid_credential_request', description)
  const seconds = now.getTime() / 1000
  for (const [name, time] of Object.entries({ exp, nbf }))
    if (time !== undefined && typeof time !== 'number') throw refusal(`The ${name} of the request must be a number.`)
  if (typeof exp === 'number' && exp + LEEWAY_SECONDS <= seconds) throw refusal('The encrypted request has expired.')
  if (typeof nbf === 'number' && nbf > seconds + LEEWAY_SECONDS)
    throw refusal('The encrypted request is not valid yet: nbf lies in the future.')
}

function encryptionJwk(jwk: unknown): Jwk {
  const name = 'credential_response_encryption.jwk'
  if (!isObject(jwk)) throw encryptionError(`${name} must be a JWK.`)
  if (hasPrivateMembers(jwk)) throw encryptionError(`${name} must be a public key.`)
  if (jwk.alg !== ENCRYPTION_ALG) throw encryptionError(`${name} must have the alg ${ENCRYPTION_ALG}.`)
  if (jwk.use !== undefined && jwk.use !== 'enc') throw encryptionError(`${name} is not meant for encryption.`)
  if (jwk.kid !== undefined && typeof jwk.kid !== 'string') throw encryptionError(`${name} has a kid that is no text.`)
  return jwk
}

/**
 * Reads `credential_response_encryption` (OpenID4VCI 1.0 §8.2, §10) and derives the encryption key immediately, so that
 * every fault is refused before anything is issued.
 *
 * @returns a function that encrypts the answer.
 * @throws OAuthError `invalid_encryption_parameters`
 */
export function responseEncryption(parameters: unknown): (answer: Uint8Array) => string {
  if (!isObject(parameters)) throw encryptionError('credential_response_encryption must be an object.')
  const { enc, zip } = parameters
  if (!isOneOf(ENCRYPTION_ENC_VALUES, enc))
    throw encryptionError('The enc of credential_response_encryption is missing or not supported.')
  if (zip !== undefined && !isOneOf(ENCRYPTION_ZIP_VALUES, zip))
    throw encryptionError('The zip of credential_response_encryption is not supported.')
  const jwk = encryptionJwk(parameters.jwk)
  try {
    return ecdhEsEncryption(jwk, { enc, zip, kid: jwk.kid })
  } catch (cause) {
    if (!(cause instanceof JweError)) throw cause
    throw encryptionError('credential_response_encryption.jwk must be a point of P-256.', cause)
  }
}

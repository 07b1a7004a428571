import type { IssuerMetadataResult } from '@openid4vc/openid4vci'
import { z } from 'zod'
import {
  type ContentEncryption,
  decodeCompactJwe,
  decryptEcdhEs,
  ecdhEsEncryption,
  JweError,
} from '../../protocol/jose/ecdh-es.js'
import { type Jwk, publicJwkOf } from '../../protocol/jose/jws.js'
import { isObject, type JsonObject } from '../../protocol/json/json-object.js'
import {
  ENCRYPTED_TYPE,
  ENCRYPTION_ALG,
  ENCRYPTION_ENC_VALUES,
  generateEncryptionKey,
} from '../../protocol/openid4vci/encryption.js'
import { WalletError } from '../exchange/wallet-error.js'

const zRequestEncryption = z.object({
  jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
  enc_values_supported: z.array(z.string()),
})

const zResponseEncryption = z.object({
  alg_values_supported: z.array(z.string()),
  enc_values_supported: z.array(z.string()),
})

/** How messages to an issuer are encrypted. */
export interface MessageEncryption {
  readonly key: Jwk
  readonly enc: ContentEncryption
  /** `enc` of the answer; undefined for an unencrypted answer. */
  readonly answerEnc: ContentEncryption | undefined
}

/** A message to send, and the function that reads its answer. */
export interface SentMessage {
  readonly type: string
  readonly body: string
  /**
   * Returns the answer's text.
   *
   * @throws WalletError if an answer that should be encrypted is not encrypted, or if the answer cannot be decrypted.
   */
  readonly read: (text: string, type: string | null, ok: boolean) => string
}

const isRequired = (member: unknown): boolean => isObject(member) && member.encryption_required === true

const encOf = (offered: readonly string[]) => ENCRYPTION_ENC_VALUES.find((enc) => offered.includes(enc))

/** OpenID4VCI 1.0 §10: the wallet may choose any key; each key has an `alg`. */
const isUsable = ({ kty, crv, alg, use }: Jwk): boolean =>
  kty === 'EC' && crv === 'P-256' && alg === ENCRYPTION_ALG && (use === undefined || use === 'enc')

type RequestEncryption = Pick<MessageEncryption, 'key' | 'enc'>

/** Makes a JWE for a key; undefined if the key is not a point of its curve. */
function encryptor({ key, enc }: RequestEncryption) {
  try {
    const { kid } = key
    return ecdhEsEncryption(key, { enc, kid: typeof kid === 'string' ? kid : undefined })
  } catch (thrown) {
    if (thrown instanceof JweError) return undefined
    throw thrown
  }
}

function requestEncryption(member: unknown): RequestEncryption | undefined {
  const read = zRequestEncryption.safeParse(member)
  const enc = read.success ? encOf(read.data.enc_values_supported) : undefined
  if (read.data === undefined || enc === undefined) return undefined
  const key = read.data.jwks.keys.find((one) => isUsable(one) && encryptor({ key: one, enc }) !== undefined)
  return key === undefined ? undefined : { key, enc }
}

function responseEnc(member: unknown): ContentEncryption | undefined {
  const read = zResponseEncryption.safeParse(member)
  if (!read.success || !read.data.alg_values_supported.includes(ENCRYPTION_ALG)) return undefined
  return encOf(read.data.enc_values_supported)
}

/** Whether an issuer accepts or sends only encrypted messages (OpenID4VCI 1.0 §12.2.4). */
export const demandsEncryption = ({ credentialIssuer }: Pick<IssuerMetadataResult, 'credentialIssuer'>): boolean =>
  isRequired(credentialIssuer.credential_request_encryption) ||
  isRequired(credentialIssuer.credential_response_encryption)

/**
 * How messages are encrypted. Requests and answers are each encrypted if the issuer's metadata offer encryption
 * (OpenID4VCI 1.0 §12.2.4).
 *
 * @returns undefined if the issuer offers no method that this wallet supports.
 * @throws WalletError if encryption is required and this wallet supports no offered method. An encrypted answer requires an
 *   encrypted request (§8.2), for which drafts had no key.
 */
export function messageEncryption({
  credentialIssuer,
}: Pick<IssuerMetadataResult, 'credentialIssuer'>): MessageEncryption | undefined {
  const { credential_request_encryption: request, credential_response_encryption: response } = credentialIssuer
  const sent = requestEncryption(request)
  const answerEnc = responseEnc(response)
  const isMissing = (isRequired(request) && sent === undefined) || (isRequired(response) && answerEnc === undefined)
  if (isMissing || (isRequired(response) && sent === undefined)) {
    throw new WalletError('The issuer requires encrypted messages, in a way that this wallet does not support.')
  }
  return sent === undefined ? undefined : { ...sent, answerEnc }
}

function opened(jwe: string, key: Jwk, maxBytes: number): string {
  try {
    return Buffer.from(decryptEcdhEs(decodeCompactJwe(jwe), key, maxBytes)).toString('utf8')
  } catch (thrown) {
    if (!(thrown instanceof JweError)) throw thrown
    const reason = thrown.tooLong ? 'holds too much' : 'cannot be decrypted'
    throw new WalletError(`The issuer's encrypted answer ${reason}.`, { cause: thrown })
  }
}

const isEncrypted = (type: string | null): boolean => type?.split(';', 1)[0]?.trim().toLowerCase() === ENCRYPTED_TYPE

function sealed(message: JsonObject, encryption: MessageEncryption): string {
  const encrypt = encryptor(encryption)
  if (encrypt === undefined) throw new WalletError("The issuer's key for encrypted requests cannot be used.")
  return encrypt(Buffer.from(JSON.stringify(message), 'utf8'))
}

/**
 * A Credential Request or Deferred Credential Request in the form that is sent (OpenID4VCI 1.0 §10). It is encrypted if the issuer
 * offers it, with a separate key for the answer.
 *
 * @param maxBytes limit for the decrypted and decompressed answer
 */
export function sentMessage(
  message: JsonObject,
  encryption: MessageEncryption | undefined,
  maxBytes: number,
): SentMessage {
  if (encryption === undefined) {
    return { type: 'application/json', body: JSON.stringify(message), read: (text) => text }
  }
  const { answerEnc } = encryption
  if (answerEnc === undefined) return { type: ENCRYPTED_TYPE, body: sealed(message, encryption), read: (text) => text }
  const answerKey = generateEncryptionKey('answer')
  const asked = { ...message, credential_response_encryption: { jwk: publicJwkOf(answerKey), enc: answerEnc } }
  return {
    type: ENCRYPTED_TYPE,
    body: sealed(asked, encryption),
    read: (text, type, ok) => {
      if (isEncrypted(type)) return opened(text, answerKey, maxBytes)
      // §8.3.1: refusals are unencrypted.
      if (ok) throw new WalletError('The issuer sent an unencrypted answer although encryption was requested.')
      return text
    },
  }
}

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
import { WalletError } from '../protocol/wallet-error.js'

/** What an answer may become when it is decompressed: as much as may be fetched in the clear. */
const MAX_INFLATED = 262_144

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
  /** `enc` of the answer; undefined where the answer is not to be encrypted. */
  readonly answerEnc: ContentEncryption | undefined
}

/** A message as it is sent, and what reads the answer to it. */
export interface SentMessage {
  readonly type: string
  readonly body: string
  /**
   * The answer's text.
   *
   * @throws WalletError where an answer that should be encrypted is not, or does not decrypt.
   */
  readonly read: (text: string, type: string | null, ok: boolean) => string
}

const isRequired = (member: unknown): boolean => isObject(member) && member.encryption_required === true

const encOf = (offered: readonly string[]) => ENCRYPTION_ENC_VALUES.find((enc) => offered.includes(enc))

/** OpenID4VCI 1.0 §10: any key may be chosen, and has an `alg`. */
const isUsable = ({ kty, crv, alg, use }: Jwk): boolean =>
  kty === 'EC' && crv === 'P-256' && alg === ENCRYPTION_ALG && (use === undefined || use === 'enc')

function requestEncryption(member: unknown): Pick<MessageEncryption, 'key' | 'enc'> | undefined {
  const read = zRequestEncryption.safeParse(member)
  if (!read.success) return undefined
  const key = read.data.jwks.keys.find(isUsable)
  const enc = encOf(read.data.enc_values_supported)
  return key === undefined || enc === undefined ? undefined : { key, enc }
}

function responseEnc(member: unknown): ContentEncryption | undefined {
  const read = zResponseEncryption.safeParse(member)
  if (!read.success || !read.data.alg_values_supported.includes(ENCRYPTION_ALG)) return undefined
  return encOf(read.data.enc_values_supported)
}

/**
 * How an issuer's metadata (OpenID4VCI 1.0 §12.2.4) have messages encrypted: only where they must be. An issuer that merely
 * offers it gets plain messages, since TLS protects them already and there is one thing less in which the two can disagree.
 *
 * @returns undefined where nothing needs to be encrypted.
 * @throws WalletError where something must be, in a way that this wallet does not know. An encrypted answer takes an encrypted
 * request (§8.2), for which drafts had no key.
 */
export function messageEncryption({
  credentialIssuer,
}: Pick<IssuerMetadataResult, 'credentialIssuer'>): MessageEncryption | undefined {
  const { credential_request_encryption: request, credential_response_encryption: response } = credentialIssuer
  const answers = isRequired(response)
  if (!answers && !isRequired(request)) return undefined
  const sent = requestEncryption(request)
  const answerEnc = answers ? responseEnc(response) : undefined
  if (sent === undefined || (answers && answerEnc === undefined)) {
    throw new WalletError(
      'The issuer takes or sends encrypted messages only, in a way that this wallet does not support.',
    )
  }
  return { ...sent, answerEnc }
}

function opened(jwe: string, key: Jwk): string {
  try {
    return Buffer.from(decryptEcdhEs(decodeCompactJwe(jwe), key, MAX_INFLATED)).toString('utf8')
  } catch (thrown) {
    if (!(thrown instanceof JweError)) throw thrown
    const reason = thrown.tooLong ? 'holds too much' : 'cannot be decrypted'
    throw new WalletError(`The issuer's encrypted answer ${reason}.`, { cause: thrown })
  }
}

const isEncrypted = (type: string | null): boolean => type?.split(';', 1)[0]?.trim().toLowerCase() === ENCRYPTED_TYPE

function sealed(message: JsonObject, { key, enc }: MessageEncryption): string {
  try {
    const { kid } = key
    const encrypt = ecdhEsEncryption(key, { enc, kid: typeof kid === 'string' ? kid : undefined })
    return encrypt(Buffer.from(JSON.stringify(message), 'utf8'))
  } catch (thrown) {
    if (!(thrown instanceof JweError)) throw thrown
    throw new WalletError("The issuer's key for encrypted requests cannot be used.", { cause: thrown })
  }
}

/**
 * A Credential Request or Deferred Credential Request as it is sent (OpenID4VCI 1.0 §10): encrypted where it must be, with a key
 * of its own for the answer.
 */
export function sentMessage(message: JsonObject, encryption: MessageEncryption | undefined): SentMessage {
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
      if (isEncrypted(type)) return opened(text, answerKey)
      // §8.3.1: refusals come in the clear.
      if (ok) throw new WalletError('The issuer sent in the clear what was to be encrypted.')
      return text
    },
  }
}

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader, errors } from 'jose'
import { decodeBase64url, encodeBase64url } from './base64url.js'

const KEY_OCTETS = 32
const NONCE_OCTETS = 12
const TAG_OCTETS = 16

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A stored secret that cannot be read; `message` says why without showing any part of it. */
export class SecretError extends Error {
  override readonly name = 'SecretError'
}

/**
 * Derives a key of 32 octets for one purpose from a secret (HKDF-SHA256, RFC 5869; `label` is its `info`), so that a
 * token sealed for one purpose never opens for another.
 */
export function deriveKey(secret: Uint8Array, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), label, KEY_OCTETS))
}

/**
 * Seals a JSON value into a token that only `open` with the same key reads: base64url of nonce, AES-256-GCM ciphertext
 * and tag. The nonce is random, so one key may seal some 2^32 tokens (NIST SP 800-38D §8.3). Throws TypeError for what
 * JSON cannot express.
 */
export function seal(key: Uint8Array, json: unknown): string {
  const plaintext: string | undefined = JSON.stringify(json)
  if (plaintext === undefined) throw new TypeError('A sealed value must be expressible in JSON.')
  const nonce = randomBytes(NONCE_OCTETS)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_OCTETS })
  return encodeBase64url(Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]))
}

/**
 * The value that `seal` put into the token, or undefined when the token is not one that this key sealed, letter by
 * letter.
 */
export function open(key: Uint8Array, token: string): unknown {
  const octets = decodeBase64url(token)
  if (octets === undefined || octets.length < NONCE_OCTETS + TAG_OCTETS) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, octets.subarray(0, NONCE_OCTETS), { authTagLength: TAG_OCTETS })
  decipher.setAuthTag(octets.subarray(-TAG_OCTETS))
  const opened = decipher.update(octets.subarray(NONCE_OCTETS, -TAG_OCTETS))
  try {
    decipher.final()
  } catch {
    return undefined
  }
  return JSON.parse(opened.toString('utf8'))
}

/**
 * Encrypts a secret for storage under a key-encryption key of 32 octets: a compact JWE (RFC 7516), `dir` with
 * `A256GCM`, whose `kid` tells the key apart from its predecessor.
 */
export async function encryptSecret(kek: Uint8Array, plaintext: string): Promise<string> {
  return new CompactEncrypt(Buffer.from(plaintext, 'utf8'))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: kekId(kek) })
    .encrypt(kek)
}

/**
 * Decrypts what `encryptSecret` wrote with whichever of the keys fits; `keyIndex` is that key's place in `keks`, so
 * that a secret still under an older key can be encrypted anew. Throws SecretError when no key fits or the JWE was
 * altered.
 */
export async function decryptSecret(
  keks: readonly Uint8Array[],
  jwe: string,
): Promise<{ plaintext: string; keyIndex: number }> {
  const kid = storedKekId(jwe)
  const keyIndex = keks.findIndex((kek) => kekId(kek) === kid)
  const kek = keks[keyIndex]
  if (kek === undefined)
    throw new SecretError(`The secret is encrypted under the key ${kid}, and no configured key is that one.`)
  try {
    const decrypted = await compactDecrypt(jwe, kek, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256GCM'],
    })
    return { plaintext: utf8.decode(decrypted.plaintext), keyIndex }
  } catch (cause) {
    if (!(cause instanceof errors.JOSEError)) throw cause
    throw new SecretError('The encrypted secret was altered.', { cause })
  }
}

function kekId(kek: Uint8Array): string {
  return createHash('sha256').update(kek).digest().subarray(0, 12).toString('base64url')
}

function storedKekId(jwe: string): string {
  try {
    const { kid } = decodeProtectedHeader(jwe)
    if (typeof kid === 'string') return kid
  } catch (cause) {
    throw new SecretError('The stored value is not an encrypted secret.', { cause })
  }
  throw new SecretError('The encrypted secret names no key.')
}

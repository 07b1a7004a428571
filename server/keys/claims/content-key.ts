import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { SecretError } from '../../protocol/jose/sealed.js'

const KEY_OCTETS = 32
const NONCE_OCTETS = 12
const TAG_OCTETS = 16
const utf8 = new TextDecoder('utf-8', { fatal: true })

const GCM = { authTagLength: TAG_OCTETS }

/** A key in the form of Node.js ciphers. It is not kept: a content key is used once or twice. */
export const contentKeyOf = (octets: Uint8Array): KeyObject => createSecretKey(octets)

/** A new content key of 32 octets. */
export const newContentKey = (): Uint8Array => randomBytes(KEY_OCTETS)

/**
 * Encrypts with AES-256-GCM.
 *
 * @param bound the place of the value, as additional authenticated data
 * @returns nonce, ciphertext and tag, base64url
 */
export function encryptBound(key: KeyObject, plaintext: string | Uint8Array, bound: string): string {
  const nonce = randomBytes(NONCE_OCTETS)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, GCM).setAAD(Buffer.from(bound, 'utf8'))
  const text = typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext)
  cipher.final()
  return Buffer.concat([nonce, text, cipher.getAuthTag()]).toString('base64url')
}

/**
 * Decrypts the output of {@link encryptBound}.
 *
 * @throws SecretError if the value was altered, shortened, or encrypted with another key or for another place.
 */
export function decryptBound(key: KeyObject, encrypted: string, bound: string): Uint8Array {
  const octets = Buffer.from(encrypted, 'base64url')
  if (octets.length < NONCE_OCTETS + TAG_OCTETS) throw new SecretError('The encrypted value is too short.')
  const decipher = createDecipheriv('aes-256-gcm', key, octets.subarray(0, NONCE_OCTETS), GCM)
  decipher.setAAD(Buffer.from(bound, 'utf8')).setAuthTag(octets.subarray(-TAG_OCTETS))
  const text = decipher.update(octets.subarray(NONCE_OCTETS, -TAG_OCTETS))
  try {
    decipher.final()
  } catch (cause) {
    throw new SecretError('The encrypted value was altered, or belongs to another row or database.', { cause })
  }
  return text
}

/** @throws TypeError if the octets are not UTF-8. */
export const textOf = (octets: Uint8Array): string => utf8.decode(octets)

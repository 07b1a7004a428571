import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'
import { decodeBase64url, encodeBase64url } from './base64url.js'
import { secretKey } from './secret-key.js'

const KEY_OCTETS = 32
const NONCE_OCTETS = 12
const TAG_OCTETS = 16

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Thrown if a stored secret cannot be read; `message` gives the reason and shows no part of the secret. */
export class SecretError extends Error {
  override readonly name = 'SecretError'
  /** True if the key of the secret is not configured; false if the secret was altered or is malformed. */
  readonly keyIsMissing: boolean

  constructor(message: string, { keyIsMissing = false, ...options }: ErrorOptions & { keyIsMissing?: boolean } = {}) {
    super(message, options)
    this.keyIsMissing = keyIsMissing
  }
}

/**
 * Derives a key of 32 octets for one purpose from a secret (HKDF-SHA256, RFC 5869; `label` is its `info`). So a key for
 * one purpose never opens a token that was sealed for a different purpose.
 */
export function deriveKey(secret: Uint8Array, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), label, KEY_OCTETS))
}

/**
 * Seals a JSON value into a token that only `open` with the same key reads: base64url of nonce, AES-256-GCM ciphertext
 * and tag. The nonce is random, so one key may seal about 2^32 tokens (NIST SP 800-38D §8.3). Throws TypeError for a
 * value that JSON cannot express.
 */
export function seal(key: Uint8Array, json: unknown): string {
  const plaintext: string | undefined = JSON.stringify(json)
  if (plaintext === undefined) throw new TypeError('A sealed value must be expressible in JSON.')
  const nonce = randomBytes(NONCE_OCTETS)
  const cipher = createCipheriv('aes-256-gcm', secretKey(key), nonce, { authTagLength: TAG_OCTETS })
  return encodeBase64url(Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]))
}

/**
 * The value that `seal` put into the token; undefined if this key did not seal the token, or if the token was changed.
 */
export function open(key: Uint8Array, token: string): unknown {
  const octets = decodeBase64url(token)
  if (octets === undefined || octets.length < NONCE_OCTETS + TAG_OCTETS) return undefined
  const decipher = createDecipheriv('aes-256-gcm', secretKey(key), octets.subarray(0, NONCE_OCTETS), {
    authTagLength: TAG_OCTETS,
  })
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
 * Encrypts a secret for storage under a key-encryption key of 32 octets. The result is a JWE (RFC 7516), `dir` with
 * `A256GCM`. Its `kid` says with which key-encryption key the secret was encrypted. `place` says where the secret is
 * stored and is the additional authenticated data (`aad`). The `aad` is not part of the output. So a secret that was
 * copied to a different place cannot be decrypted there. The parts are joined by dots as in a compact JWE. A compact
 * JWE has no `aad`, so the header member `bound` marks outputs with `aad`. Runs in this thread: Web Cryptography would
 * hand the work to another thread, which costs several times as much as the work itself.
 */
export async function encryptSecret(kek: Uint8Array, plaintext: string, place: string): Promise<string> {
  const header = headerOf(kekId(kek))
  const nonce = randomBytes(NONCE_OCTETS)
  const cipher = createCipheriv('aes-256-gcm', secretKey(kek), nonce, { authTagLength: TAG_OCTETS })
  cipher.setAAD(authenticatedData(header, place))
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
  return [header, '', ...[nonce, ciphertext, cipher.getAuthTag()].map(encodeBase64url)].join('.')
}

const headerOf = (kid: string) => encodeBase64url(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid, bound: true }))

/** The beginning of every secret that `encryptSecret` encrypts under a key. */
export const secretPrefix = (kek: Uint8Array): string => `${headerOf(kekId(kek))}.`

/** RFC 7516 §5.1 step 14: the protected header, followed by the `aad` if there is one. */
const authenticatedData = (header: string, place?: string): Buffer =>
  Buffer.from(place === undefined ? header : `${header}.${encodeBase64url(place)}`, 'ascii')

/**
 * Decrypts the output of `encryptSecret`, and compact JWEs without `bound`, which can be decrypted at every place. The
 * JWE's `kid` selects the key. `keyIndex` is the key's position in `keks`, so that a secret under an older key can be
 * encrypted again. Throws SecretError if no key fits, if the JWE was altered, or if it was encrypted for a `place`
 * other than this one.
 */
export async function decryptSecret(
  keks: readonly Uint8Array[],
  jwe: string,
  place: string,
): Promise<{ plaintext: string; keyIndex: number; bound: boolean }> {
  const header = storedHeader(jwe)
  if (typeof header.kid !== 'string') throw new SecretError('The encrypted secret names no key.')
  const keyIndex = keks.findIndex((kek) => kekId(kek) === header.kid)
  const kek = keks[keyIndex]
  if (kek === undefined) {
    const message = `The secret is encrypted under the key ${header.kid}, and no configured key is that one.`
    throw new SecretError(message, { keyIsMissing: true })
  }
  // RFC 7516 §4.1.13: no critical extension is supported.
  if (header.alg !== 'dir' || header.enc !== 'A256GCM' || 'crit' in header || 'zip' in header) throw altered()
  const bound = header.bound === true
  return { plaintext: decryptDirectly(kek, jwe, bound ? place : undefined), keyIndex, bound }
}

const altered = (cause?: unknown) =>
  new SecretError('The encrypted secret was altered.', cause === undefined ? {} : { cause })

/** RFC 7516 §5.2, for direct encryption: the encrypted key is empty. */
function decryptDirectly(kek: Uint8Array, jwe: string, place: string | undefined): string {
  const [header = '', encryptedKey, ...encoded] = jwe.split('.')
  const [nonce, ciphertext, tag, ...others] = encoded.map(decodeBase64url)
  if (encryptedKey !== '' || nonce?.length !== NONCE_OCTETS || tag?.length !== TAG_OCTETS) throw altered()
  if (ciphertext === undefined || others.length > 0) throw altered()
  const decipher = createDecipheriv('aes-256-gcm', secretKey(kek), nonce, { authTagLength: TAG_OCTETS })
  decipher.setAAD(authenticatedData(header, place)).setAuthTag(tag)
  const plaintext = decipher.update(ciphertext)
  try {
    decipher.final()
  } catch (cause) {
    throw altered(cause)
  }
  return utf8.decode(plaintext)
}

/** The `kid` of a key-encryption key in the secrets that it encrypts: the first 12 octets of its SHA-256, base64url. */
export function kekId(kek: Uint8Array): string {
  const known = kekIds.get(kek)
  if (known !== undefined) return known
  const id = createHash('sha256').update(kek).digest().subarray(0, 12).toString('base64url')
  kekIds.set(kek, id)
  return id
}

const kekIds = new WeakMap<Uint8Array, string>()

function storedHeader(jwe: string): Record<string, unknown> {
  const [header = ''] = jwe.split('.', 1)
  try {
    const value: unknown = JSON.parse(utf8.decode(decodeBase64url(header)))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch (cause) {
    throw new SecretError('The stored value is not an encrypted secret.', { cause })
  }
  throw new SecretError('The stored value is not an encrypted secret.')
}

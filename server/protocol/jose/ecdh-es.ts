import { createCipheriv, createDecipheriv, createECDH, createHash, type ECDH, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { isObject, type JsonObject } from '../json/json-object.js'
import { decodeBase64url, encodeBase64url } from './base64url.js'
import type { Jwk } from './jws.js'
import { secretKey } from './secret-key.js'

/** The supported content encryptions (RFC 7518 §5.3): the cipher in OpenSSL, and the number of octets in its key. */
const CIPHERS = new Map([
  ['A128GCM', { cipher: 'aes-128-gcm', octets: 16 }],
  ['A256GCM', { cipher: 'aes-256-gcm', octets: 32 }],
] as const)

const CURVE = 'prime256v1'
const COORDINATE_OCTETS = 32
const NONCE_OCTETS = 12
const TAG_OCTETS = 16
const UNCOMPRESSED = Buffer.from([4])
const NO_OCTETS = new Uint8Array(0)

/** Supported values of `enc`. */
export type ContentEncryption = 'A128GCM' | 'A256GCM'

/**
 * Thrown if a JWE is malformed, was not made with ECDH-ES and AES-GCM, or was encrypted for a different key. Also
 * thrown for a key for which no JWE can be made.
 */
export class JweError extends Error {
  override readonly name = 'JweError'

  /** @param tooLong whether the decompressed content is longer than allowed. */
  constructor(
    message: string,
    options: ErrorOptions = {},
    readonly tooLong = false,
  ) {
    super(message, options)
  }
}

/** Header members of a JWE, in addition to `alg` and `epk`. */
export interface JweOptions {
  readonly enc: ContentEncryption
  /** `kid` of the recipient's key (RFC 7516 §4.1.6). */
  readonly kid?: string | undefined
  /** Compresses the content (§4.1.3). */
  readonly zip?: 'DEF' | undefined
  /** Type of the encrypted content, if it is a JWT (RFC 7519 §5.2). */
  readonly cty?: string | undefined
}

/** The parts of a compact JWE. */
export interface CompactJwe {
  readonly header: JsonObject
  readonly parts: readonly [header: string, key: string, nonce: string, ciphertext: string, tag: string]
}

/** Splits a compact JWE (RFC 7516 §7.1) into its parts without decrypting it. Throws JweError. */
export function decodeCompactJwe(jwe: string): CompactJwe {
  const [header, key, nonce, ciphertext, tag, ...others] = jwe.split('.', 6)
  if (header === undefined || key === undefined || nonce === undefined || others.length > 0) throw malformed()
  if (ciphertext === undefined || tag === undefined) throw malformed()
  return { header: objectOf(octets(header)), parts: [header, key, nonce, ciphertext, tag] }
}

/**
 * Decrypts a JWE that was made by ECDH-ES direct key agreement (RFC 7518 §4.6) on P-256 with A128GCM or A256GCM. Runs
 * in this thread: Web Cryptography would hand six jobs to other threads, which would take several times as long as the
 * work itself.
 *
 * @param maxInflated limit of the decompressed content (`zip` `DEF`), in octets; without this parameter, a compressed
 * JWE is refused.
 * @throws JweError
 */
export function decryptEcdhEs(jwe: CompactJwe, privateJwk: Jwk, maxInflated = 0): Uint8Array {
  const { zip } = jwe.header
  if (zip === undefined) return opened(jwe, privateJwk)
  if (zip !== 'DEF' || maxInflated === 0) throw malformed()
  return inflate(opened(jwe, privateJwk), maxInflated)
}

function opened({ header, parts }: CompactJwe, privateJwk: Jwk): Uint8Array {
  const content = contentOf(header.enc)
  // RFC 7516 §4.1.13: no critical extension is supported. RFC 7518 §4.6: the agreed key is used directly.
  if (header.alg !== 'ECDH-ES' || content === undefined || 'crit' in header || parts[1] !== '') throw malformed()
  const [nonce, ciphertext, tag] = [octets(parts[2]), octets(parts[3]), octets(parts[4])]
  if (nonce.length !== NONCE_OCTETS || tag.length !== TAG_OCTETS) throw malformed()
  const secret = agree(privateJwk, header.epk)
  const key = deriveKey(secret, String(header.enc), octetsOf(header.apu), octetsOf(header.apv), content.octets)
  const decipher = createDecipheriv(content.cipher, secretKey(key), nonce, { authTagLength: TAG_OCTETS })
  decipher.setAAD(Buffer.from(parts[0], 'ascii')).setAuthTag(tag)
  const plaintext = decipher.update(ciphertext)
  try {
    decipher.final()
  } catch (cause) {
    throw new JweError('The JWE does not decrypt.', { cause })
  }
  return plaintext
}

/**
 * Decompresses the content (RFC 1951). It stops as soon as the content becomes too long, since a few octets could
 * expand without limit.
 */
function inflate(compressed: Uint8Array, maxInflated: number): Uint8Array {
  try {
    return inflateRawSync(compressed, { maxOutputLength: maxInflated })
  } catch (cause) {
    const tooLong = (cause as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'
    throw new JweError(tooLong ? 'The JWE holds too much.' : 'The JWE does not decompress.', { cause }, tooLong)
  }
}
/**
 * Makes compact JWEs for a P-256 key by ECDH-ES direct key agreement (RFC 7518 §4.6). The agreement is made immediately, so
 * that an unusable key is found before there is anything to encrypt.
 *
 * @returns a function that encrypts a message.
 * @throws JweError for a point that is not on the curve.
 */
export function ecdhEsEncryption(
  publicJwk: Jwk,
  { enc, kid, zip, cty }: JweOptions,
): (plaintext: Uint8Array) => string {
  const content = contentOf(enc)
  if (content === undefined) throw malformed()
  const ephemeral = createECDH(CURVE)
  const epk = pointJwk(ephemeral.generateKeys())
  const key = deriveKey(secretWith(ephemeral, publicJwk), enc, NO_OCTETS, NO_OCTETS, content.octets)
  const members = {
    alg: 'ECDH-ES',
    enc,
    ...(kid === undefined ? {} : { kid }),
    ...(zip === undefined ? {} : { zip }),
    ...(cty === undefined ? {} : { cty }),
    epk,
  }
  const header = encodeBase64url(JSON.stringify(members))
  return (plaintext) => {
    const nonce = randomBytes(NONCE_OCTETS)
    const cipher = createCipheriv(content.cipher, secretKey(key), nonce, { authTagLength: TAG_OCTETS })
    cipher.setAAD(Buffer.from(header, 'ascii'))
    const ciphertext = cipher.update(zip === undefined ? plaintext : deflateRawSync(plaintext))
    cipher.final()
    return [header, '', ...[nonce, ciphertext, cipher.getAuthTag()].map(encodeBase64url)].join('.')
  }
}

/** Makes a private key for ECDH-ES: a P-256 JWK. */
export function generateP256(): Jwk {
  const ecdh = createECDH(CURVE)
  const publicJwk = pointJwk(ecdh.generateKeys())
  const d = Buffer.alloc(COORDINATE_OCTETS)
  const scalar = ecdh.getPrivateKey()
  // RFC 7518 §6.2.2.1: in full length, with leading zeros.
  scalar.copy(d, COORDINATE_OCTETS - scalar.length)
  return { ...publicJwk, d: encodeBase64url(d) }
}

/** @param point uncompressed (SEC 1 §2.3.3) */
function pointJwk(point: Uint8Array): Jwk {
  const [x, y] = [point.subarray(1, 1 + COORDINATE_OCTETS), point.subarray(1 + COORDINATE_OCTETS)]
  return { kty: 'EC', crv: 'P-256', x: encodeBase64url(x), y: encodeBase64url(y) }
}

/**
 * The Concat KDF of NIST SP 800-56A as RFC 7518 §4.6.2 profiles it, for keys up to the length of one hash.
 *
 * @param algorithm the value of `enc`, since the derived key encrypts the content
 */
export function deriveKey(
  secret: Uint8Array,
  algorithm: string,
  apu: Uint8Array,
  apv: Uint8Array,
  keyOctets: number,
): Uint8Array {
  const hash = createHash('sha256').update(uint32(1)).update(secret)
  for (const info of [Buffer.from(algorithm, 'ascii'), apu, apv]) hash.update(uint32(info.length)).update(info)
  return hash
    .update(uint32(keyOctets * 8))
    .digest()
    .subarray(0, keyOctets)
}

function agree({ d }: Jwk, epk: unknown): Uint8Array {
  const ecdh = createECDH(CURVE)
  ecdh.setPrivateKey(octetsOf(d))
  return secretWith(ecdh, epk)
}

/** Computes the shared secret with the public key of the other party. Throws if the point is not on the curve. */
function secretWith(own: ECDH, other: unknown): Uint8Array {
  if (!isObject(other) || other.kty !== 'EC' || other.crv !== 'P-256') throw malformed()
  const [x, y] = [octetsOf(other.x), octetsOf(other.y)]
  if (x.length !== COORDINATE_OCTETS || y.length !== COORDINATE_OCTETS) throw malformed()
  try {
    return own.computeSecret(Buffer.concat([UNCOMPRESSED, x, y]))
  } catch (cause) {
    throw new JweError('A key of the JWE is not valid.', { cause })
  }
}

const contentOf = (enc: unknown) => (typeof enc === 'string' ? CIPHERS.get(enc as ContentEncryption) : undefined)

function uint32(value: number): Uint8Array {
  const encoded = Buffer.alloc(4)
  encoded.writeUInt32BE(value)
  return encoded
}

function octets(text: string): Uint8Array {
  const decoded = decodeBase64url(text)
  if (decoded === undefined) throw malformed()
  return decoded
}

/** Octets of a header member; empty if it is absent. */
function octetsOf(value: unknown): Uint8Array {
  if (value === undefined) return NO_OCTETS
  if (typeof value !== 'string') throw malformed()
  return octets(value)
}

function objectOf(encoded: Uint8Array): JsonObject {
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded).toString('utf8'))
    if (isObject(value)) return value
  } catch (cause) {
    throw malformed(cause)
  }
  throw malformed()
}

function malformed(cause?: unknown): JweError {
  return new JweError('The JWE is malformed, or made in a way that was not asked for.', { cause })
}

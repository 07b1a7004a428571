import { createPublicKey, ECDH } from 'node:crypto'
import { algorithmOfJwk, type SignatureAlgorithm } from '../jose/algorithms.js'
import { encodeBase64url } from '../jose/base64url.js'
import { type Jwk, publicJwkOf, readPublicJwk } from '../jose/jwk.js'
import { JwsError } from '../jose/jws-error.js'
import { decodeBase58btc, encodeBase58btc } from './base58btc.js'
import { DidResolutionError } from './did-resolution-error.js'

/** Encodes and decodes keys of one kind: the octets after the multicodec prefix. */
interface KeyCodec {
  encode(jwk: Jwk): Uint8Array
  /** Returns the key. For malformed octets, it throws or returns a value that the caller refuses. */
  decode(octets: Uint8Array): unknown
}

const ED25519: KeyCodec = {
  encode: (jwk) => Buffer.from(jwk.x ?? '', 'base64url'),
  decode: (octets) => ({ kty: 'OKP', crv: 'Ed25519', x: encodeBase64url(octets) }),
}

const RSA: KeyCodec = {
  encode: (jwk) => createPublicKey({ key: publicJwkOf(jwk), format: 'jwk' }).export({ type: 'pkcs1', format: 'der' }),
  decode: (octets) =>
    createPublicKey({ key: Buffer.from(octets), type: 'pkcs1', format: 'der' }).export({ format: 'jwk' }),
}

/** EC keys are compressed points (SEC 1 §2.3.3): a tag of 02 or 03 and the x coordinate. */
function compressedPoint(crv: string, nodeCurve: string, octets: number): KeyCodec {
  return {
    encode: ({ x = '', y = '' }) => {
      const ordinate = Buffer.from(y, 'base64url')
      return Buffer.concat([Buffer.from([2 + ((ordinate.at(-1) ?? 0) & 1)]), Buffer.from(x, 'base64url')])
    },
    decode: (point) => {
      if (point.length !== octets + 1) return undefined
      const uncompressed = Buffer.from(
        ECDH.convertKey(point, nodeCurve, undefined, 'hex', 'uncompressed').toString(),
        'hex',
      )
      const x = encodeBase64url(uncompressed.subarray(1, octets + 1))
      return { kty: 'EC', crv, x, y: encodeBase64url(uncompressed.subarray(octets + 1)) }
    },
  }
}

/**
 * A JWK as JSON in its canonical form (RFC 8785), as EBSI's wallets write it. For such a flat object, the canonical form has sorted
 * members and no spaces.
 */
const JWK_JCS: KeyCodec = {
  encode: () => {
    throw new JwsError('key', 'Keys are not written as jwk_jcs-pub.')
  },
  decode: (octets) => {
    const text = Buffer.from(octets).toString('utf8')
    const jwk: unknown = JSON.parse(text)
    const canonical = JSON.stringify(Object.fromEntries(Object.entries(jwk ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))))
    return canonical === text ? jwk : undefined
  },
}

const P256 = compressedPoint('P-256', 'prime256v1', 32)
const P384 = compressedPoint('P-384', 'secp384r1', 48)
const SECP256K1 = compressedPoint('secp256k1', 'secp256k1', 32)

// The prefixes are the codes of the multicodec table as unsigned varints: ed25519-pub 0xed, secp256k1-pub 0xe7,
// p256-pub 0x1200, p384-pub 0x1201, rsa-pub 0x1205, jwk_jcs-pub 0xeb51.
const DECODERS: readonly (readonly [prefix: string, codec: KeyCodec])[] = [
  ['ed01', ED25519],
  ['e701', SECP256K1],
  ['8024', P256],
  ['8124', P384],
  ['8524', RSA],
  ['d1d603', JWK_JCS],
]

const ENCODERS: Record<SignatureAlgorithm, readonly [prefix: string, codec: KeyCodec]> = {
  EdDSA: ['ed01', ED25519],
  ES256K: ['e701', SECP256K1],
  ES256: ['8024', P256],
  ES384: ['8124', P384],
  RS256: ['8524', RSA],
  PS256: ['8524', RSA],
}

/**
 * Writes a public key as a Multikey value (Controlled Identifiers 1.0 §2.2.2): `z`, then base58btc of multicodec prefix
 * and key.
 */
export function encodeMultikey(jwk: Jwk): string {
  const alg = algorithmOfJwk(jwk)
  if (alg === undefined) throw new JwsError('key', 'The key is of no supported type.')
  const [prefix, codec] = ENCODERS[alg]
  return `z${encodeBase58btc(Buffer.concat([Buffer.from(prefix, 'hex'), codec.encode(jwk)]))}`
}

/**
 * Reads a Multikey value; its key may be a `jwk_jcs-pub` key. Throws DidResolutionError if it holds no supported
 * public key.
 */
export function decodeMultikey(multibase: string): Jwk {
  // Controlled Identifiers 1.0 §2.4: `z` announces base58btc, the only base of a Multikey.
  const octets = multibase.startsWith('z') ? decodeBase58btc(multibase.slice(1)) : undefined
  if (octets === undefined)
    throw new DidResolutionError(`The public key ${shorten(multibase)} is not base58btc multibase.`)
  const hex = Buffer.from(octets.subarray(0, 3)).toString('hex')
  const [prefix, codec] = DECODERS.find(([known]) => hex.startsWith(known)) ?? []
  if (prefix === undefined || codec === undefined) {
    throw new DidResolutionError(`The public key ${shorten(multibase)} is of a type that is not supported.`)
  }
  const jwk = decodeKey(codec, octets.subarray(prefix.length / 2))
  if (jwk === undefined) throw new DidResolutionError(`The public key ${shorten(multibase)} is malformed.`)
  return jwk
}

function decodeKey(codec: KeyCodec, octets: Uint8Array): Jwk | undefined {
  try {
    return readPublicJwk(codec.decode(octets))
  } catch {
    // Such octets contain no key: OpenSSL refuses a point that is not on the curve, and the JSON parser refuses
    // malformed JSON.
    return undefined
  }
}

function shorten(value: string): string {
  return value.length <= 80 ? value : `${value.slice(0, 80)}…`
}

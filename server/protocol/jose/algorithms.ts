import type { JWK } from 'jose'
import { decodeBase64url } from './base64url.js'

/**
 * The supported signature algorithms (RFC 7518 §3.1, RFC 8037, RFC 8812); never `none`, never HMAC.
 */
export const SIGNATURE_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'ES256K', 'RS256', 'PS256'] as const

export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number]

interface Curve {
  kty: 'EC' | 'OKP'
  alg: SignatureAlgorithm
  /** Octets of one coordinate, or of the whole OKP key. */
  octets: number
}

const CURVES: ReadonlyMap<string, Curve> = new Map([
  ['P-256', { kty: 'EC', alg: 'ES256', octets: 32 }],
  ['P-384', { kty: 'EC', alg: 'ES384', octets: 48 }],
  ['secp256k1', { kty: 'EC', alg: 'ES256K', octets: 32 }],
  ['Ed25519', { kty: 'OKP', alg: 'EdDSA', octets: 32 }],
])

const MIN_RSA_BITS = 2048
// Limit of the modulus: verification with a larger modulus is so expensive that one key could keep a process busy.
const MAX_RSA_BITS = 8192
// Limit of the exponent: with an exponent as long as the modulus, verifying would cost as much as signing.
const MAX_RSA_EXPONENT_OCTETS = 8

/**
 * The name that this service uses for an `alg` value: `EdDSA` for `Ed25519` (RFC 9864). Undefined for an unsupported
 * algorithm.
 */
export function canonicalAlgorithm(alg: unknown): SignatureAlgorithm | undefined {
  if (alg === 'Ed25519') return 'EdDSA'
  return SIGNATURE_ALGORITHMS.find((known) => known === alg)
}

/**
 * The algorithm that a public or private JWK signs with, by its curve (RFC 7518 §6.2, RFC 8037 §2, RFC 8812 §3.1). An
 * RSA key of 2048 to 8192 bits uses RS256 unless its `alg` is PS256. Undefined for any other type of key, for malformed
 * members, and for a key whose member `alg` names a different algorithm. The value may be untrusted: its members may
 * have any types.
 */
export function algorithmOfJwk(jwk: JWK): SignatureAlgorithm | undefined {
  const byType = jwk.kty === 'RSA' ? rsaAlgorithm(jwk) : curveAlgorithm(jwk)
  if (byType === undefined || jwk.alg === undefined) return byType
  return canonicalAlgorithm(jwk.alg) === byType ? byType : undefined
}

/**
 * Whether this key can make signatures of `alg`. An RSA key without a member `alg` can make RS256 and PS256 signatures.
 */
export function fitsAlgorithm(jwk: JWK, alg: SignatureAlgorithm): boolean {
  const own = algorithmOfJwk(jwk)
  return own === alg || (own === 'RS256' && alg === 'PS256' && jwk.alg === undefined)
}

function curveAlgorithm(jwk: JWK): SignatureAlgorithm | undefined {
  const curve = typeof jwk.crv === 'string' ? CURVES.get(jwk.crv) : undefined
  if (curve === undefined || curve.kty !== jwk.kty) return undefined
  // RFC 7518 §6.2.1.2: a coordinate has the full length of the curve's field, leading zeros included.
  const coordinates = curve.kty === 'EC' ? [jwk.x, jwk.y] : [jwk.x]
  return coordinates.every((value) => octetsOf(value) === curve.octets) ? curve.alg : undefined
}

function rsaAlgorithm(jwk: JWK): SignatureAlgorithm | undefined {
  const exponent = octetsOf(jwk.e)
  if (exponent === 0 || exponent > MAX_RSA_EXPONENT_OCTETS) return undefined
  const bits = modulusBits(jwk.n)
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) return undefined
  return jwk.alg === 'PS256' ? 'PS256' : 'RS256'
}

function octetsOf(value: unknown): number {
  return typeof value === 'string' ? (decodeBase64url(value)?.length ?? 0) : 0
}

function modulusBits(modulus: unknown): number {
  const octets = typeof modulus === 'string' ? decodeBase64url(modulus) : undefined
  const first = octets?.findIndex((octet) => octet !== 0) ?? -1
  const lead = octets?.[first]
  if (octets === undefined || lead === undefined) return 0
  return (octets.length - first) * 8 - (Math.clz32(lead) - 24)
}

import { createHash, generateKeyPair as generateNodeKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import { algorithmOfJwk, type SignatureAlgorithm } from './algorithms.js'
import { JwsError } from './jws-error.js'

/** A JSON Web Key (RFC 7517). */
export type Jwk = JWK

const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use'] as const
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv']

/** Whether a JWK holds members of a private or symmetric key. */
export const hasPrivateMembers = (jwk: object): boolean => PRIVATE_MEMBERS.some((name) => name in jwk)

/** The public part of a key: type, public numbers, `kid`, `alg` and `use`; every other member is left out. */
export function publicJwkOf(jwk: Jwk): Jwk {
  return Object.fromEntries(PUBLIC_MEMBERS.flatMap((name) => (jwk[name] === undefined ? [] : [[name, jwk[name]]])))
}

/**
 * Reads a public signature key, with its `key_ops`, from an untrusted value. Undefined if it is no key of a supported
 * type and size, or if it holds private members (RFC 9449 §4.2, OpenID4VCI 1.0 Appendix F.4: such a key must not be
 * accepted).
 */
export function readPublicJwk(value: unknown): Jwk | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  if (hasPrivateMembers(value)) return undefined
  const jwk: Jwk = value
  const textual = PUBLIC_MEMBERS.every((name) => jwk[name] === undefined || typeof jwk[name] === 'string')
  if (!textual || algorithmOfJwk(jwk) === undefined) return undefined
  return { ...publicJwkOf(jwk), ...(jwk.key_ops === undefined ? {} : { key_ops: jwk.key_ops }) }
}

const REQUIRED_MEMBERS = new Map([
  ['EC', ['crv', 'kty', 'x', 'y']],
  ['OKP', ['crv', 'kty', 'x']],
  ['RSA', ['e', 'kty', 'n']],
] as const)

/**
 * The members of the key itself, in the lexicographic order of RFC 7638 §3.2 and RFC 8037 §2. Two JWKs with
 * equal members are the same key. Throws JwsError `key` for a key that is neither EC, OKP nor RSA.
 */
export function requiredMembersOf(jwk: Jwk): Record<string, string> {
  const members: Record<string, string> = {}
  for (const name of namesFor(jwk.kty)) {
    const value = jwk[name]
    if (typeof value !== 'string' || value === '') throw new JwsError('key', `The key has no ${name}.`)
    members[name] = value
  }
  return members
}

/**
 * Whether two JWKs are the same public key. `kid` and `alg` are ignored. Throws JwsError `key` like
 * `requiredMembersOf`.
 */
export function isSameKey(one: Jwk, other: Jwk): boolean {
  const members = requiredMembersOf(one)
  return Object.entries(requiredMembersOf(other)).every(([name, value]) => members[name] === value)
}

function namesFor(kty: unknown): readonly ('crv' | 'e' | 'kty' | 'n' | 'x' | 'y')[] {
  const names = kty === 'EC' || kty === 'OKP' || kty === 'RSA' ? REQUIRED_MEMBERS.get(kty) : undefined
  if (names === undefined) throw new JwsError('key', 'The key is of no supported type.')
  return names
}

/**
 * The SHA-256 JWK thumbprint (RFC 7638), base64url. Throws JwsError `key` for a key that is neither EC, OKP nor RSA.
 */
export function thumbprint(jwk: Jwk): string {
  return createHash('sha256')
    .update(JSON.stringify(requiredMembersOf(jwk)))
    .digest('base64url')
}

const generateNodeKeyPairAsync = promisify(generateNodeKeyPair)

const generate = {
  ES256: () => generateNodeKeyPairAsync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateNodeKeyPairAsync('ec', { namedCurve: 'P-384' }),
  ES256K: () => generateNodeKeyPairAsync('ec', { namedCurve: 'secp256k1' }),
  EdDSA: () => generateNodeKeyPairAsync('ed25519', undefined),
  RS256: () => generateNodeKeyPairAsync('rsa', { modulusLength: 2048 }),
  PS256: () => generateNodeKeyPairAsync('rsa', { modulusLength: 2048 }),
} satisfies Record<SignatureAlgorithm, () => Promise<{ privateKey: KeyObject; publicKey: KeyObject }>>

/**
 * Makes a new key pair for an algorithm. The JWKs have no `kid`; RSA keys carry their `alg`, since the type alone
 * does not determine it.
 */
export async function generateKeyPair(alg: SignatureAlgorithm): Promise<{ privateJwk: Jwk; publicJwk: Jwk }> {
  const { privateKey } = await generate[alg]()
  const exported = privateKey.export({ format: 'jwk' })
  const privateJwk: Jwk = alg === 'RS256' || alg === 'PS256' ? { ...exported, alg } : exported
  return { privateJwk, publicJwk: publicJwkOf(privateJwk) }
}

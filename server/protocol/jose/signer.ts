import { createPrivateKey, type KeyObject } from 'node:crypto'
import { algorithmOfJwk, type SignatureAlgorithm } from './algorithms.js'
import { encodeBase64url } from './base64url.js'
import { type Jwk, publicJwkOf } from './jwk.js'
import { JwsError } from './jws-error.js'
import { signatureOver } from './signature.js'

/** A signing key. This service has its keys in memory, but the interface also fits a key in a hardware module. */
export interface Signer {
  readonly alg: SignatureAlgorithm
  readonly kid: string
  readonly publicJwk: Jwk
  /** The signature in its JOSE form (for ECDSA the octets of r and s, RFC 7518 §3.4). */
  sign(data: Uint8Array): Promise<Uint8Array>
}

/**
 * Imports a private key once, for any number of signatures. `kid` goes into the signer's headers, often a DID URL.
 * Throws JwsError `key` when the JWK is no private key of a supported type.
 */
export async function createSigner(privateJwk: Jwk, kid: string): Promise<Signer> {
  const alg = algorithmOfJwk(privateJwk)
  if (alg === undefined) throw new JwsError('key', 'The private key is of no supported type.')
  const key = importPrivateKey(privateJwk)
  return {
    alg,
    kid,
    publicJwk: publicJwkOf(privateJwk),
    sign: async (data) => signatureOver(alg, key, data),
  }
}

/**
 * Signs a JWT as a compact JWS. The header gets the signer's `alg`. It also gets the signer's `kid`, unless it already
 * has a `kid` (even undefined), a `jwk` or an `x5c`. Members that are undefined are left out.
 */
export async function signCompact(
  signer: Signer,
  header: Record<string, unknown>,
  payload: Record<string, unknown>,
): Promise<string> {
  const encodedPayload = encodeBase64url(JSON.stringify(payload))
  const { protected: encodedHeader, signature } = await signatureOf(signer, header, encodedPayload)
  return `${encodedHeader}.${encodedPayload}.${signature}`
}

/** A JWS in its general JSON serialization (RFC 7515 §7.2.1). */
export interface SignedGeneral {
  readonly payload: string
  readonly signatures: readonly { readonly protected: string; readonly signature: string }[]
}

/**
 * Signs one payload under several protected headers (RFC 7515 §7.2.1). Each header is completed as in `signCompact`.
 */
export async function signGeneral(
  signer: Signer,
  headers: readonly Record<string, unknown>[],
  payload: Record<string, unknown>,
): Promise<SignedGeneral> {
  const encodedPayload = encodeBase64url(JSON.stringify(payload))
  const signatures = await Promise.all(headers.map((header) => signatureOf(signer, header, encodedPayload)))
  return { payload: encodedPayload, signatures }
}

async function signatureOf(signer: Signer, header: Record<string, unknown>, encodedPayload: string) {
  const identified = 'kid' in header || header.jwk !== undefined || header.x5c !== undefined
  const protectedHeader = { ...header, alg: signer.alg, ...(identified ? {} : { kid: signer.kid }) }
  const encodedHeader = encodeBase64url(JSON.stringify(protectedHeader))
  const signature = await signer.sign(Buffer.from(`${encodedHeader}.${encodedPayload}`, 'ascii'))
  return { protected: encodedHeader, signature: encodeBase64url(signature) }
}

function importPrivateKey(privateJwk: Jwk): KeyObject {
  try {
    return createPrivateKey({ key: privateJwk, format: 'jwk' })
  } catch (cause) {
    throw new JwsError('key', 'The private key is not valid.', { cause })
  }
}

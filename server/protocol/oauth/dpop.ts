import { createHash } from 'node:crypto'
import { canonicalAlgorithm, type SignatureAlgorithm } from '../jose/algorithms.js'
import {
  type DecodedJws,
  decodeCompact,
  type Jwk,
  JwsError,
  readPublicJwk,
  thumbprint,
  verifyDecoded,
} from '../jose/jws.js'
import { OAuthError } from './error.js'

/** `dpop_signing_alg_values_supported` (RFC 9449 §5.1). FAPI 2.0 Security Profile §5.4.1 does not allow RS256. */
export const DPOP_ALGORITHMS: readonly SignatureAlgorithm[] = ['ES256', 'ES384', 'EdDSA', 'PS256']

/** Allowed distance of `iat` from the current time, in seconds, in both directions. */
export const DPOP_IAT_SECONDS = 60

const MAX_PROOF_LENGTH = 8_192
const MAX_JTI_LENGTH = 256

/** The request that a proof must belong to. */
export interface DpopRequest {
  readonly method: string
  /** The endpoint under the configured base URL; its host never comes from the Host header of the request. */
  readonly url: string
  /** The access token in a request to a protected resource. */
  readonly accessToken?: string
  readonly now: Date
  /** Whether this service made the `nonce` and the nonce has not expired. */
  readonly isNonce: (nonce: string) => boolean
}

/** A verified proof. The caller must store `jtiHash` as used, so that the proof is accepted only once. */
export interface DpopProof {
  /** SHA-256 thumbprint of the key (RFC 7638, RFC 9449 §6), to which tokens are bound. */
  readonly jkt: string
  /** Identifies this proof: a hash of key and `jti`, base64url. */
  readonly jtiHash: string
  /** After this time the proof is too old to be accepted, so its `jtiHash` can be forgotten. */
  readonly expiresAt: Date
}

const invalid = (description: string, cause?: unknown) => new OAuthError('invalid_dpop_proof', description, { cause })

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/**
 * Verifies a DPoP proof (RFC 9449 §4.3).
 *
 * @param header the value of the header `DPoP` from Node, which joins several headers with a comma
 * @throws OAuthError `invalid_dpop_proof`, or `use_dpop_nonce` for a `nonce` that is not from this service or has expired (§8).
 */
export function verifyDpopProof(header: string, request: DpopRequest): DpopProof {
  const jws = decoded(header)
  const jwk = keyOf(jws)
  const { payload } = jws
  const { jti } = payload
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH)
    throw invalid(`The DPoP proof needs a jti of 1 to ${MAX_JTI_LENGTH} characters.`)
  if (payload.htm !== request.method) throw invalid('The htm of the DPoP proof is not the method of the request.')
  if (normalized(payload.htu) !== normalized(request.url))
    throw invalid('The htu of the DPoP proof is not the address of the request.')
  const iat = issuedAt(payload, request.now)
  assertAccessToken(payload.ath, request.accessToken)
  assertSigned(jws, jwk)
  if (payload.nonce !== undefined && (typeof payload.nonce !== 'string' || !request.isNonce(payload.nonce)))
    throw new OAuthError('use_dpop_nonce', 'The nonce of the DPoP proof is unknown or has expired.')
  const jkt = thumbprint(jwk)
  return { jkt, jtiHash: hashOf(`dpop ${jkt} ${jti}`), expiresAt: new Date((iat + DPOP_IAT_SECONDS + 1) * 1000) }
}

/** §4.3 steps 1 and 2: one header, a well-formed JWT. */
function decoded(header: string): DecodedJws {
  if (header.includes(',')) throw invalid('There must be one DPoP header.')
  if (header.length > MAX_PROOF_LENGTH) throw invalid(`The DPoP proof is longer than ${MAX_PROOF_LENGTH} characters.`)
  try {
    return decodeCompact(header)
  } catch (cause) {
    if (cause instanceof JwsError) throw invalid(`The DPoP proof is not a well-formed JWT: ${cause.message}`, cause)
    throw cause
  }
}

/** §4.3 steps 4, 5 and 7. */
function keyOf({ header }: DecodedJws): Jwk {
  if (header.typ !== 'dpop+jwt') throw invalid('The typ of the DPoP proof must be dpop+jwt.')
  const algorithm = canonicalAlgorithm(header.alg)
  if (algorithm === undefined || !DPOP_ALGORITHMS.includes(algorithm))
    throw invalid(`The alg of the DPoP proof must be one of ${DPOP_ALGORITHMS.join(', ')}.`)
  const jwk = readPublicJwk(header.jwk)
  if (jwk === undefined) throw invalid('The jwk of the DPoP proof is missing or is not a supported public key.')
  return jwk
}

/** §4.3 step 11, and the times of any JWT (RFC 7519 §4.1.4, §4.1.5). */
function issuedAt({ iat, nbf, exp }: DecodedJws['payload'], now: Date): number {
  const seconds = now.getTime() / 1000
  if (typeof iat !== 'number') throw invalid('The DPoP proof has no iat.')
  if (Math.abs(iat - seconds) > DPOP_IAT_SECONDS)
    throw invalid(`The iat of the DPoP proof must lie within ${DPOP_IAT_SECONDS} seconds of now: check the clock.`)
  if (nbf !== undefined && (typeof nbf !== 'number' || nbf > seconds + DPOP_IAT_SECONDS))
    throw invalid('The DPoP proof is not valid yet.')
  if (exp !== undefined && (typeof exp !== 'number' || exp <= seconds)) throw invalid('The DPoP proof has expired.')
  return iat
}

/** §4.3 step 12. No constant-time comparison is needed: both sides know the hashed value. */
function assertAccessToken(ath: unknown, accessToken: string | undefined): void {
  if (accessToken === undefined) return
  if (ath !== hashOf(accessToken)) throw invalid('The ath of the DPoP proof is not the hash of the access token.')
}

/** §4.3 step 6. */
function assertSigned(jws: DecodedJws, jwk: Jwk): void {
  try {
    verifyDecoded(jws, jwk, DPOP_ALGORITHMS)
  } catch (cause) {
    if (cause instanceof JwsError) throw invalid(`The DPoP proof cannot be accepted: ${cause.message}`, cause)
    throw cause
  }
}

/**
 * Converts an address to the form that §4.3 step 9 compares: without query and fragment, and normalised by syntax and
 * scheme (RFC 3986 §6.2.2, §6.2.3). Undefined if the value is no address.
 */
function normalized(address: unknown): string | undefined {
  if (typeof address !== 'string' || !URL.canParse(address)) return undefined
  const { protocol, host, pathname, username, password } = new URL(address)
  if (username !== '' || password !== '') return undefined
  return `${protocol}//${host}${pathname.replace(/%[0-9a-f]{2}/gi, unreserved)}`
}

/** RFC 3986 §6.2.2.1, §6.2.2.2: an escaped letter, digit, `-`, `.`, `_` or `~` is decoded; other escapes become upper case. */
function unreserved(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return /[A-Za-z0-9\-._~]/.test(character) ? character : escaped.toUpperCase()
}

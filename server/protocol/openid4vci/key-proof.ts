import { didJwk } from '../did/did-jwk.js'
import { DidResolutionError } from '../did/did-resolution-error.js'
import { didOf } from '../did/did-url.js'
import { canonicalAlgorithm, type SignatureAlgorithm } from '../jose/algorithms.js'
import {
  type DecodedJws,
  decodeCompact,
  isSameKey,
  type Jwk,
  JwsError,
  readPublicJwk,
  verifyDecoded,
} from '../jose/jws.js'
import { OAuthError } from '../oauth/error.js'
import type { KeyAttestation } from './key-attestation.js'

/** Parameters and functions that the verification of a key proof needs. */
export interface KeyProofOptions {
  /** The credential issuer identifier: the only `aud`. */
  readonly audience: string
  /** The client of the access token; undefined if the token has none. */
  readonly clientId?: string
  readonly now: Date
  readonly algorithms: readonly SignatureAlgorithm[]
  /** Returns the time when a `c_nonce` was made. Undefined if the nonce is not from this service or has expired. */
  readonly nonceIssuedAt: (nonce: string) => Date | undefined
  /**
   * Finds the key that a proof with this nonce names by a DID URL. The DID document must list the key for
   * authentication. Resolves to the key and its absolute DID URL; rejects with DidResolutionError if there is no key.
   */
  readonly resolveKey: (kid: string, nonce: string) => Promise<{ readonly id: string; readonly jwk: Jwk }>
  /**
   * Verifies the `key_attestation` of a proof; throws OAuthError. Undefined if no signer of attestations is trusted.
   * The attestation of a proof is then ignored.
   */
  readonly attestationOf?: ((attestation: string) => KeyAttestation) | undefined
}

/** A key of a wallet: a key proof or a key attestation shows that the wallet holds it. */
export interface ProvenKey {
  readonly jwk: Jwk
  /** The DID of the `kid`, or the did:jwk of the header's `jwk`. */
  readonly did: string
  /** The absolute DID URL of the key, if the proof names it by a DID. */
  readonly kid?: string
}

/** A verified key proof. */
export interface KeyProof {
  readonly key: ProvenKey
  /** The proof's `c_nonce`, which is valid once: the caller stores it as used. */
  readonly nonce: string
  /** The attestation in `key_attestation`, if there is one. It attests the proof's key. */
  readonly attestation?: KeyAttestation
}

const TYP = 'openid4vci-proof+jwt'
const LEEWAY_SECONDS = 60
/**
 * Some wallets write an `iat` that is one minute in the past. Without this additional leeway, the clock of such a
 * wallet would have to be exact.
 */
const BACKDATED_SECONDS = 60

const invalidProof = (description: string, cause?: unknown) => new OAuthError('invalid_proof', description, { cause })

interface Header {
  readonly typ?: unknown
  readonly alg?: unknown
  readonly kid?: unknown
  readonly jwk?: unknown
  readonly x5c?: unknown
  readonly key_attestation?: unknown
}

/** Appendix F.1: exactly one of `kid`, `jwk` and `x5c` names the key. */
function keyName(header: Header): 'kid' | 'jwk' {
  const named = (['kid', 'jwk', 'x5c'] as const).filter((name) => header[name] !== undefined)
  const [only, ...others] = named
  if (only === undefined) throw invalidProof('The proof names no key: kid or jwk is missing in its header.')
  if (others.length > 0) throw invalidProof(`The proof names several keys: its header has ${named.join(' and ')}.`)
  if (only === 'x5c')
    throw invalidProof('The proof names its key by x5c, which is not supported; use jwk or the kid of a DID.')
  return only
}

/** Appendix F.4: explicitly typed, and signed with a supported asymmetric algorithm. */
function assertHeader(header: Header, algorithms: readonly SignatureAlgorithm[]): void {
  if (header.typ !== TYP) throw invalidProof(`The typ of the proof must be ${TYP}.`)
  const algorithm = canonicalAlgorithm(header.alg)
  if (algorithm === undefined || !algorithms.includes(algorithm))
    throw invalidProof(`The alg of the proof must be one of ${algorithms.join(', ')}.`)
}

/** A key that the proof names without a DID. Its DID is a did:jwk. */
export const bareKeyOf = (jwk: Jwk): ProvenKey => ({ jwk, did: didJwk(jwk) })

/** Appendix F.4: the header must not contain a private key. */
function bareKey(value: unknown): ProvenKey {
  if (typeof value !== 'object' || value === null) throw invalidProof('The jwk of the proof is not an object.')
  if ('d' in value || 'k' in value) throw invalidProof('The jwk of the proof holds a private or symmetric key.')
  const jwk = readPublicJwk(value)
  if (jwk === undefined) throw invalidProof('The jwk of the proof is not a supported public key.')
  return bareKeyOf(jwk)
}

async function didKey(kid: unknown, nonce: string, options: KeyProofOptions): Promise<ProvenKey> {
  const did = typeof kid === 'string' ? didOf(kid) : undefined
  if (typeof kid !== 'string' || did === undefined) throw invalidProof('The kid of the proof is not a DID URL.')
  try {
    const { id, jwk } = await options.resolveKey(kid, nonce)
    // A DID document may contain a method whose id belongs to a different DID.
    if (didOf(id) !== did) throw new DidResolutionError('its verification method bears the name of another DID.')
    return { jwk, did, kid: id }
  } catch (cause) {
    if (!(cause instanceof DidResolutionError)) throw cause
    throw invalidProof(`The key that the kid of the proof names cannot be resolved: ${cause.message}`, cause)
  }
}

const POSITION = /^(?:0|[1-9]\d?)$/

/** The attested key with this `kid`. The `kid` may also be the key's position, as in the example of Appendix F.1. */
function attestedKey(kid: unknown, { keys }: KeyAttestation): ProvenKey {
  const position = typeof kid === 'string' && POSITION.test(kid) ? Number(kid) : -1
  const jwk = typeof kid === 'string' ? (keys.find((key) => key.kid === kid) ?? keys[position]) : undefined
  if (jwk === undefined)
    throw invalidProof('The kid of the proof is neither a DID URL nor the kid or the position of an attested key.')
  return bareKeyOf(jwk)
}

async function keyOf(
  header: Header,
  nonce: string,
  attestation: KeyAttestation | undefined,
  options: KeyProofOptions,
): Promise<ProvenKey> {
  if (keyName(header) === 'jwk') return bareKey(header.jwk)
  const isDid = typeof header.kid === 'string' && didOf(header.kid) !== undefined
  return attestation === undefined || isDid ? didKey(header.kid, nonce, options) : attestedKey(header.kid, attestation)
}

function attestationIn(header: Header, { attestationOf }: KeyProofOptions): KeyAttestation | undefined {
  const { key_attestation: attestation } = header
  if (attestation === undefined || attestationOf === undefined) return undefined
  if (typeof attestation !== 'string') throw invalidProof('The key_attestation of the proof is not a string.')
  return attestationOf(attestation)
}

/** Appendix D.1: the proof's key is an attested key. */
function assertAttested({ jwk }: ProvenKey, attestation: KeyAttestation | undefined): void {
  if (attestation === undefined || attestation.keys.some((key) => isSameKey(key, jwk))) return
  throw invalidProof('The key of the proof is none of those that its key attestation attests.')
}

function decoded(proof: string): DecodedJws {
  try {
    return decodeCompact(proof)
  } catch (cause) {
    if (cause instanceof JwsError) throw invalidProof(`The proof is not a well-formed JWT: ${cause.message}`, cause)
    throw cause
  }
}

function assertSigned(proof: DecodedJws, jwk: Jwk, algorithms: readonly SignatureAlgorithm[]): void {
  try {
    verifyDecoded(proof, jwk, algorithms)
  } catch (cause) {
    if (cause instanceof JwsError)
      throw invalidProof(`The signature of the proof cannot be accepted: ${cause.message}`, cause)
    throw cause
  }
}

function assertTimes(payload: Readonly<Record<string, unknown>>, nonceIssuedAt: Date, now: Date): void {
  const { iat, exp, nbf } = payload
  if (typeof iat !== 'number') throw invalidProof('The proof has no iat.')
  const seconds = now.getTime() / 1000
  if (iat > seconds + LEEWAY_SECONDS) throw invalidProof('The proof was made in the future: check iat and the clock.')
  // §13.8: the proof cannot be older than its nonce.
  if (iat < nonceIssuedAt.getTime() / 1000 - BACKDATED_SECONDS - LEEWAY_SECONDS)
    throw invalidProof('The proof is older than its nonce.')
  if (typeof exp === 'number' && seconds >= exp + LEEWAY_SECONDS) throw invalidProof('The proof has expired.')
  if (typeof nbf === 'number' && nbf > seconds + LEEWAY_SECONDS) throw invalidProof('The proof is not valid yet.')
}

/** §8.3.1.2: a proof without a nonce is an invalid proof; a proof with a wrong nonce has an invalid nonce. */
function nonceOf(
  payload: Readonly<Record<string, unknown>>,
  options: KeyProofOptions,
): { nonce: string; issuedAt: Date } {
  const { nonce } = payload
  if (typeof nonce !== 'string') throw invalidProof('The proof has no nonce: get one from the nonce endpoint.')
  const issuedAt = options.nonceIssuedAt(nonce)
  if (issuedAt === undefined) throw new OAuthError('invalid_nonce', 'The nonce of the proof is unknown or has expired.')
  return { nonce, issuedAt }
}

/**
 * Verifies a key proof of type `jwt` with the key attestation in it (OpenID4VCI 1.0 Appendix F.1, F.4). The caller
 * checks whether the proof's nonce was used before, and checks the `status` of the attestation.
 *
 * @throws OAuthError `invalid_proof` or `invalid_nonce` with a sentence about the first check that fails.
 */
export async function verifyKeyProof(proof: string, options: KeyProofOptions): Promise<KeyProof> {
  const jws = decoded(proof)
  const { header, payload } = jws
  assertHeader(header, options.algorithms)
  keyName(header)
  const audiences = [payload.aud].flat()
  if (audiences.length !== 1 || audiences[0] !== options.audience) {
    throw invalidProof('The aud of the proof must be the credential issuer identifier.')
  }
  // Appendix F.1: without a client, `iss` has no meaning, though deployed wallets send it.
  if (options.clientId !== undefined && payload.iss !== undefined && payload.iss !== options.clientId)
    throw invalidProof('The iss of the proof is not the client of the access token.')
  const { nonce, issuedAt } = nonceOf(payload, options)
  assertTimes(payload, issuedAt, options.now)
  const attestation = attestationIn(header, options)
  // The most expensive check is the last check: it may fetch a DID document. So a DID document is fetched only for a
  // proof with a fresh nonce.
  const key = await keyOf(header, nonce, attestation, options)
  assertAttested(key, attestation)
  assertSigned(jws, key.jwk, options.algorithms)
  return { key, nonce, ...(attestation === undefined ? {} : { attestation }) }
}

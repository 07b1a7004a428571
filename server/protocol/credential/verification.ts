import type { X509Certificate } from 'node:crypto'
import { IssuerKeyError } from '../issuer-keys/issuer-key-error.js'
import type { ListedEntity } from '../issuer-keys/listed-trust.js'
import { requiredMembersOf } from '../jose/jwk.js'
import { type DecodedJws, decodeCompact, type Jwk, JwsError, verifyDecoded } from '../jose/jws.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import type { Work } from '../work.js'
import type { UntrustedSigner } from './untrusted-signer.js'

/** Header and payload of a JWT. */
export interface Jwt {
  readonly header: JsonObject
  readonly payload: JsonObject
}

/** The kind of check that failed. Metrics count failures by this kind. The message of the error is for people. */
export type Check =
  /** Malformed, incomplete or contradictory. Faults of Disclosures have this kind too. */
  | 'format'
  /** The issuer's key cannot be found. */
  | 'issuer-key'
  | 'issuer-trust'
  | 'signature'
  /** Expired, or not valid yet. */
  | 'validity'
  /** The holder's proof: key binding, or the presentation around a JWT VC. */
  | 'holder-binding'
  /** The presentation does not authorize the transaction data in the way that the request asks. */
  | 'transaction-data'
  /** Revoked or suspended. */
  | 'revoked'
  /** The status cannot be read. */
  | 'status'
  /** Does not match the query. */
  | 'query'

/**
 * Thrown if a credential, a presentation or a status list is refused. The sentence `message` may be shown to
 * everybody. It names checks and claim paths, never a claim's value. The member `cause` is for the log.
 */
export class CredentialError extends Error {
  override readonly name = 'CredentialError'
  readonly check: Check
  /** The certificates of the issuer, if the issuer is not trusted and has certificates. */
  readonly untrusted: UntrustedSigner | undefined

  constructor(
    message: string,
    {
      check = 'format',
      untrusted,
      ...options
    }: ErrorOptions & { readonly check?: Check; readonly untrusted?: UntrustedSigner | undefined } = {},
  ) {
    super(message, options)
    this.check = check
    this.untrusted = untrusted
  }
}

/** Runs a step of a verification. Each refusal inside the step is reported as a failure of `check`. */
export async function asCheck<T>(check: Check, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (thrown) {
    if (!(thrown instanceof CredentialError)) throw thrown
    const { message, cause, untrusted } = thrown
    throw new CredentialError(message, { check, untrusted, ...(cause === undefined ? {} : { cause }) })
  }
}

/** A verification key of an issuer, the identifier that led to it, and the `kid` that named it in a header. */
export interface IssuerKey {
  readonly jwk: Jwk
  readonly issuer: string
  readonly kid?: string
  /** The key that certified the key, if a certificate chain proves it: the next key of the chain. */
  readonly authority?: Jwk
  /** The entity of a trusted list that vouches for the key. Its status lists must be of the same entity. */
  readonly listed?: ListedEntity
}

/** An issuer's key, with the certificate that proves it. */
export interface FoundIssuerKey extends IssuerKey {
  /** The signer's certificate. Present if a certificate chain to a trust anchor proves the key. */
  readonly certificate?: X509Certificate
}

/**
 * Finds the key that a JWT's issuer signs with. The header and the payload are not verified yet: they serve only to
 * find the key. `what` is the name of the signed object in error messages: "Credential" (the default) or "Status list".
 * Throws CredentialError or IssuerKeyError if the key does not exist. All other errors are thrown unchanged, as faults
 * of the service.
 */
export type ResolveIssuerKey = (header: JsonObject, payload: JsonObject, what?: string) => Promise<FoundIssuerKey>

/**
 * Services that a credential format needs for verification. `iat` and `nbf` may be up to `leewaySeconds` in the future.
 * `exp` has no leeway.
 */
export interface VerifyOptions {
  readonly resolveIssuerKey: ResolveIssuerKey
  readonly now: Date
  /** Default: 60. */
  readonly leewaySeconds?: number
  /** Accepted values of `alg` for the credential and the holder's proof. Default: every supported algorithm. */
  readonly algorithms?: readonly string[] | undefined
  /** The work budget for a mobile document. Without a budget, only the fixed limits of the CBOR decoder apply. */
  readonly work?: Work
  /**
   * Called with each check when the credential passes it. A check that has passed can still fail later, for a different
   * reason.
   */
  readonly onPassed?: (check: Check) => void
}

/** `status.status_list` of a Referenced Token (Token Status List §6.2). */
export interface TokenStatusReference {
  readonly uri: string
  readonly idx: number
  /** Whether the status list is requested in CWT format, as for a mobile document. Default: false. */
  readonly asCwt?: boolean
}

/**
 * A status entry of the W3C Bitstring Status List v1.0 §2.1; `statusListIndex` is a number in this type, but a string
 * in the signed credential.
 */
export interface BitstringStatusListEntry {
  readonly id?: string
  readonly type: 'BitstringStatusListEntry'
  readonly statusPurpose: string
  readonly statusListIndex: number
  readonly statusListCredential: string
  /** Bits for each entry. Default: 1. */
  readonly statusSize?: number
  readonly statusMessage?: readonly JsonObject[]
}

/** `cnf`: the holder's key itself, or the DID URL that names it (RFC 7800 §3.2, §3.4). */
export type Confirmation = { readonly jwk: Jwk } | { readonly kid: string }

export type StatusReference = TokenStatusReference | BitstringStatusListEntry

export const DEFAULT_LEEWAY_SECONDS = 60

/**
 * Limit of nested levels in JSON. Real credentials have fewer levels. The limit protects the call stack, because JSON
 * from outside is read and written by recursion.
 */
export const MAX_DEPTH = 64

/** Refuses JSON that is nested deeper than MAX_DEPTH. */
export function checkDepth(value: unknown, what: string, depth = 0): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw new CredentialError(`${what} is nested deeper than ${MAX_DEPTH} levels.`)
  for (const member of Object.values(value)) checkDepth(member, what, depth + 1)
}

/**
 * Returns a `typ` in lower case and without `application/`, so that values can be compared. RFC 7515 §4.1.9 allows
 * omitting `application/`, and media types ignore case.
 */
export function mediaTypeOf(typ: unknown): string | undefined {
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined
}

/** Whole seconds since the epoch: a NumericDate of RFC 7519 §2. */
export function numericDate(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

/**
 * The `cnf` of a credential for a holder's key. The key is a JWK or the DID URL of a key. A JWK keeps only the members of the
 * public key.
 *
 * @throws CredentialError when the key is of no supported type.
 */
export function confirmationOf(holderKey: Jwk | { readonly kid: string }): Confirmation {
  if (!('kty' in holderKey) && typeof holderKey.kid === 'string') return { kid: holderKey.kid }
  try {
    return { jwk: requiredMembersOf(holderKey) }
  } catch (error) {
    throw error instanceof JwsError
      ? new CredentialError('Holder key is of no supported type.', { cause: error })
      : error
  }
}

/**
 * Splits a compact JWS into its parts without verifying it. `what` is the name of the JWS in the error message:
 * "Credential", "Status list".
 */
export function decodeJwt(compact: string, what: string, maxLength?: number): DecodedJws {
  try {
    return decodeCompact(compact, maxLength)
  } catch (error) {
    throw refusalOf(error, what)
  }
}

/** Finds the issuer's key for a JWT, or throws CredentialError; `what` is the name of the JWT in the error message. */
export async function issuerKeyOf(jwt: Jwt, resolve: ResolveIssuerKey, what: string): Promise<IssuerKey> {
  const { kid } = jwt.header
  const { jwk, issuer, authority, listed } = await foundIssuerKey(jwt, resolve, what)
  return {
    jwk,
    issuer,
    ...(typeof kid === 'string' ? { kid } : {}),
    ...(authority === undefined ? {} : { authority }),
    ...(listed === undefined ? {} : { listed }),
  }
}

/** Finds the issuer's key like `issuerKeyOf`, with the certificate that proves the key, if there is one. */
export async function foundIssuerKey(
  { header, payload }: Jwt,
  resolve: ResolveIssuerKey,
  what: string,
): Promise<FoundIssuerKey> {
  try {
    return await resolve(header, payload, what)
  } catch (error) {
    if (!(error instanceof IssuerKeyError)) throw error
    throw new CredentialError(`${what} issuer key could not be resolved: ${error.message}`, {
      check: 'issuer-key',
      cause: error,
    })
  }
}

/** The claim `cnf` (RFC 7800 §3.1); undefined if the credential is bound to no key. */
export function readConfirmation({ cnf }: JsonObject, what: string): JsonObject | undefined {
  if (cnf !== undefined && !isObject(cnf)) throw new CredentialError(`${what} claim cnf is not an object.`)
  return cnf
}

/** Finds the issuer's key and verifies the signature with it. Reports both checks when they pass. */
export async function verifyIssuer(
  jwt: DecodedJws,
  { resolveIssuerKey, algorithms, onPassed }: VerifyOptions,
  what: string,
): Promise<IssuerKey> {
  const issuerKey = await issuerKeyOf(jwt, resolveIssuerKey, what)
  onPassed?.('issuer-key')
  verifyJwtSignature(jwt, issuerKey.jwk, what, algorithms)
  onPassed?.('signature')
  return issuerKey
}

/**
 * Verifies a decoded JWS with a key that is already known, or throws CredentialError.
 *
 * @param algorithms accepted values of `alg`, compared as names. An algorithm can have two names: a fully specified
 * name and an older name (RFC 9864)
 */
export function verifyJwtSignature(jwt: DecodedJws, jwk: Jwk, what: string, algorithms?: readonly string[]): void {
  try {
    verifyDecoded(jwt, jwk)
  } catch (error) {
    throw refusalOf(error, what)
  }
  const { alg } = jwt.header
  if (algorithms?.some((name) => name === alg) !== false) return
  throw new CredentialError(`${what} signature algorithm ${alg} was not asked for.`, { check: 'signature' })
}

function refusalOf(error: unknown, what: string): unknown {
  if (!(error instanceof JwsError)) return error
  if (error.code === 'signature') {
    return new CredentialError(`${what} signature is invalid.`, { check: 'signature', cause: error })
  }
  const malformed = error.code === 'malformed'
  const sentence = malformed ? 'is not a well-formed JWT' : 'signature cannot be verified'
  const check = malformed ? 'format' : 'signature'
  return new CredentialError(`${what} ${sentence}: ${error.message}`, { check, cause: error })
}

/**
 * Checks `exp`, `nbf` and `iat` if they are present (RFC 7519 §4.1.4 to §4.1.6): each must be a number, `exp` must be
 * in the future, and `nbf` and `iat` must not be in the future.
 *
 * @param leeway leeway in seconds: `past` for `iat` and `nbf`, `exp` for `exp`
 */
export function checkTimes(claims: JsonObject, what: string, now: Date, leeway: { past: number; exp: number }): void {
  const seconds = now.getTime() / 1000
  const exp = numericClaim(claims, 'exp', what)
  if (exp !== undefined && seconds >= exp + leeway.exp) {
    throw new CredentialError(`${what} has expired.`, { check: 'validity' })
  }
  for (const name of ['nbf', 'iat'] as const) {
    const time = numericClaim(claims, name, what)
    if (time !== undefined && time > seconds + leeway.past) {
      throw new CredentialError(`${what} is not valid yet: ${name} lies in the future.`, { check: 'validity' })
    }
  }
}

/** Reads a NumericDate claim. Undefined if the claim is absent. Throws CredentialError if it is not a number. */
export function numericClaim(claims: JsonObject, name: string, what: string): number | undefined {
  const value = claims[name]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new CredentialError(`${what} claim ${name} is not a number.`)
  }
  return value
}

/** Reads an optional string claim. Undefined if the claim is absent. Throws CredentialError if it is not a string. */
export function stringClaim(claims: JsonObject, name: string, what: string): string | undefined {
  const value = claims[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw new CredentialError(`${what} claim ${name} is not a string.`)
  return value
}

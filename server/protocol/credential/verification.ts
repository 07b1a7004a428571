import type { X509Certificate } from 'node:crypto'
import { IssuerKeyError } from '../issuer-keys/issuer-key-error.js'
import { requiredMembersOf } from '../jose/jwk.js'
import { type DecodedJws, decodeCompact, type Jwk, JwsError, verifyDecoded } from '../jose/jws.js'
import type { JsonObject } from '../json/json-object.js'
import type { Work } from '../work.js'

/** What a JWT says. */
export interface Jwt {
  readonly header: JsonObject
  readonly payload: JsonObject
}

/** The kind of check that failed: a short list for metrics; the message is for people. */
export type Check =
  /** Not well-formed, incomplete, or in contradiction to itself; disclosures too. */
  | 'format'
  /** The issuer's key cannot be found. */
  | 'issuer-key'
  | 'issuer-trust'
  | 'signature'
  /** Expired, or not valid yet. */
  | 'validity'
  /** The holder's proof: key binding, or the presentation around a JWT VC. */
  | 'holder-binding'
  /** Transaction data are not authorized as they were asked for. */
  | 'transaction-data'
  /** Revoked or suspended. */
  | 'revoked'
  /** The status cannot be had. */
  | 'status'
  /** Not what was asked for. */
  | 'query'

/**
 * Why a credential, a presentation or a status list is refused. `message` is one sentence that may be shown to anyone: it
 * names checks and claim paths, never a claim's value. `cause` is for the log.
 */
export class CredentialError extends Error {
  override readonly name = 'CredentialError'
  readonly check: Check

  constructor(message: string, { check = 'format', ...options }: ErrorOptions & { readonly check?: Check } = {}) {
    super(message, options)
    this.check = check
  }
}

/** Takes a step of a verification. Whatever it refuses counts as refused by `check`, whichever check in it that was. */
export async function asCheck<T>(check: Check, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (thrown) {
    if (!(thrown instanceof CredentialError)) throw thrown
    const { message, cause } = thrown
    throw new CredentialError(message, { check, ...(cause === undefined ? {} : { cause }) })
  }
}

/** A verification key of an issuer, the identifier that it was found under, and the `kid` that named it in a header. */
export interface IssuerKey {
  readonly jwk: Jwk
  readonly issuer: string
  readonly kid?: string
}

/** An issuer's key as it was found. */
export interface FoundIssuerKey extends IssuerKey {
  /** The signer's certificate, where a chain that leads to a trust anchor proves the key. */
  readonly certificate?: X509Certificate
}

/**
 * Finds the key that a JWT's issuer signs with. Header and payload are not verified yet: they only say where to look. `what` is
 * the thing that was signed, for a refusal: "Credential" unless given, or "Status list".
 * Throws CredentialError or IssuerKeyError when there is no such key; whatever else it throws passes through as the fault that it is.
 */
export type ResolveIssuerKey = (header: JsonObject, payload: JsonObject, what?: string) => Promise<FoundIssuerKey>

/** What the credential formats need from outside to verify. `leewaySeconds` is granted to `iat` and `nbf`, never to `exp`. */
export interface VerifyOptions {
  readonly resolveIssuerKey: ResolveIssuerKey
  readonly now: Date
  /** Default: 60. */
  readonly leewaySeconds?: number
  /** Names that `alg` may have, of credential and holder's proof; those of every supported algorithm unless given. */
  readonly algorithms?: readonly string[] | undefined
  /** Pays for what the size of a mobile document makes expensive; not bounded beyond what its reader takes unless given. */
  readonly work?: Work
  /** Told each check that the credential has passed, as it comes. One that was passed can still fail for a reason that only shows later. */
  readonly onPassed?: (check: Check) => void
}

/** `status.status_list` of a Referenced Token (Token Status List §6.2). */
export interface TokenStatusReference {
  readonly uri: string
  readonly idx: number
  /** Whether its list is asked for in CWT format, as that of a mobile document is; false unless given. */
  readonly asCwt?: boolean
}

/** A status entry of the W3C Bitstring Status List v1.0 §2.1; here `statusListIndex` is a number, in the signed credential a string. */
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

/** Deeper nesting than any credential has; keeps recursion over a stranger's JSON, here and where it is written again, within the stack. */
export const MAX_DEPTH = 64

/** Refuses JSON that is nested deeper than MAX_DEPTH. */
export function checkDepth(value: unknown, what: string, depth = 0): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > MAX_DEPTH) throw new CredentialError(`${what} is nested deeper than ${MAX_DEPTH} levels.`)
  for (const member of Object.values(value)) checkDepth(member, what, depth + 1)
}

/** A `typ` as it is compared: RFC 7515 §4.1.9 lets `application/` be left out and media types ignore case. */
export function mediaTypeOf(typ: unknown): string | undefined {
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined
}

/** Seconds since the epoch, whole: a NumericDate of RFC 7519 §2. */
export function numericDate(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

/**
 * The `cnf` of a credential for a holder's key (a JWK, of which only the members that make up the public key are kept, or the
 * DID URL of one).
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

/** Takes a compact JWS apart without verifying it. `what` names it in the refusal: "Credential", "Status list". */
export function decodeJwt(compact: string, what: string, maxLength?: number): DecodedJws {
  try {
    return decodeCompact(compact, maxLength)
  } catch (error) {
    throw refusalOf(error, what)
  }
}

/** Finds the issuer's key for a JWT, or throws CredentialError; `what` names the JWT in the refusal. */
export async function issuerKeyOf(jwt: Jwt, resolve: ResolveIssuerKey, what: string): Promise<IssuerKey> {
  const { kid } = jwt.header
  const { jwk, issuer } = await foundIssuerKey(jwt, resolve, what)
  return { jwk, issuer, ...(typeof kid === 'string' ? { kid } : {}) }
}

/** The same with the certificate that proves the key, where one does. */
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

/**
 * Verifies a decoded JWS with a key that is already known, or throws CredentialError.
 *
 * @param algorithms names that `alg` may have: one algorithm can have two, only one of them fully specified (RFC 9864)
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
 * Checks `exp`, `nbf` and `iat` where they are present (RFC 7519 §4.1.4 to §4.1.6): a number each, `exp` after now, the others
 * not in the future.
 *
 * @param leeway seconds granted to `iat` and `nbf`, and to `exp`
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

/** A NumericDate claim, undefined where it is absent; throws CredentialError where it is anything but a number. */
export function numericClaim(claims: JsonObject, name: string, what: string): number | undefined {
  const value = claims[name]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new CredentialError(`${what} claim ${name} is not a number.`)
  }
  return value
}

/** An optional string claim, undefined where it is absent; throws CredentialError where it is anything else. */
export function stringClaim(claims: JsonObject, name: string, what: string): string | undefined {
  const value = claims[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw new CredentialError(`${what} claim ${name} is not a string.`)
  return value
}

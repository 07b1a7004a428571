import { canonicalAlgorithm } from '../jose/algorithms.js'
import { type DecodedJws, decodeCompact } from '../jose/compact.js'
import { isSameKey, type Jwk, JwsError, readPublicJwk } from '../jose/jws.js'
import type { JsonObject } from '../json/json-object.js'

/** Limit of characters, since the attestation is part of the header of every request that uses it. */
const MAX_CHARACTERS = 16 * 1024
/** Limit of characters, since the subject is part of an address that must fit into a QR code. */
const MAX_SUBJECT_CHARACTERS = 512

const TYP = 'verifier-attestation+jwt'

/**
 * A statement about a verifier and its key, from an issuer that wallets trust (OpenID4VP 1.0 §12). It has only the
 * members that the verifier reads.
 */
export interface VerifierAttestation {
  /** The received compact JWS, unchanged. */
  readonly compact: string
  /** `sub`: the verifier's client identifier without its prefix. */
  readonly subject: string
  /** `cnf.jwk`: the key that signs the verifier's requests. */
  readonly jwk: Jwk
  readonly notBefore: Date | undefined
  readonly expiresAt: Date
  /** Allowed addresses for answers; undefined if the attestation lists none. */
  readonly redirectUris: readonly string[] | undefined
}

/** Thrown for a text that is no verifier attestation; `message` names the fault and completes a sentence. */
export class VerifierAttestationError extends Error {
  override readonly name = 'VerifierAttestationError'
}

/**
 * Reads the attestation of a verifier of this installation. The signature is not verified here: wallets know the key of
 * the attestation's issuer and verify it.
 *
 * @throws VerifierAttestationError that names the missing or malformed header or claim.
 */
export function readVerifierAttestation(compact: string): VerifierAttestation {
  if (compact.length > MAX_CHARACTERS) throw new VerifierAttestationError('it is longer than 16 KiB')
  const { header, payload, signature } = decoded(compact)
  if (header.typ !== TYP) throw new VerifierAttestationError(`its typ is not ${TYP}`)
  if (canonicalAlgorithm(header.alg) === undefined || signature.length === 0) {
    throw new VerifierAttestationError('it is not signed with a supported algorithm')
  }
  textOf(payload, 'iss')
  const subject = textOf(payload, 'sub')
  if (subject.length > MAX_SUBJECT_CHARACTERS) {
    throw new VerifierAttestationError(`its sub is longer than ${MAX_SUBJECT_CHARACTERS} characters`)
  }
  const expiresAt = timeOf(payload, 'exp')
  if (expiresAt === undefined) throw new VerifierAttestationError('it has no exp')
  timeOf(payload, 'iat')
  return {
    compact,
    subject,
    jwk: keyOf(payload),
    notBefore: timeOf(payload, 'nbf'),
    expiresAt,
    redirectUris: redirectUrisOf(payload),
  }
}

/** Whether the attestation is for the verifier with this key. */
export const attests = ({ jwk }: VerifierAttestation, publicJwk: Jwk): boolean => isSameKey(jwk, publicJwk)

/** Whether an attestation has expired. It expires at `exp` (RFC 7519 §4.1.4). */
export const attestationHasExpired = ({ expiresAt }: VerifierAttestation, now: Date): boolean => expiresAt <= now

function decoded(compact: string): DecodedJws {
  try {
    return decodeCompact(compact)
  } catch (cause) {
    if (!(cause instanceof JwsError)) throw cause
    throw new VerifierAttestationError('it is not a well-formed JWT', { cause })
  }
}

function textOf(payload: JsonObject, name: string): string {
  const value = payload[name]
  if (typeof value === 'string' && value !== '') return value
  throw new VerifierAttestationError(`it has no ${name}`)
}

function timeOf(payload: JsonObject, name: string): Date | undefined {
  const value = payload[name]
  if (value === undefined) return undefined
  const time = typeof value === 'number' ? new Date(value * 1000) : undefined
  if (time === undefined || Number.isNaN(time.getTime())) throw new VerifierAttestationError(`its ${name} is no time`)
  return time
}

/** RFC 7800 §3.2. */
function keyOf({ cnf }: JsonObject): Jwk {
  const jwk = readPublicJwk(typeof cnf === 'object' && cnf !== null && 'jwk' in cnf ? cnf.jwk : undefined)
  if (jwk !== undefined) return jwk
  throw new VerifierAttestationError('its cnf has no jwk that is a public key of a supported type')
}

function redirectUrisOf({ redirect_uris: uris }: JsonObject): readonly string[] | undefined {
  if (uris === undefined) return undefined
  if (Array.isArray(uris) && uris.every((uri) => typeof uri === 'string')) return uris
  throw new VerifierAttestationError('its redirect_uris is no array of strings')
}

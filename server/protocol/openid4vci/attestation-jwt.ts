import type { SignatureAlgorithm } from '../jose/algorithms.js'
import { type DecodedJws, decodeCompact, type Jwk, JwsError, verifyDecoded } from '../jose/jws.js'
import type { JsonObject } from '../json/json-object.js'
import { AttestationError } from './attester.js'

const LEEWAY_SECONDS = 60
/**
 * Decodes the JWT of an attestation, or of a proof that belongs to an attestation, without verifying it.
 *
 * @param what names the JWT in the error message
 * @throws AttestationError
 */
export function decoded(jwt: string, what: string, maxLength: number): DecodedJws {
  if (jwt.length > maxLength) throw new AttestationError(`The ${what} is longer than ${maxLength} characters.`)
  try {
    return decodeCompact(jwt)
  } catch (cause) {
    if (cause instanceof JwsError) throw new AttestationError(`The ${what} is not a well-formed JWT.`, { cause })
    throw cause
  }
}

/**
 * Verifies the signature of a JWT. @throws AttestationError if the JWT is not signed with this key and one of these
 * algorithms.
 */
export function assertSigned(jws: DecodedJws, jwk: Jwk, what: string, algorithms: readonly SignatureAlgorithm[]): void {
  try {
    verifyDecoded(jws, jwk, algorithms)
  } catch (cause) {
    if (cause instanceof JwsError)
      throw new AttestationError(`The ${what} cannot be accepted: ${cause.message}`, { cause })
    throw cause
  }
}

/** Reads a claim that must be a number. @throws AttestationError if it is no number. */
export function numberOf(value: unknown, name: string, what: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value))
    throw new AttestationError(`The ${name} of the ${what} is no number.`)
  return value
}

/**
 * RFC 7519 §4.1.4 to §4.1.6, for the claims that are present.
 *
 * @throws AttestationError
 */
export function assertTimes({ iat, nbf, exp }: JsonObject, what: string, now: Date): void {
  const seconds = now.getTime() / 1000
  if (exp !== undefined && numberOf(exp, 'exp', what) <= seconds) throw new AttestationError(`The ${what} has expired.`)
  for (const [name, time] of Object.entries({ iat, nbf })) {
    if (time !== undefined && numberOf(time, name, what) > seconds + LEEWAY_SECONDS)
      throw new AttestationError(`The ${what} is not valid yet: ${name} lies in the future.`)
  }
}

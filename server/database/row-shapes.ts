import { z } from 'zod'
import type { Jwk } from '../protocol/jose/jws.js'

/** Row shape for statements that return no rows. */
export const noRow = z.never()

/** Row shape for statements whose rows only need to be identified or counted. */
export const idRow = z.strictObject({ id: z.string() })

/**
 * A column of JSON: an object or an array. The content is not checked when it is read, but by the code that writes it.
 */
export const json = <Value = Record<string, unknown>>() =>
  z.custom<Value>((value) => typeof value === 'object' && value !== null)

/**
 * A column of claims as they are stored: unencrypted JSON, a string with ciphertext, or null after the claims were
 * erased.
 */
export const storedClaims = z.unknown()

export const publicJwk = json<Jwk>()

/** The certificate chain of a key, if it has one. */
export const x5c = z.array(z.string()).nullable()

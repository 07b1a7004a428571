import { z } from 'zod'
import type { Jwk } from '../protocol/jose/jws.js'

/** Of a statement that returns nothing. */
export const noRow = z.never()

/** Of a statement of which it matters how many rows it returns: which ones they are. */
export const idRow = z.strictObject({ id: z.string() })

/** A column of JSON, whose form is looked after by what writes it: an object or an array. */
export const json = <Value = Record<string, unknown>>() =>
  z.custom<Value>((value) => typeof value === 'object' && value !== null)

export const publicJwk = json<Jwk>()

/** The certificate chain of a key, where it has one. */
export const x5c = z.array(z.string()).nullable()

import { errors } from '../api/errors.js'

/** The highest number of characters of a key. */
export const MAX_KEY = 255

/** A String of RFC 9651 §3.3.3: printable ASCII characters in quotation marks. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/

/** A key without quotation marks, as many clients send it. A comma, a semicolon or a space has a meaning in a header. */
const BARE = /^[!#-+\--:<-[\]-~]+$/

/**
 * Reads the header `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07 §2.1). Its value is a String of
 * RFC 9651. A value without quotation marks is the same key.
 *
 * @returns undefined without the header
 * @throws 400 for a malformed, an empty or a too long key
 */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const text = typeof header === 'string' ? header.trim() : ''
  const quoted = QUOTED.exec(text)?.[1]
  const key = quoted === undefined ? (BARE.test(text) ? text : undefined) : quoted.replace(/\\(["\\])/g, '$1')
  if (text === '' || key === '') throw errors.badRequest('Idempotency-Key must not be empty')
  if (key === undefined)
    throw errors.badRequest('Idempotency-Key must be one text of printable ASCII characters, in quotation marks')
  if (key.length > MAX_KEY) throw errors.badRequest(`Idempotency-Key must have at most ${MAX_KEY} characters`)
  return key
}

import type { JsonObject } from '../protocol/json/json-object.js'

/** Returns the first of the claims that is a NumericDate (RFC 7519 §2): seconds since the epoch. */
export const secondsOf = (payload: JsonObject, ...names: readonly string[]): number | undefined =>
  names.map((name) => payload[name]).find((value) => typeof value === 'number')

/** Matches a date with a year of four digits. All other years have a sign and six digits. */
const DATE_TIME = /^\d{4}-/

/**
 * Writes a NumericDate as a date-time of RFC 3339. Undefined before the year 0000 or after 9999. An issuer may sign any
 * number, for example milliseconds by mistake, a number beyond every date, or no number at all.
 */
export function dateTimeOf(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined
  const date = new Date(seconds * 1000)
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString()
  return DATE_TIME.test(text) ? text : undefined
}

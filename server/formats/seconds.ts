import type { JsonObject } from '../protocol/json/json-object.js'

/** The first of some claims that is a NumericDate (RFC 7519 §2): seconds since the epoch. */
export const secondsOf = (payload: JsonObject, ...names: readonly string[]): number | undefined =>
  names.map((name) => payload[name]).find((value) => typeof value === 'number')

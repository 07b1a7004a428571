import { isObject, type JsonObject } from '../json/json-object.js'
import { malformed } from './fault.js'
import { MAX_LANGUAGES, MAX_NESTING, MAX_TEXT } from './limits.js'

/** A text in one language (TS 119 475 tables 7 and 9). */
export interface LocalizedText {
  /** BCP 47 */
  readonly lang: string
  readonly value: string
}

const LANGUAGE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/

/** Refuses values that are nested too deep. Throws RegistrationCertificateError. */
export function requireFlat(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null) return
  if (depth >= MAX_NESTING) throw malformed('its content', `must not be nested deeper than ${MAX_NESTING} levels`)
  for (const member of Object.values(value)) requireFlat(member, depth + 1)
}

export function objectAt(value: unknown, place: string): JsonObject {
  if (isObject(value)) return value
  throw malformed(place, value === undefined ? 'is missing' : 'must be an object')
}

/** An array of at most `max` elements. */
export function arrayAt(value: unknown, place: string, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(place, value === undefined ? 'is missing' : 'must be an array')
  if (value.length > max) throw malformed(place, `must not have more than ${max} elements`)
  return value
}

/** A text that is not blank. */
export function textAt(value: unknown, place: string, max = MAX_TEXT): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= max) return value
  throw malformed(place, value === undefined ? 'is missing' : `must be a text of 1 to ${max} characters`)
}

export const optionalTextAt = (value: unknown, place: string, max = MAX_TEXT): string | undefined =>
  value === undefined ? undefined : textAt(value, place, max)

/** A text of information only. It is left out if it is no usable text. */
export const informationOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' && value.length <= MAX_TEXT ? value : undefined

/** A web address of information only. It is left out if it has another scheme, because pages link to it. */
export function webAddressOf(value: unknown): string | undefined {
  const text = informationOf(value)
  if (text === undefined || !URL.canParse(text)) return undefined
  return ['https:', 'http:'].includes(new URL(text).protocol) ? text : undefined
}

/** A NumericDate (RFC 7519 §2). */
export function timeAt(value: unknown, place: string): Date {
  const time = typeof value === 'number' ? new Date(value * 1000) : undefined
  if (time !== undefined && !Number.isNaN(time.getTime())) return time
  throw malformed(place, value === undefined ? 'is missing' : 'must be a time in seconds')
}

export const optionalTimeAt = (value: unknown, place: string): Date | undefined =>
  value === undefined ? undefined : timeAt(value, place)

/** Texts in several languages. The first text of a language counts. */
export function localizedAt(value: unknown, place: string): readonly LocalizedText[] {
  const texts = new Map<string, LocalizedText>()
  for (const [index, entry] of arrayAt(value, place, MAX_LANGUAGES).entries()) {
    const at = `${place}[${index}]`
    const { lang, value: text } = objectAt(entry, at)
    if (typeof lang !== 'string' || !LANGUAGE.test(lang)) throw malformed(`${at}.lang`, 'must be a language tag')
    const name = lang.toLowerCase()
    const found = { lang, value: textAt(text, `${at}.value`) }
    if (!texts.has(name)) texts.set(name, found)
  }
  return [...texts.values()]
}

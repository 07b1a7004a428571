import { isObject, type JsonObject } from '../json/json-object.js'
import { shortened } from '../messages.js'
import { MAX_LIST_BYTES } from './limits.js'
import type { ListCheck } from './read-list.js'
import { ListRefusedError, malformed } from './refusal.js'
import type { Names } from './trust-list.js'

const LANGUAGE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
const MAX_NAME = 500
const MAX_LANGUAGES = 40
const MAX_URI = 2_000

/** Refuses a list that is longer than the limit. Throws ListRefusedError. */
export function requireSize(bytes: Uint8Array): void {
  if (bytes.length > MAX_LIST_BYTES) {
    throw new ListRefusedError('too-large', `The list has more than ${MAX_LIST_BYTES / 1_048_576} MiB.`)
  }
}

/** Refuses an array that is longer than a limit. Throws ListRefusedError with the limit's own check. */
export function requireAtMost(count: number, max: number, check: ListCheck, what: string): void {
  if (count > max) throw new ListRefusedError(check, `The list has more than ${max} ${what}.`)
}

export function objectAt(value: unknown, place: string): JsonObject {
  if (isObject(value)) return value
  throw malformed(place, value === undefined ? 'is missing' : 'must be an object')
}

export function arrayAt(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw malformed(place, value === undefined ? 'is missing' : 'must be an array')
}

/** A text of a machine, such as a URI. */
export function textAt(value: unknown, place: string): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= MAX_URI) return value
  throw malformed(place, value === undefined ? 'is missing' : `must be a text of 1 to ${MAX_URI} characters`)
}

export const optionalTextAt = (value: unknown, place: string): string | undefined =>
  value === undefined ? undefined : textAt(value, place)

export function countAt(value: unknown, place: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw malformed(place, value === undefined ? 'is missing' : 'must be an integer up to 9007199254740991')
}

/** A time of RFC 3339. TS 119 602 §6.1.3 wants UTC without fractions; other code adds them. */
export function timeAt(value: unknown, place: string): Date {
  const time = typeof value === 'string' && DATE_TIME.test(value) ? new Date(value) : undefined
  if (time !== undefined && !Number.isNaN(time.getTime())) return time
  throw malformed(place, value === undefined ? 'is missing' : 'must be a date and a time with a time zone')
}

export const optionalTimeAt = (value: unknown, place: string): Date | undefined =>
  value === undefined ? undefined : timeAt(value, place)

/** Texts in several languages (TS 119 602 §6.1.4; TS 119 612 §5.1.4). The first text of a language counts. */
export function namesOf(texts: Iterable<readonly [lang: unknown, text: unknown]>, place: string): Names {
  const names = new Map<string, string>()
  for (const [lang, text] of texts) {
    if (typeof lang !== 'string' || !LANGUAGE.test(lang)) throw malformed(place, 'has a text without a language')
    if (typeof text !== 'string') throw malformed(place, 'has a language without a text')
    if (!names.has(lang)) names.set(lang, shortened(text.trim(), MAX_NAME))
    if (names.size > MAX_LANGUAGES) throw malformed(place, `has more than ${MAX_LANGUAGES} languages`)
  }
  if (names.size === 0) throw malformed(place, 'has no text')
  return Object.fromEntries(names)
}

/** The array of `{ lang, value }` of TS 119 602 §6.1.4. */
export function namesAt(value: unknown, place: string): Names {
  return namesOf(
    arrayAt(value, place).map((entry) => {
      const { lang, value: text } = objectAt(entry, place)
      return [lang, text] as const
    }),
    place,
  )
}

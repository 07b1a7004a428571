import type { SchemaPlace } from '../json-schema/applicable.js'
import { claimsWithin, MAX_CLAIMS, pathKey } from '../json-schema/declared-claims.js'

/** The values that a schema names for one claim, as JSON, each with its title. A value without a title has undefined. */
export type ValueTitles = ReadonlyMap<string, string | undefined>

/** The values that the schemas at a place name. A branch with `const` and `title` names one value and its title. */
export function valueTitlesAt({ schemas }: SchemaPlace): ValueTitles {
  const titles = new Map<string, string | undefined>()
  for (const { schema, certain } of schemas) {
    if (Array.isArray(schema.enum))
      for (const value of schema.enum) titles.set(JSON.stringify(value), titles.get(JSON.stringify(value)))
    if (!Object.hasOwn(schema, 'const')) continue
    // The title beside a `const` that applies to every value is the title of the claim.
    const title = !certain && typeof schema.title === 'string' ? schema.title : undefined
    const value = JSON.stringify(schema.const)
    titles.set(value, titles.get(value) ?? title)
  }
  return titles
}

/** The values that a schema names for its claims, by `pathKey`. Claims without such values are left out. */
export function valueTitles(root: SchemaPlace): ReadonlyMap<string, ValueTitles> {
  const named = new Map<string, ValueTitles>()
  let count = 0
  for (const { path, place } of claimsWithin(root)) {
    count += 1
    if (count > MAX_CLAIMS) break
    const titles = valueTitlesAt(place)
    if (titles.size > 0) named.set(pathKey(path), titles)
  }
  return named
}

/** The locale in which pages and cards write dates: British English for English. */
export const localeOf = (language: string): string => (language === 'en' ? 'en-GB' : language)

/** A day, as its midnight in UTC, or a moment. */
export interface When {
  readonly at: Date
  readonly isDay: boolean
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i

/** The day or the moment that a text names in the form of RFC 3339 (`full-date` or `date-time`); undefined for any other text. */
export function whenOf(text: string): When | undefined {
  const isDay = DAY.test(text)
  if (!isDay && !MOMENT.test(text)) return undefined
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) return undefined
  // JavaScript reads February 30 as March 2.
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return day.toISOString().startsWith(text.slice(0, 10)) ? { at, isDay } : undefined
}

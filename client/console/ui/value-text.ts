import { localeOf, type ValueTitles, valueTitles, whenOf } from '../../../server/protocol/credential-card/values.js'
import { pathKey } from '../../../server/protocol/json-schema/declared-claims.js'
import { ifSound, walked } from './schema-walk.js'

/** Writes a single value of a claim for a person. @param path the names and positions that lead to the value */
export type ValueText = (value: unknown, path: readonly string[]) => string

/** The titles of values, by `pathKey` of their claim. */
export type TitlesOfValues = ReadonlyMap<string, ValueTitles>

/** The language of a reader, and the words for true and false. */
export interface Reader {
  readonly language: string
  readonly yes: string
  readonly no: string
}

/** The titles of the values that a schema names. */
export const titlesOfValues = (schema: Readonly<Record<string, unknown>>): TitlesOfValues =>
  ifSound(() => valueTitles(walked(schema))) ?? new Map()

/**
 * Writes values in words: the title that the type gives the value, a day or a moment in the reader's language, or yes and no.
 *
 * @param titles the titles of the type; empty if the type is not known
 * @param outer number of names at the beginning of a path that hold claims in their format, such as a namespace
 */
export function valueText(titles: TitlesOfValues, { language, yes, no }: Reader, outer = 0): ValueText {
  const days = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeZone: 'UTC' })
  const moments = new Intl.DateTimeFormat(localeOf(language), { dateStyle: 'long', timeStyle: 'short' })
  return (value, path) => {
    if (typeof value === 'boolean') return value ? yes : no
    const claim = path.slice(outer).map((name) => (/^\d+$/.test(name) ? null : name))
    const title = titles.get(pathKey(claim))?.get(JSON.stringify(value))
    if (title !== undefined) return title
    const when = typeof value === 'string' ? whenOf(value) : undefined
    if (when === undefined) return String(value)
    return (when.isDay ? days : moments).format(when.at)
  }
}

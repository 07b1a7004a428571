import { localeOf, whenOf } from '../protocol/credential-card/values.js'
import { cookieHeader, cookieValues } from './browser-cookie.js'
import { Html, html } from './html.js'
import { DEFAULT_LOCALE, type Languages, languagesOf } from './languages.js'
import type { TextKey } from './texts/catalogue.js'
import type { en } from './texts/en.js'
import { PAGE_LANGUAGES, type PageLanguage } from './texts/languages.js'
import type { PageText, PlaceholdersIn } from './texts/placeholders.js'

/** The values of a text's placeholders; no argument for a text without placeholders. */
type Values<Key extends TextKey, Value> = [PlaceholdersIn<(typeof en)[Key]>] extends [never]
  ? []
  : [values: Readonly<Record<PlaceholdersIn<(typeof en)[Key]>, Value>>]

/** The language in which a page speaks to its reader. */
export interface Speech {
  /** BCP 47 tag of the page's texts. */
  readonly lang: string
  readonly dir: PageLanguage['dir']
  /** The reader's languages, for names of types and claims: other parties write these names in any language. */
  readonly languages: Languages
  /** A text with its values. A text with a plural depends on `count`. */
  say<Key extends TextKey>(key: Key, ...values: Values<Key, string | number>): string
  /** A text with its values as HTML. A value can contain elements. */
  show<Key extends TextKey>(key: Key, ...values: Values<Key, Html | string | number>): Html
  /** `21 November 2026 at 14:05 UTC` */
  moment(date: Date): string
  /** `3 hours`, `4 minutes`, or below two minutes, `90 seconds`. The script of the pages writes durations in the same way. */
  duration(seconds: number): string
  /** `21 November 2026`: a day without a time zone, given as midnight in UTC. */
  day(date: Date): string
  /** `€249.00`. @param amount a number, or a decimal number as text. @param currency code of ISO 4217 */
  money(amount: number | `${number}`, currency: string): string
  /** `3 months`: a number of units of time. */
  units(count: number, unit: 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'): string
}

const COOKIE = 'language'
const COOKIE_SECONDS = 31_536_000

const PLACEHOLDER = /\{(\w+)\}/

/** The form of a text for a number. */
function formOf(text: PageText, lang: string, values: Readonly<Record<string, unknown>>): string {
  if (typeof text === 'string') return text
  return text[new Intl.PluralRules(lang).select(Number(values.count))] ?? text.other
}

/** The parts of a text: words and names of placeholders in turn. */
const partsOf = (text: string): readonly string[] => text.split(PLACEHOLDER)

const unitsIn = (lang: string, count: number, unit: string): string =>
  new Intl.NumberFormat(lang, { style: 'unit', unit, unitDisplay: 'long' }).format(count)

/** Digits after the decimal sign that are never rounded away: a person must see the exact amount. */
const EXACT = 20

function durationIn(lang: string, seconds: number): string {
  const [value, unit] =
    seconds >= 7_200
      ? [Math.floor(seconds / 3_600), 'hour']
      : seconds >= 120
        ? [Math.floor(seconds / 60), 'minute']
        : [seconds, 'second']
  return unitsIn(lang, value, unit)
}

function momentIn(lang: string, date: Date): string {
  return `${date.toLocaleString(localeOf(lang), { timeZone: 'UTC', dateStyle: 'long', timeStyle: 'short' })} UTC`
}

function speechIn(lang: string, { dir, texts }: PageLanguage, languages: Languages): Speech {
  const numbers = new Intl.NumberFormat(lang)
  const written = (value: unknown): string => (typeof value === 'number' ? numbers.format(value) : String(value))
  return {
    lang,
    dir,
    languages,
    say: (key, ...[values = {}]) => {
      const known: Readonly<Record<string, unknown>> = values
      return partsOf(formOf(texts[key], lang, known))
        .map((part, at) => (at % 2 === 0 ? part : written(known[part])))
        .join('')
    },
    show: (key, ...[values = {}]) => {
      const known: Readonly<Record<string, unknown>> = values
      const parts = partsOf(formOf(texts[key], lang, known))
      return html`${parts.map((part, at) => {
        if (at % 2 === 0) return part
        const value = known[part]
        return value instanceof Html ? value : written(value)
      })}`
    },
    moment: (date) => momentIn(lang, date),
    duration: (seconds) => durationIn(lang, seconds),
    day: (date) => date.toLocaleDateString(localeOf(lang), { timeZone: 'UTC', dateStyle: 'long' }),
    money: (amount, currency) =>
      new Intl.NumberFormat(localeOf(lang), { style: 'currency', currency, maximumFractionDigits: EXACT }).format(
        amount,
      ),
    units: (count, unit) => unitsIn(lang, count, unit),
  }
}

/** A day or a moment (RFC 3339) in the reader's language; the text itself if it is neither. */
export function dateInWords(text: string, { day, moment }: Pick<Speech, 'day' | 'moment'>): string {
  const when = whenOf(text)
  if (when === undefined) return text
  return when.isDay ? day(when.at) : moment(when.at)
}

/** The language of the pages that fits a language range best: `de-AT` gets `de`. */
const pageLanguage = (range: string): string | undefined => {
  const [primary = ''] = range.toLowerCase().split('-')
  return PAGE_LANGUAGES.has(primary) ? primary : undefined
}

/** The parts of a request that say which languages its reader understands. */
export interface Asking {
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * The languages of a reader: first the language that the reader chose on a page, then the languages of `Accept-Language`.
 *
 * @param baseUrl the base URL of the page's address, to which the cookie of the choice belongs
 */
export function readerLanguages({ headers }: Asking, baseUrl: string): Languages {
  const accepted = languagesOf(textOf(headers['accept-language']))
  const [cookie = ''] = cookieValues(textOf(headers.cookie), COOKIE, baseUrl)
  return [...(PAGE_LANGUAGES.has(cookie) ? [cookie] : []), ...accepted]
}

/**
 * The language for the reader of a page: the language that the reader chose on a page, otherwise the first language of
 * `Accept-Language` that the pages speak, otherwise English.
 *
 * @param baseUrl the base URL of the page's address, to which the cookie of the choice belongs
 */
export function speechFor({ headers }: Asking, baseUrl: string): Speech {
  const languages = readerLanguages({ headers }, baseUrl)
  const lang = languages.map(pageLanguage).find((found) => found !== undefined) ?? DEFAULT_LOCALE
  const language = PAGE_LANGUAGES.get(lang)
  if (language === undefined) throw new Error(`The pages have no texts in ${lang}.`)
  return speechIn(lang, language, languages)
}

/** The Set-Cookie header for a chosen language; undefined for a language that the pages do not speak. */
export const languageCookie = (lang: string, baseUrl: string): string | undefined =>
  PAGE_LANGUAGES.has(lang) ? cookieHeader(COOKIE, lang, baseUrl, COOKIE_SECONDS) : undefined

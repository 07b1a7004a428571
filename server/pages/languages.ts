/** A person's languages, the preferred one first: language ranges of RFC 4647. */
export type Languages = readonly string[]

const MAX_LANGUAGES = 20

interface Weighed {
  readonly range: string
  readonly weight: number
}

function weighed(part: string): Weighed {
  const [range = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
  const quality = parameters.find((each) => each.startsWith('q='))
  const weight = quality === undefined ? 1 : Number(quality.slice(2))
  return { range, weight: Number.isFinite(weight) ? weight : 0 }
}

/** Reads `Accept-Language` (RFC 9110 §12.5.4). Leaves out unacceptable ranges (`q=0`), invalid ranges, and `*`. */
export const languagesOf = (acceptLanguage: string | undefined): Languages =>
  (acceptLanguage ?? '')
    .split(',', MAX_LANGUAGES)
    .map(weighed)
    .filter(({ range, weight }) => weight > 0 && /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/.test(range))
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range)

interface Entry {
  readonly locale?: string | undefined
}

/** The language of an entry that does not name its language. */
export const DEFAULT_LOCALE = 'en'

/** `de-CH-1996` → `de-ch-1996`, `de-ch`, `de` (RFC 4647 §3.4) */
const shorterAndShorter = (range: string): string[] => {
  const parts = range.split('-')
  return parts.map((_, left) => parts.slice(0, parts.length - left).join('-'))
}

/**
 * Returns the entry in the reader's preferred language, or the first entry if no entry matches. A reader of `de-AT`
 * gets `de`. If there is no `de`, the reader gets `de-CH`.
 */
export function inLanguage<Value extends Entry>(entries: readonly Value[], languages: Languages): Value | undefined {
  const localeOf = ({ locale = DEFAULT_LOCALE }: Value) => locale.toLowerCase()
  for (const range of languages) {
    const ways = shorterAndShorter(range)
    const language = ways.at(-1) ?? range
    const found =
      ways.map((way) => entries.find((entry) => localeOf(entry) === way)).find((entry) => entry !== undefined) ??
      entries.find((entry) => localeOf(entry).startsWith(`${language}-`))
    if (found !== undefined) return found
  }
  return entries[0]
}

/** A text of a credential type, with the language of the text. */
export interface Spoken {
  readonly text: string
  /** The language of the text; undefined if it is unknown. */
  readonly lang?: string | undefined
}

/** Joins a text with its language. @param locale the language of the text; undefined if unknown */
export const spokenIn = (text: string, locale: string | undefined): Spoken => ({
  text,
  lang: locale,
})

/** Joins several texts to one text. The result has a language if all texts have the same language. */
export function joined(parts: readonly Spoken[], separator: string): Spoken {
  const [first] = parts
  const isSame = parts.every(({ lang }) => lang === first?.lang)
  return { text: parts.map(({ text }) => text).join(separator), lang: isSame ? first?.lang : undefined }
}

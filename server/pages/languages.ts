/** Languages as people name them to a server, the one that they like best first: language ranges of RFC 4647. */
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

/** `Accept-Language` (RFC 9110 §12.5.4): what is not acceptable (`q=0`) and what is no range is left out, as is `*`, which asks for nothing. */
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

/** The language of an entry that does not say its own. */
export const DEFAULT_LOCALE = 'en'

/** `de-CH-1996` → `de-ch-1996`, `de-ch`, `de` (RFC 4647 §3.4) */
const shorterAndShorter = (range: string): string[] => {
  const parts = range.split('-')
  return parts.map((_, left) => parts.slice(0, parts.length - left).join('-'))
}

/**
 * The entry in the language that its reader likes best; the first one where there is none of theirs. Somebody who reads `de-AT` is
 * given `de`, and `de-CH` where there is no better German.
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

/** A text that a type brings along, in a language of its own. */
export interface Spoken {
  readonly text: string
  /** Where it is not English, which the pages themselves are in, and is known. */
  readonly lang?: string | undefined
}

/** @param locale of the text; undefined where it is not known. */
export const spokenIn = (text: string, locale: string | undefined): Spoken => ({
  text,
  lang: locale === undefined || /^en(?:-|$)/i.test(locale) ? undefined : locale,
})

/** Several texts as one, in their language where they have the same. */
export function joined(parts: readonly Spoken[], separator: string): Spoken {
  const [first] = parts
  const isSame = parts.every(({ lang }) => lang === first?.lang)
  return { text: parts.map(({ text }) => text).join(separator), lang: isSame ? first?.lang : undefined }
}

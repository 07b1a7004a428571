/** Texts by language tag, as a list has them. */
type NamesByTag = Readonly<Record<string, string>>

/** A text and the language for its `lang`; undefined if it is the console's language. */
export interface NameIn {
  readonly name: string
  readonly lang: string | undefined
}

const languageOf = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? tag

/**
 * The text in the console's language, else in English, else the first text.
 *
 * @returns undefined if there is no text
 */
export function nameIn(names: NamesByTag | undefined, language: string): NameIn | undefined {
  const entries = Object.entries(names ?? {}).filter(([, name]) => name.trim() !== '')
  const found =
    entries.find(([tag]) => languageOf(tag) === language) ??
    entries.find(([tag]) => languageOf(tag) === 'en') ??
    entries[0]
  if (found === undefined) return undefined
  const [tag, name] = found
  return { name, lang: languageOf(tag) === language ? undefined : tag }
}

/** The host of a list's address, which names a list that has no readable operator. */
export const hostOfList = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/** An address without its query, which may hold a token. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return url
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

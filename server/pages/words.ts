import { inLanguage, type Languages, type Spoken, spokenIn } from './languages.js'

/** `given_name`, `givenName` → `given name` */
export const inWords = (name: string): string =>
  name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`)
    .trim()

/**
 * Returns the name of a type for a reader: the name from `display` in the reader's language, otherwise the title,
 * otherwise the type's name in words.
 */
export function typeTitle(
  {
    name,
    title,
    display,
  }: {
    readonly name: string
    readonly title: string | null
    readonly display: readonly { readonly name: string; readonly locale?: string | undefined }[] | null
  },
  languages: Languages,
): Spoken {
  const shown = inLanguage(display ?? [], languages)
  return shown === undefined ? { text: title ?? inWords(name) } : spokenIn(shown.name, shown.locale)
}

/** Cuts a text that is longer than `most` characters. */
export function shortened(text: string, most: number): string {
  const characters = [...text.slice(0, 4 * most)]
  return characters.length > most
    ? `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
    : text
}

interface Entry {
  readonly name: string
  readonly locale?: string | undefined
}

/** The language that an entry without a language counts as. */
export const DEFAULT_LOCALE = 'en'

/** Returns the entry in the given language, or the first entry if no entry has this language. */
export function entryFor<Display extends Entry>(display: readonly Display[], language: string): Display | undefined {
  const ofLanguage = ({ locale = DEFAULT_LOCALE }: Display) => locale.toLowerCase().split('-', 1)[0] === language
  return display.find(ofLanguage) ?? display[0]
}

export const nameOf = (display: readonly Entry[] | undefined, language: string): string | undefined =>
  entryFor(display ?? [], language)?.name

/** The language of the name, for its `lang`; undefined if it is the console's language (WCAG 2.2, 3.1.2). */
export function langOf(display: readonly Entry[] | undefined, language: string): string | undefined {
  const entry = entryFor(display ?? [], language)
  const locale = entry?.locale ?? DEFAULT_LOCALE
  return entry === undefined || locale.toLowerCase().split('-', 1)[0] === language ? undefined : locale
}

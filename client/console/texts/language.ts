import type { Texts } from './texts.js'

export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

/** Each language is a file of its own, so the browser loads only the shown language. */
const LOAD: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en.js')).en,
  de: async () => (await import('./de.js')).de,
}

export const loadTexts = (language: Language): Promise<Texts> => LOAD[language]()

const CHOSEN = 'credence-console-language'

const isLanguage = (value: string | null | undefined): value is Language => LANGUAGES.some((known) => known === value)

/** The language that the user chose in this browser, else the browser's first supported language, else English. */
export function firstLanguage(): Language {
  const chosen = window.localStorage.getItem(CHOSEN)
  if (isLanguage(chosen)) return chosen
  return navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en'
}

/** Keeps the choice in this browser. */
export const rememberLanguage = (language: Language): void => window.localStorage.setItem(CHOSEN, language)

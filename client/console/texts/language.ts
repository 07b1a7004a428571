import { LANGUAGES, type Language } from './languages.js'

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

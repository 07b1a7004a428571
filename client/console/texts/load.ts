import type { Language } from './languages.js'
import type { Texts } from './texts.js'

/** Each language is a file of its own, so the browser loads only the shown language. */
const LOAD: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en.js')).en,
  de: async () => (await import('./de.js')).de,
  fr: async () => (await import('./fr.js')).fr,
  es: async () => (await import('./es.js')).es,
  it: async () => (await import('./it.js')).it,
}

export const loadTexts = (language: Language): Promise<Texts> => LOAD[language]()

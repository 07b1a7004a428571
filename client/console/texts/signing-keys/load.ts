import type { Language } from '../languages.js'
import type { SigningKeyTexts } from './texts.js'

/** Each language is a file of its own, so a screen loads only the shown language. */
export const SIGNING_KEY_TEXTS: Readonly<Record<Language, () => Promise<SigningKeyTexts>>> = {
  en: async () => (await import('./en.js')).en,
  de: async () => (await import('./de.js')).de,
  fr: async () => (await import('./fr.js')).fr,
  es: async () => (await import('./es.js')).es,
  it: async () => (await import('./it.js')).it,
}

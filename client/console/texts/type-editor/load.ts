import type { Language } from '../languages.js'
import type { EditorTexts } from './texts.js'

/** Each language is a file of its own, so the editor loads only the shown language. */
export const EDITOR_TEXTS: Readonly<Record<Language, () => Promise<EditorTexts>>> = {
  en: async () => (await import('./en.js')).en,
  de: async () => (await import('./de.js')).de,
  fr: async () => (await import('./fr.js')).fr,
  es: async () => (await import('./es.js')).es,
  it: async () => (await import('./it.js')).it,
}

import { use } from 'react'
import { loaded } from '../loaded.js'
import type { Language } from './languages.js'
import { useSpoken } from './use-texts.js'

/** A hook for texts, with a function that begins to load the texts before the hook is called. */
export type OwnTextsHook<OwnTexts> = (() => OwnTexts) & { readonly begin: (language: Language) => void }

/**
 * Makes the hook for texts that only some screens need. The hook returns the texts in the shown language, and loads this
 * language alone. A screen that uses the hook is drawn when the texts have loaded.
 */
export function ownTexts<OwnTexts>(load: Readonly<Record<Language, () => Promise<OwnTexts>>>): OwnTextsHook<OwnTexts> {
  /** The languages that were asked for. React waits for a promise that stays the same. */
  const asked = new Map<Language, Promise<OwnTexts>>()
  const textsIn = (language: Language): Promise<OwnTexts> => {
    const before = asked.get(language)
    if (before !== undefined) return before
    const texts = loaded(load[language])
    asked.set(language, texts)
    // After a failure, the next visit of the screen loads the texts anew.
    texts.catch(() => asked.delete(language))
    return texts
  }
  const begin = (language: Language) => void textsIn(language)
  return Object.assign(() => use(textsIn(useSpoken().language)), { begin })
}

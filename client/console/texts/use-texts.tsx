import { createContext, type ReactNode, startTransition, useCallback, useContext, useMemo, useState } from 'react'
import { loaded } from '../loaded.js'
import { rememberLanguage } from './language.js'
import type { Language } from './languages.js'
import { loadTexts } from './load.js'
import type { Texts } from './texts.js'

export interface Spoken {
  readonly language: Language
  readonly texts: Texts
  readonly speak: (language: Language) => Promise<void>
}

const SpokenContext = createContext<Spoken | undefined>(undefined)

interface Props {
  readonly language: Language
  readonly texts: Texts
  readonly children: ReactNode
}

/** Provides the texts of one language. A change of the language keeps all input. */
export function TextsProvider({ language, texts, children }: Props) {
  const [spoken, setSpoken] = useState({ language, texts })
  const speak = useCallback(async (chosen: Language) => {
    const loadedTexts = await loaded(() => loadTexts(chosen))
    rememberLanguage(chosen)
    document.documentElement.lang = chosen
    // A screen that loads further texts of the language stays visible until they have loaded.
    startTransition(() => setSpoken({ language: chosen, texts: loadedTexts }))
  }, [])
  const value = useMemo(() => ({ ...spoken, speak }), [spoken, speak])
  return <SpokenContext value={value}>{children}</SpokenContext>
}

export function useSpoken(): Spoken {
  const spoken = useContext(SpokenContext)
  if (spoken === undefined) throw new Error('There is no TextsProvider above.')
  return spoken
}

/** The texts of the shown language. */
export const useTexts = (): Texts => useSpoken().texts

import { useId } from 'react'
import { LANGUAGES, type Language } from '../texts/languages.js'
import { useSpoken } from '../texts/use-texts.js'

const NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
}

export function LanguageSwitch() {
  const { language, texts, speak } = useSpoken()
  const id = useId()
  return (
    <div>
      <label htmlFor={id}>{texts.common.language}</label>
      <select id={id} value={language} onChange={({ target }) => void speak(target.value as Language)}>
        {LANGUAGES.map((each) => (
          <option key={each} value={each} lang={each}>
            {NAMES[each]}
          </option>
        ))}
      </select>
    </div>
  )
}

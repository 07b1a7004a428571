import { useId, useState } from 'react'
import { useTexts } from '../texts/use-texts.js'
import { chosenTheme, rememberTheme, showTheme, THEMES } from '../theme.js'

/** Chooses light colours, dark colours, or the colours of the system. */
export function ThemeSwitch() {
  const { common } = useTexts()
  const [theme, setTheme] = useState(chosenTheme)
  const id = useId()
  const choose = (value: string) => {
    const chosen = THEMES.find((each) => each === value)
    if (chosen === undefined) return
    rememberTheme(chosen)
    showTheme(chosen)
    setTheme(chosen)
  }
  return (
    <div>
      <label htmlFor={id}>{common.theme}</label>
      <select id={id} value={theme} onChange={({ target }) => choose(target.value)}>
        {THEMES.map((each) => (
          <option key={each} value={each}>
            {common.themes[each]}
          </option>
        ))}
      </select>
    </div>
  )
}

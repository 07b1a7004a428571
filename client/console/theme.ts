export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const CHOSEN = 'credence-console-theme'

/** The colours that the user chose in this browser, else the colours of the system. */
export function chosenTheme(): Theme {
  const chosen = window.localStorage.getItem(CHOSEN)
  return THEMES.find((theme) => theme === chosen) ?? 'system'
}

/** Draws the page in the chosen colours. `styles/tokens.css` has the rules. */
export function showTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
}

/** Keeps the choice in this browser. */
export const rememberTheme = (theme: Theme): void => window.localStorage.setItem(CHOSEN, theme)

/**
 * The colours of the pages, in a light and a dark colour scheme. The console has the same colours
 * (client/console/styles/tokens.css). They are repeated here, because the pages must work without a build of the
 * console.
 */
export const COLOURS = {
  ink: ['#1a2130', '#e8ebf2'],
  soft: ['#4d586b', '#aeb7c7'],
  paper: ['#f4f6fa', '#10131a'],
  card: ['#ffffff', '#191e28'],
  sunk: ['#e9edf4', '#222936'],
  line: ['#d7dde8', '#303849'],
  field: ['#7b8597', '#8590a5'],
  accent: ['#1d4fc4', '#8fb0ff'],
  'accent-hover': ['#17409e', '#b3c9ff'],
  'on-accent': ['#ffffff', '#0e1830'],
  good: ['#14692f', '#7fd696'],
  'good-wash': ['#e2f4e7', '#15301d'],
  bad: ['#a8200d', '#ff9c8c'],
  'bad-wash': ['#fdebe8', '#3a1913'],
  note: ['#4a3500', '#ffe2a1'],
  'note-wash': ['#fff1cc', '#3a2f10'],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>

const declared = (at: 0 | 1): string =>
  Object.entries(COLOURS)
    .map(([name, colours]) => `--${name}: ${colours[at]};`)
    .join(' ')

/**
 * The colours as CSS custom properties. They are declared once for each colour scheme, because some phones do not
 * support `light-dark()`.
 */
export const TOKENS = `:root { color-scheme: light dark; ${declared(0)} }
@media (prefers-color-scheme: dark) { :root { ${declared(1)} } }
`

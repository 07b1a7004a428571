import type { Spoken } from './languages.js'

/** HTML that is safe to send: text went through {@link html}, which escapes. */
export class Html {
  constructor(readonly text: string) {}
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)

type Part = Html | string | number | undefined | false | readonly Part[]

function rendered(part: Part): string {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map(rendered).join('')
  return part === undefined || part === false ? '' : escaped(String(part))
}

/** A template of HTML: every value is escaped unless it is HTML itself; undefined and false are nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(strings.reduce((text, string, index) => text + rendered(values[index - 1]) + string))
}

/** A text with its language, so that it is read out as what it is (WCAG 2.2, 3.1.2). */
export const spoken = ({ text, lang }: Spoken): Html =>
  lang === undefined ? html`${text}` : html`<span lang="${lang}">${text}</span>`

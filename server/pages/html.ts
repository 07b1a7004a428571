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

import { changesDirection, withDirectionControls, withoutDirectionControls } from '../protocol/text-direction.js'
import type { Spoken } from './languages.js'

/** HTML that is safe to send, because {@link html} has escaped all texts. */
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

/**
 * The kind of place that a value has in a template. `text`: text that people see, where elements are allowed. `words`:
 * text that people see, where no elements are allowed, for example in a title. `value`: other attributes and fields.
 * Their value stays unchanged, but direction controls are written as escapes, so that they cannot mislead a reader of
 * the source.
 */
type Place = 'text' | 'words' | 'value'

/** Attributes whose values people see or hear. */
const WORDS = new Set(['alt', 'title', 'aria-label'])

/** @param before the template's text before the value, without the values in it */
function placeAfter(before: string): Place {
  const [, attribute] = /([\w-]+)="[^"<>]*$/.exec(before) ?? []
  if (attribute !== undefined) return WORDS.has(attribute) ? 'words' : 'value'
  const [, element] = /<(title|option|textarea)\b[^<]*$/.exec(before) ?? []
  if (element === undefined) return 'text'
  return element === 'textarea' ? 'value' : 'words'
}

/** The places of each template, computed once. */
const PLACES = new WeakMap<TemplateStringsArray, readonly Place[]>()

function placesOf(strings: TemplateStringsArray): readonly Place[] {
  const known = PLACES.get(strings)
  if (known !== undefined) return known
  const places = strings.map((_, at) => placeAfter(strings.slice(0, at + 1).join('')))
  PLACES.set(strings, places)
  return places
}

/**
 * Escapes a text and removes the characters that control its direction. A right-to-left text does not change the
 * direction of the text next to it.
 */
function shown(text: string, place: Place): string {
  if (!changesDirection(text)) return escaped(text)
  if (place === 'value') return withDirectionControls(escaped(text), (code) => `&#${code};`)
  const safe = escaped(withoutDirectionControls(text))
  return place === 'text' ? `<bdi>${safe}</bdi>` : safe
}

function rendered(part: Part, place: Place): string {
  if (part instanceof Html) return part.text
  if (Array.isArray(part)) return part.map((each) => rendered(each, place)).join('')
  return part === undefined || part === false ? '' : shown(String(part), place)
}

/**
 * Makes HTML from a template. Every value is escaped unless it is HTML itself. The values undefined and false add
 * nothing. A text cannot change the order of the text next to it, and cannot look like a different text
 * (`protocol/text-direction.ts`).
 */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  const places = placesOf(strings)
  return new Html(
    strings.reduce((text, string, index) => text + rendered(values[index - 1], places[index - 1] ?? 'text') + string),
  )
}

/** Makes the HTML of a text with its language, so that screen readers pronounce it correctly (WCAG 2.2, 3.1.2). */
export const spoken = ({ text, lang }: Spoken): Html =>
  lang === undefined ? html`${text}` : html`<span lang="${lang}">${text}</span>`

import { changesDirection, withDirectionControls, withoutDirectionControls } from '../protocol/text-direction.js'
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

/**
 * Where a value stands in a template. In `text` it may have elements around it, in `words` none, as in a title. People are shown
 * both; in other attributes and in a field a value stays what it is, though nobody who reads the source is misled by it.
 */
type Place = 'text' | 'words' | 'value'

/** Attributes that people are shown, or told. */
const WORDS = new Set(['alt', 'title', 'aria-label'])

/** @param before the template up to the value, without other values */
function placeAfter(before: string): Place {
  const [, attribute] = /([\w-]+)="[^"<>]*$/.exec(before) ?? []
  if (attribute !== undefined) return WORDS.has(attribute) ? 'words' : 'value'
  const [, element] = /<(title|option|textarea)\b[^<]*$/.exec(before) ?? []
  if (element === undefined) return 'text'
  return element === 'textarea' ? 'value' : 'words'
}

/** The places of each template, found once. */
const PLACES = new WeakMap<TemplateStringsArray, readonly Place[]>()

function placesOf(strings: TemplateStringsArray): readonly Place[] {
  const known = PLACES.get(strings)
  if (known !== undefined) return known
  const places = strings.map((_, at) => placeAfter(strings.slice(0, at + 1).join('')))
  PLACES.set(strings, places)
  return places
}

/** A text without characters that control its direction. A script from right to left turns nothing beside the text. */
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
 * A template of HTML: every value is escaped unless it is HTML itself; undefined and false are nothing. A text cannot change the
 * order of what stands around it, nor be read as another one (`protocol/text-direction.ts`).
 */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  const places = placesOf(strings)
  return new Html(
    strings.reduce((text, string, index) => text + rendered(values[index - 1], places[index - 1] ?? 'text') + string),
  )
}

/** A text with its language, so that it is read out as what it is (WCAG 2.2, 3.1.2). */
export const spoken = ({ text, lang }: Spoken): Html =>
  lang === undefined ? html`${text}` : html`<span lang="${lang}">${text}</span>`

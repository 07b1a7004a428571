import type { Spoken } from '../../../pages/languages.js'
import type { JsonObject } from '../../../protocol/json/json-object.js'
import { pointerTo } from '../../../protocol/json/json-pointer.js'
import { pathKey } from '../../../protocol/json-schema/declared-claims.js'
import * as form from '../../../protocol/json-schema/form.js'
import { linearPattern } from '../../../protocol/json-schema/linear-regexp.js'

/** A form field for one claim. */
export type Field = form.FormField<Spoken>
export type FormPart = form.FormPart<Spoken>
type FieldKind = Field['kind']

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/**
 * The form of a JSON Schema.
 *
 * @param titles the titles of claims by `pathKey`; a claim without a title is shown by its name
 */
export const formOf = (schema: JsonObject, titles: ReadonlyMap<string, Spoken>): readonly FormPart[] =>
  form.formOf(schema, {
    titleOf: (path) => titles.get(pathKey(path)) ?? { text: path.at(-1) ?? '' },
    pattern: linearPattern,
  })

/** Every field of a form, in the order of the form. */
export const fieldsOf = (parts: readonly FormPart[]): readonly Field[] => form.fieldsOf(parts)

/** The name of a field's parameter: the JSON Pointer of its claim (RFC 6901). */
export const nameOf = ({ path }: Field): string => pointerTo(path)

/** The values of a sent form, by field name. */
export type Filled = Readonly<Record<string, unknown>>

export const filledIn = (filled: Filled, field: Field): string => textOf(filled[nameOf(field)]) ?? ''

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The number that the text holds. Any other text is returned unchanged, and the schema refuses the text. */
const numberOf = (text: string): unknown =>
  /^\s*[-+.\d]/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text

/** The form value of a choice: its JSON. */
export const choiceText = (choice: unknown): string => JSON.stringify(choice)

const asTyped = (text: string): unknown => text

const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

const READERS: Readonly<Record<FieldKind, (text: string) => unknown>> = {
  text: asTyped,
  // Browsers send CRLF (HTML, "constructing the entry list").
  long: (text) => text.replaceAll('\r\n', '\n'),
  date: asTyped,
  dateTime: asTyped,
  time: asTyped,
  email: asTyped,
  link: asTyped,
  number: numberOf,
  integer: numberOf,
  boolean: parsed,
  choice: parsed,
  lines: linesOf,
  numbers: (text) => linesOf(text).map(numberOf),
  json: parsed,
}

/** The claims of a filled form. An empty field adds no claim. The schema checks the claims later. */
export function claimsOf(parts: readonly FormPart[], filled: Filled): Record<string, unknown> {
  const entries = parts.flatMap((part): [string, unknown][] => {
    const name = part.path.at(-1) ?? ''
    if (part.kind === 'group') {
      const inner = claimsOf(part.parts, filled)
      return part.needed || Object.keys(inner).length > 0 ? [[name, inner]] : []
    }
    const text = filledIn(filled, part)
    return text === '' ? [] : [[name, READERS[part.kind](text)]]
  })
  return Object.fromEntries(entries)
}

/** The problems of a form: by field name, and about the whole form. */
export interface FormProblems {
  readonly byField: ReadonlyMap<string, string>
  readonly others: readonly string[]
}

/** Finds the field of each message. A message begins with `member` and the dotted path of the claim. */
export function problemsOf(parts: readonly FormPart[], messages: readonly string[], member: string): FormProblems {
  const byLength = [...fieldsOf(parts)].sort((one, other) => other.path.length - one.path.length)
  const byField = new Map<string, string>()
  const others: string[] = []
  for (const message of messages) {
    const found = byLength
      .map((field) => ({ name: nameOf(field), start: [member, ...field.path].join('.') }))
      .find(({ start }) => message.startsWith(`${start} `) || message.startsWith(`${start}.`))
    if (found === undefined) others.push(message.replace(new RegExp(`^${member}[. ]`), ''))
    else if (!byField.has(found.name)) byField.set(found.name, message.slice(found.start.length + 1))
  }
  return { byField, others }
}

import type { Spoken } from '../../../pages/languages.js'
import { isObject, type JsonObject, objectOf } from '../../../protocol/json/json-object.js'
import { pathKey } from '../../schemas/claims.js'

/** How a claim is asked for. `lines`: one element a line; `json`: whatever has no other form, as JSON. */
export type FieldKind = 'text' | 'long' | 'date' | 'number' | 'boolean' | 'choice' | 'lines' | 'json'

/** One claim to fill in. */
export interface Field {
  /** JSON pointer (RFC 6901) of the claim: the name of its parameter. */
  readonly name: string
  readonly path: readonly string[]
  readonly title: Spoken
  readonly description: string | undefined
  readonly kind: FieldKind
  readonly required: boolean
  /** The values of a choice. */
  readonly choices: readonly unknown[]
}

/** The claims of an object, under its title. */
export interface FieldGroup {
  readonly key: string
  readonly title: Spoken
  readonly required: boolean
  readonly parts: readonly FormPart[]
}

export type FormPart = Field | FieldGroup

const MAX_DEPTH = 8
const MAX_LENGTH_OF_A_LINE = 200

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The type of a property; of several the first that is a value. */
const typeOf = ({ type }: JsonObject): unknown => (Array.isArray(type) ? type.find((name) => name !== 'null') : type)

function choicesOf(property: JsonObject): readonly unknown[] {
  if (Array.isArray(property.enum)) return property.enum
  return 'const' in property ? [property.const] : []
}

function textKind({ format, maxLength }: JsonObject): FieldKind {
  if (format === 'date') return 'date'
  return typeof maxLength === 'number' && maxLength > MAX_LENGTH_OF_A_LINE ? 'long' : 'text'
}

function kindOf(property: JsonObject): FieldKind {
  if (choicesOf(property).length > 0) return 'choice'
  const type = typeOf(property)
  if (type === 'string') return textKind(property)
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'boolean') return 'boolean'
  const lines = type === 'array' && typeOf(objectOf(property.items)) === 'string'
  return lines ? 'lines' : 'json'
}

const pointerOf = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/**
 * The form of a JSON Schema: a field for each property that it declares, a group for each object.
 *
 * @param titles what claims are called, by `pathKey`; the others by their names
 * @param needed whether everything above is required
 */
export function formOf(
  schema: JsonObject,
  titles: ReadonlyMap<string, Spoken>,
  above: readonly string[] = [],
  needed = true,
): readonly FormPart[] {
  const mandatory = new Set(Array.isArray(schema.required) ? schema.required : [])
  return Object.entries(objectOf(schema.properties)).map(([key, value]) => {
    const property = objectOf(value)
    const path = [...above, key]
    const required = needed && mandatory.has(key)
    const title = titles.get(pathKey(path)) ?? { text: key }
    if (typeOf(property) === 'object' && isObject(property.properties) && path.length < MAX_DEPTH)
      return { key, title, required, parts: formOf(property, titles, path, required) }
    const kind = kindOf(property)
    const description = textOf(property.description)
    return { name: pointerOf(path), path, title, description, kind, required, choices: choicesOf(property) }
  })
}

/** Every field of a form, in its order. */
export const fieldsOf = (parts: readonly FormPart[]): readonly Field[] =>
  parts.flatMap((part) => ('parts' in part ? fieldsOf(part.parts) : [part]))

/** What was filled in, by the names of fields. */
export type Filled = Readonly<Record<string, unknown>>

export const filledIn = (filled: Filled, { name }: Field): string => textOf(filled[name]) ?? ''

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A number where the text is one; else the text, which the schema refuses. */
const numberOf = (text: string): unknown =>
  /^\s*[-+.\d]/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text

/** The text by which a choice is sent: its JSON. */
export const choiceText = (choice: unknown): string => JSON.stringify(choice)

const READERS: Readonly<Record<FieldKind, (text: string) => unknown>> = {
  text: (text) => text,
  // Browsers send CRLF (HTML, "constructing the entry list").
  long: (text) => text.replaceAll('\r\n', '\n'),
  date: (text) => text,
  number: numberOf,
  boolean: parsed,
  choice: parsed,
  lines: (text) =>
    text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  json: parsed,
}

/**
 * The claims that were filled in; what was left empty is no claim. Whether they are good is for the schema to say.
 */
export function claimsOf(parts: readonly FormPart[], filled: Filled): Record<string, unknown> {
  const entries = parts.flatMap((part): [string, unknown][] => {
    if ('parts' in part) {
      const inner = claimsOf(part.parts, filled)
      return part.required || Object.keys(inner).length > 0 ? [[part.key, inner]] : []
    }
    const text = filledIn(filled, part)
    return text === '' ? [] : [[part.path.at(-1) ?? '', READERS[part.kind](text)]]
  })
  return Object.fromEntries(entries)
}

/** What is wrong with a form: beside a field by its name, and about all of it. */
export interface FormProblems {
  readonly byField: ReadonlyMap<string, string>
  readonly others: readonly string[]
}

/** Finds the field of each message, which begins with `member` and the dotted path of the claim. */
export function problemsOf(parts: readonly FormPart[], messages: readonly string[], member: string): FormProblems {
  const byLength = [...fieldsOf(parts)].sort((one, other) => other.path.length - one.path.length)
  const byField = new Map<string, string>()
  const others: string[] = []
  for (const message of messages) {
    const found = byLength
      .map(({ name, path }) => ({ name, start: `${[member, ...path].join('.')}` }))
      .find(({ start }) => message.startsWith(`${start} `) || message.startsWith(`${start}.`))
    if (found === undefined) others.push(message.replace(new RegExp(`^${member}[. ]`), ''))
    else if (!byField.has(found.name)) byField.set(found.name, message.slice(found.start.length + 1))
  }
  return { byField, others }
}

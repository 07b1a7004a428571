import type { Spoken } from '../../../pages/languages.js'
import { isObject, type JsonObject } from '../../../protocol/json/json-object.js'
import { EACH, SchemaPlace } from '../../../protocol/json-schema/applicable.js'
import { Work } from '../../../protocol/work.js'
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

/** The one type that values have by their schemas, beside null; undefined where there are several or none. */
function typeOf(place: SchemaPlace): unknown {
  const types = new Set(place.said('type').flat())
  types.delete('null')
  if (types.has('number')) types.delete('integer')
  const [type, ...others] = types
  return others.length === 0 ? type : undefined
}

const constOf = (schema: unknown): readonly unknown[] => (isObject(schema) && 'const' in schema ? [schema.const] : [])

/** The values that a schema names by itself: a list, one, or one in each branch. */
function valuesNamedBy(schema: JsonObject): readonly unknown[] {
  if (Array.isArray(schema.enum)) return schema.enum
  if ('const' in schema) return [schema.const]
  const branches = Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : []
  const values = branches.flatMap(constOf)
  return values.length === branches.length ? values : []
}

const choicesOf = ({ schemas }: SchemaPlace): readonly unknown[] =>
  schemas
    .flatMap(({ schema, certain }) => (certain ? [valuesNamedBy(schema)] : []))
    .find((named) => named.length > 0) ?? []

/** What all schemas say by a keyword, where they say the same. */
function agreed(place: SchemaPlace, keyword: string): unknown {
  const [first, ...others] = new Set(place.said(keyword))
  return others.length === 0 ? first : undefined
}

function textKind(place: SchemaPlace): FieldKind {
  if (agreed(place, 'format') === 'date') return 'date'
  const [maxLength] = place.said('maxLength')
  return typeof maxLength === 'number' && maxLength > MAX_LENGTH_OF_A_LINE ? 'long' : 'text'
}

function kindOf(place: SchemaPlace): FieldKind {
  if (choicesOf(place).length > 0) return 'choice'
  const type = typeOf(place)
  if (type === 'string') return textKind(place)
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'boolean') return 'boolean'
  return type === 'array' && typeOf(place.item(EACH)) === 'string' ? 'lines' : 'json'
}

const pointerOf = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/**
 * The form of a JSON Schema: a field for each property that it declares, a group for each object.
 *
 * @param titles what claims are called, by `pathKey`; the others by their names
 */
export const formOf = (schema: JsonObject, titles: ReadonlyMap<string, Spoken>): readonly FormPart[] =>
  // The schema was paid for when it was posted.
  partsOf(SchemaPlace.root(schema, new Work(Number.POSITIVE_INFINITY)), titles, [], true)

/** @param needed whether everything above is required */
function partsOf(
  place: SchemaPlace,
  titles: ReadonlyMap<string, Spoken>,
  above: readonly string[],
  needed: boolean,
): readonly FormPart[] {
  return place.names.map((key) => {
    const member = place.member(key)
    const path = [...above, key]
    const required = needed && place.requires(key)
    const title = titles.get(pathKey(path)) ?? { text: key }
    const isGroup = typeOf(member) === 'object' && member.names.length > 0 && !member.isRecursive
    if (isGroup && path.length < MAX_DEPTH)
      return { key, title, required, parts: partsOf(member, titles, path, required) }
    const description = textOf(member.said('description').find((each) => typeof each === 'string'))
    return {
      name: pointerOf(path),
      path,
      title,
      description,
      kind: kindOf(member),
      required,
      choices: choicesOf(member),
    }
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

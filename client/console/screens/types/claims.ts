import type { SchemaPlace } from '../../../../server/protocol/json-schema/applicable.js'
import { pathKey } from '../../../../server/protocol/json-schema/declared-claims.js'
import type { FieldKind } from '../../../../server/protocol/json-schema/form.js'
import { type Part, planOf } from '../../ui/schema-form/plan.js'
import { ifSound, walked } from '../../ui/schema-walk.js'

/** A JSON object, such as a JSON Schema. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The types of claims in the table. `group` contains further claims; `other` is a type that only JSON Schema can express. */
export const KINDS = [
  'text',
  'date',
  'dateTime',
  'email',
  'link',
  'number',
  'integer',
  'boolean',
  'group',
  'other',
] as const
export type Kind = (typeof KINDS)[number]

/** A claim as a row of the table. */
export interface ClaimRow {
  /** The claim's name. Within a group, the names from the top with dots: `price.amount`. */
  path: string
  /** Title in the type's first language. */
  title: string
  /**
   * Titles in the type's other languages, in the order of the languages. Missing titles at the end of the list are left
   * out.
   */
  further: string[]
  kind: Kind
  required: boolean
  /** Whether the holder may withhold the claim. */
  selective: boolean
  /** The allowed values, separated by commas; empty if every value is allowed. */
  values: string
  /** The members of the claim's schema that have no column in the table. */
  rest: JsonObject
}

const KEYWORDS: Readonly<Record<Exclude<Kind, 'other'>, JsonObject>> = {
  text: { type: 'string' },
  date: { type: 'string', format: 'date' },
  dateTime: { type: 'string', format: 'date-time' },
  email: { type: 'string', format: 'email' },
  link: { type: 'string', format: 'uri' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  group: { type: 'object' },
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === 'string'
const textOf = (value: unknown): string => (isText(value) ? value : '')
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function kindOf({ type, format, properties }: JsonObject): Kind {
  if (type === 'object') return isObject(properties) ? 'group' : 'other'
  const known = Object.entries(KEYWORDS).find(([, words]) => words.type === type && words.format === format)
  if (known !== undefined) return known[0] as Kind
  return type === 'string' ? 'text' : 'other'
}

/** Whether a list with commas can represent the values: no value contains a comma. */
const isListable = (values: unknown): boolean => listOf(values).every((value) => isText(value) && !value.includes(','))

function rowOf(path: string, property: JsonObject, required: boolean, selective: boolean): ClaimRow {
  const found = kindOf(property)
  const kind = isListable(property.enum) || found === 'other' ? found : 'other'
  if (kind === 'other') {
    const { title, ...rest } = property
    return { path, title: textOf(title), further: [], kind, required, selective, values: '', rest }
  }
  const { title, type: _type, properties: _properties, required: _required, enum: values, ...rest } = property
  const { format, ...further } = rest
  const isShown = format === KEYWORDS[kind].format
  return {
    path,
    title: textOf(title),
    further: [],
    kind,
    required,
    selective,
    values: listOf(values).join(', '),
    rest: isShown ? further : rest,
  }
}

/** Whether a table can show the claims of an object: the object's own `properties` declare all of them. */
function isWhole(owner: JsonObject, place: SchemaPlace): boolean {
  const own = Object.keys(isObject(owner.properties) ? owner.properties : {})
  return place.names.every((name) => own.includes(name))
}

/**
 * Returns the rows for the claims of a schema. Claims of a group follow the row of the group. Returns undefined if the
 * table cannot show the schema, because a reference or a combination adds claims to an object. The schema is then
 * edited as JSON.
 */
export function rowsOf(schema: JsonObject, selective: readonly string[] | undefined): ClaimRow[] | undefined {
  const mayWithhold = (path: string) => selective?.includes(path) ?? !path.includes('.')
  const below = (owner: JsonObject, place: SchemaPlace, prefix: string): ClaimRow[] | undefined => {
    if (!isWhole(owner, place)) return undefined
    const required = listOf(owner.required)
    const rows: ClaimRow[] = []
    for (const [name, property] of Object.entries(isObject(owner.properties) ? owner.properties : {})) {
      if (name.includes('.') || name === '' || !isObject(property)) return undefined
      const path = `${prefix}${name}`
      const row = rowOf(path, property, required.includes(name), mayWithhold(path))
      const inner = row.kind === 'group' ? below(property, place.member(name), `${path}.`) : []
      if (inner === undefined) return undefined
      rows.push(row, ...inner)
    }
    return rows
  }
  if (schema.type !== undefined && schema.type !== 'object') return undefined
  return ifSound(() => below(schema, walked(schema), ''))
}

const KINDS_OF_FIELDS: Readonly<Record<FieldKind, Kind>> = {
  text: 'text',
  long: 'text',
  choice: 'text',
  time: 'text',
  date: 'date',
  dateTime: 'dateTime',
  email: 'email',
  link: 'link',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  lines: 'other',
  numbers: 'other',
  json: 'other',
}

/** The parts of a claim that a read-only table shows. */
export type ShownClaim = Pick<ClaimRow, 'path' | 'title' | 'kind' | 'required' | 'selective' | 'values'>

/**
 * All claims of a schema for a read-only table, also the claims that references and combinations declare.
 *
 * @param titles titles of claims, by `pathKey`
 */
export function shownClaims(
  schema: JsonObject,
  selective: readonly string[] | undefined,
  titles: ReadonlyMap<string, string>,
): ShownClaim[] {
  const shown = (part: Part): ShownClaim[] => {
    const { path: names, required } = part
    const path = names.join('.')
    const about = {
      path,
      title: titles.get(pathKey(names)) ?? '',
      required,
      selective: selective?.includes(path) ?? names.length === 1,
    }
    if (part.kind === 'group') return [{ ...about, kind: 'group', values: '' }, ...part.parts.flatMap(shown)]
    return [{ ...about, kind: KINDS_OF_FIELDS[part.kind], values: part.choices.map(String).join(', ') }]
  }
  return planOf(schema).flatMap(shown)
}

const valuesOf = (values: string): string[] =>
  values
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '')

function propertyOf({ title, kind, values, rest }: ClaimRow, within: JsonObject): JsonObject {
  const titled = title.trim() === '' ? {} : { title: title.trim() }
  if (kind === 'other') return { ...titled, ...rest }
  const listed = valuesOf(values)
  return {
    ...titled,
    ...KEYWORDS[kind],
    ...rest,
    ...(listed.length > 0 && kind === 'text' ? { enum: listed } : {}),
    ...(kind === 'group' ? within : {}),
  }
}

/** The members `properties` and `required` of an object's schema, made from the rows. */
function membersOf(rows: readonly ClaimRow[], prefix: string): JsonObject {
  const named = rows.filter(({ path }) => path.startsWith(prefix) && path.length > prefix.length)
  const names = [...new Set(named.map(({ path }) => path.slice(prefix.length).split('.', 1)[0] ?? ''))]
  const required: string[] = []
  const properties = names.map((name) => {
    const path = `${prefix}${name}`
    // A user may enter `price.amount` without a row for the group `price`.
    const row = named.find((each) => each.path === path) ?? {
      ...emptyRow(),
      path,
      kind: 'group',
    }
    if (row.required) required.push(name)
    return [name, propertyOf(row, membersOf(rows, `${path}.`))]
  })
  return { properties: Object.fromEntries(properties), ...(required.length > 0 ? { required } : {}) }
}

/** Makes the JSON Schema for the rows. All members of the schema that are not about claims come from `base`. */
export function schemaOf(rows: readonly ClaimRow[], base: JsonObject): JsonObject {
  const { properties: _properties, required: _required, ...rest } = base
  const trimmed = rows.map((row) => ({ ...row, path: row.path.trim() })).filter(({ path }) => path !== '')
  return { ...rest, type: 'object', ...membersOf(trimmed, '') }
}

/** The claims that the holder may withhold, as `selectivelyDisclosable` names them. */
export const selectiveOf = (rows: readonly ClaimRow[]): string[] =>
  rows.filter(({ path, selective }) => selective && path.trim() !== '').map(({ path }) => path.trim())

export function emptyRow(): ClaimRow {
  return { path: '', title: '', further: [], kind: 'text', required: false, selective: true, values: '', rest: {} }
}

/** The schema with which a new credential type begins. */
export const EMPTY_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
}

/** The parts of a row that are compared: the columns of the table, and the members of the schema without a column. */
const PARTS = ['title', 'further', 'kind', 'values', 'required', 'selective', 'rest'] as const
export type ClaimPart = (typeof PARTS)[number]

/** A claim that differs between two versions, with the changed parts. */
export interface Difference {
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly parts?: readonly ClaimPart[]
}

/** The claims that differ between two schemas. */
export function differences(before: readonly ClaimRow[], after: readonly ClaimRow[]): Difference[] {
  const old = new Map(before.map((row) => [row.path, row]))
  const now = new Map(after.map((row) => [row.path, row]))
  const added = [...now.keys()].filter((path) => !old.has(path)).map((path) => ({ path, change: 'added' as const }))
  return [...old]
    .flatMap(([path, row]): Difference[] => {
      const other = now.get(path)
      if (other === undefined) return [{ path, change: 'removed' }]
      const parts = PARTS.filter((part) => JSON.stringify(row[part]) !== JSON.stringify(other[part]))
      return parts.length === 0 ? [] : [{ path, change: 'changed', parts }]
    })
    .concat(added)
}

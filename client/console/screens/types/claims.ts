import type { SchemaPlace } from '../../../../server/protocol/json-schema/applicable.js'
import { ifSound, walked } from '../../ui/schema-walk.js'
import { type ClaimPath, EACH_ELEMENT } from './paths.js'

/** A JSON object, such as a JSON Schema. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The types of claims in the table. */
export const KINDS = [
  'text',
  'date',
  'dateTime',
  'time',
  'email',
  'link',
  'number',
  'integer',
  'boolean',
  /** An image as a data URI. */
  'image',
  /** The bytes of an image in base64. */
  'portrait',
  /** An object with further claims. */
  'group',
  /** A type that only JSON Schema can express. */
  'other',
] as const
export type Kind = (typeof KINDS)[number]

/** A data element of a mobile document (ISO/IEC 18013-5 §8.3.2.1.2.2). */
export interface MdocElement {
  namespace: string
  element: string
}

/** A claim as a row of the table, with the settings that its JSON Schema cannot hold. */
export interface ClaimRow {
  /** The claim's name. Within a group or a list of groups, the names from the top with dots: `price.amount`. */
  path: string
  /** Title in the type's first language. */
  title: string
  /**
   * Titles in the type's other languages, in the order of the languages. Missing titles at the end of the list are left
   * out.
   */
  further: string[]
  kind: Kind
  /** Whether the claim is a list of values of its kind. */
  several: boolean
  required: boolean
  /** Whether the holder may withhold the claim. */
  selective: boolean
  /** Whether the holder may withhold each element of a list. */
  eachSelective: boolean
  /** The allowed values, separated by commas; empty if every value is allowed. */
  values: string
  /** The titles of the allowed values, by position. */
  valueTitles: string[]
  description: string
  /** A JSON Pointer into the claims of the sign-in; empty if the sign-in does not give the claim. */
  signIn: string
  /** The data elements of the mobile document that have the value of the claim. */
  elements: MdocElement[]
  /** The members of the claim's schema that have no column in the table; of a list: of the schema of its elements. */
  rest: JsonObject
  /** The members of the schema of a list that have no column in the table. */
  listRest: JsonObject
  /** The claim's path, as a key, when the table was made from a schema; empty for a new row. */
  from: string
}

const KEYWORDS: Readonly<Record<Exclude<Kind, 'other'>, JsonObject>> = {
  text: { type: 'string' },
  date: { type: 'string', format: 'date' },
  dateTime: { type: 'string', format: 'date-time' },
  time: { type: 'string', format: 'time' },
  email: { type: 'string', format: 'email' },
  link: { type: 'string', format: 'uri' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  image: { type: 'string', format: 'uri', pattern: '^data:image/' },
  portrait: { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/jpeg' },
  group: { type: 'object' },
}

/** The types whose allowed values the table can list. */
export const VALUED: ReadonlySet<Kind> = new Set<Kind>(['text', 'number', 'integer'])

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === 'string'
const textOf = (value: unknown): string => (isText(value) ? value : '')
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const propertiesOf = ({ properties }: JsonObject): JsonObject => (isObject(properties) ? properties : {})

/** Whether the text in a claim is an image: a data URI, or the bytes in base64. */
function imageKindOf({ format, pattern, contentEncoding, contentMediaType }: JsonObject): Kind | undefined {
  if (format === 'uri' && textOf(pattern).startsWith('^data:image/')) return 'image'
  const isBase64 = contentEncoding === 'base64' && textOf(contentMediaType).startsWith('image/')
  return isBase64 && format === undefined ? 'portrait' : undefined
}

// The keys of KEYWORDS are kinds.
const KINDS_WITH_WORDS = Object.entries(KEYWORDS) as [Exclude<Kind, 'other'>, JsonObject][]

function kindOf(schema: JsonObject): Kind {
  const { type, format, properties } = schema
  if (type === 'object') return isObject(properties) ? 'group' : 'other'
  if (type !== 'string') return KINDS_WITH_WORDS.find(([, words]) => words.type === type)?.[0] ?? 'other'
  const image = imageKindOf(schema)
  if (image !== undefined) return image
  const known = KINDS_WITH_WORDS.find(
    ([, words]) => words.type === type && words.format === format && Object.keys(words).length < 3,
  )
  return known?.[0] ?? 'text'
}

/** The allowed values of a claim, as the table lists them. */
interface Listed {
  readonly values: string
  readonly valueTitles: string[]
}

const NO_VALUES: Listed = { values: '', valueTitles: [] }

/** Whether a list with commas can represent a value. */
const isListable = (value: unknown, kind: Kind): boolean =>
  kind === 'text'
    ? isText(value) && value !== '' && value === value.trim() && !value.includes(',')
    : typeof value === 'number' && Number.isFinite(value)

/** A branch of `oneOf` that names one value and its title. */
const isTitledValue = (branch: unknown, kind: Kind): boolean =>
  isObject(branch) &&
  isListable(branch.const, kind) &&
  Object.entries(branch).every(([name, value]) => name === 'const' || (name === 'title' && isText(value)))

/** The allowed values in `enum` or `oneOf`; undefined if the table cannot list them. */
function listedIn({ enum: values, oneOf }: JsonObject, kind: Kind): Listed | undefined {
  if (values === undefined && oneOf === undefined) return NO_VALUES
  if (!VALUED.has(kind)) return undefined
  if (oneOf === undefined) {
    const all = listOf(values)
    const isGood = all.length > 0 && all.every((value) => isListable(value, kind))
    return isGood ? { values: all.join(', '), valueTitles: [] } : undefined
  }
  const branches = listOf(oneOf)
  const isGood = values === undefined && branches.length > 0 && branches.every((each) => isTitledValue(each, kind))
  const titled = branches.filter(isObject)
  if (!isGood || titled.every(({ title }) => textOf(title).trim() === '')) return undefined
  return {
    values: titled.map((branch) => String(branch.const)).join(', '),
    valueTitles: titled.map(({ title }) => textOf(title)),
  }
}

type SchemaParts = Pick<ClaimRow, 'kind' | 'values' | 'valueTitles' | 'rest'>

/** The members of a schema that its kind does not already say. */
const restOf = (schema: JsonObject, kind: Exclude<Kind, 'other'>): JsonObject =>
  Object.fromEntries(Object.entries(schema).filter(([name, value]) => KEYWORDS[kind][name] !== value))

/** The columns for a value with this schema. */
function valueParts(schema: JsonObject): SchemaParts {
  const kind = kindOf(schema)
  const listed = listedIn(schema, kind)
  if (kind === 'other' || (VALUED.has(kind) && listed === undefined))
    return { kind: 'other', ...NO_VALUES, rest: schema }
  if (kind === 'group') {
    const { properties: _properties, required: _required, ...rest } = schema
    return { kind, ...NO_VALUES, rest: restOf(rest, kind) }
  }
  // Allowed values of other kinds have no column.
  if (listed === undefined) return { kind, ...NO_VALUES, rest: restOf(schema, kind) }
  const { enum: _enum, oneOf: _oneOf, ...rest } = schema
  return { kind, ...listed, rest: restOf(rest, kind) }
}

/** The schema of the elements of a list that the table can show. */
function elementsOf({ type, items, enum: values, oneOf }: JsonObject): JsonObject | undefined {
  if (type !== 'array' || !isObject(items) || values !== undefined || oneOf !== undefined) return undefined
  return valueParts(items).kind === 'other' ? undefined : items
}

function rowOf(path: string, from: ClaimPath, property: JsonObject, required: boolean): ClaimRow {
  const { title, ...untitled } = property
  const { description, ...others } = untitled
  const isDescribed = isText(description)
  const schema = isDescribed ? others : untitled
  const about = {
    ...emptyRow(),
    path,
    title: textOf(title),
    description: isDescribed ? description : '',
    required,
    selective: false,
    from: JSON.stringify(from),
  }
  const elements = elementsOf(schema)
  if (elements === undefined) return { ...about, ...valueParts(schema) }
  const { type: _type, items: _items, ...listRest } = schema
  return { ...about, several: true, ...valueParts(elements), listRest }
}

/** Whether a table can show the claims of an object: the object's own `properties` declare all of them. */
function isWhole(owner: JsonObject, place: SchemaPlace): boolean {
  const own = Object.keys(propertiesOf(owner))
  return place.names.every((name) => own.includes(name))
}

/**
 * Returns the rows for the claims of a schema. Claims of a group follow the row of the group. Returns undefined if the
 * table cannot show the schema, because a reference or a combination adds claims to an object. The schema is then
 * edited as JSON.
 *
 * @param selective the paths of claims that may be withheld, as the service takes them; undefined for the default
 */
export function rowsOf(schema: JsonObject, selective: readonly string[] | undefined): ClaimRow[] | undefined {
  const mayWithhold = (path: ClaimPath) =>
    selective?.includes(path.map((step) => step ?? EACH_ELEMENT).join('.')) ?? (path.length === 1 && path[0] !== 'id')
  const below = (owner: JsonObject, place: SchemaPlace, prefix: string, above: ClaimPath): ClaimRow[] | undefined => {
    if (!isWhole(owner, place)) return undefined
    const required = listOf(owner.required)
    const rows: ClaimRow[] = []
    for (const [name, property] of Object.entries(propertiesOf(owner))) {
      if (name.includes('.') || name === '' || !isObject(property)) return undefined
      const [path, from] = [`${prefix}${name}`, [...above, name]]
      const row = rowOf(path, from, property, required.includes(name))
      const each = [...from, null]
      const inner =
        row.kind !== 'group'
          ? []
          : row.several
            ? below(elementsOf(property) ?? {}, place.member(name).item(EACH_ELEMENT), `${path}.`, each)
            : below(property, place.member(name), `${path}.`, from)
      if (inner === undefined) return undefined
      rows.push({ ...row, selective: mayWithhold(from), eachSelective: row.several && mayWithhold(each) }, ...inner)
    }
    return rows
  }
  if (schema.type !== undefined && schema.type !== 'object') return undefined
  return ifSound(() => below(schema, walked(schema), '', []))
}

/** The allowed values that the user typed. */
export const valuesOf = (values: string): string[] =>
  values
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '')

function allowedOf({ kind, values, valueTitles }: ClaimRow): JsonObject {
  const listed = VALUED.has(kind) ? valuesOf(values) : []
  if (listed.length === 0) return {}
  const typed = kind === 'text' ? listed : listed.map(Number)
  const titleOf = (at: number) => valueTitles[at]?.trim() ?? ''
  if (!listed.some((_, at) => titleOf(at) !== '')) return { enum: typed }
  return { oneOf: typed.map((value, at) => ({ const: value, ...(titleOf(at) === '' ? {} : { title: titleOf(at) }) })) }
}

function propertyOf(row: ClaimRow, within: JsonObject): JsonObject {
  const { title, description, kind, several, rest, listRest } = row
  const about = {
    ...(title.trim() === '' ? {} : { title: title.trim() }),
    ...(description === '' ? {} : { description }),
  }
  if (kind === 'other') return { ...about, ...rest }
  const value = { ...KEYWORDS[kind], ...rest, ...allowedOf(row), ...(kind === 'group' ? within : {}) }
  return several ? { ...about, type: 'array', items: value, ...listRest } : { ...about, ...value }
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

const trimmed = (rows: readonly ClaimRow[]): ClaimRow[] =>
  rows.map((row) => ({ ...row, path: row.path.trim() })).filter(({ path }) => path !== '')

/** Makes the JSON Schema for the rows. All members of the schema that are not about claims come from `base`. */
export function schemaOf(rows: readonly ClaimRow[], base: JsonObject): JsonObject {
  const { properties: _properties, required: _required, ...rest } = base
  return { ...rest, type: 'object', ...membersOf(trimmed(rows), '') }
}

const OF_KINDS: ReadonlySet<string> = new Set(Object.values(KEYWORDS).flatMap((words) => Object.keys(words)))

/** The rules of a claim that do not depend on its type. */
export const withoutKind = (rest: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(rest).filter(([name]) => !OF_KINDS.has(name)))

/** The path of a row's claim, with `null` for the elements of each list on the way. */
export function pathOfRow(path: string, rows: readonly ClaimRow[]): ClaimPath {
  const names = path.trim().split('.')
  const lists = new Set(rows.filter(({ several }) => several).map((row) => row.path.trim()))
  return names.flatMap((name, at) =>
    at < names.length - 1 && lists.has(names.slice(0, at + 1).join('.')) ? [name, null] : [name],
  )
}

/** The claims that the holder may withhold, as `selectivelyDisclosable` names them. */
export const selectiveOf = (rows: readonly ClaimRow[]): string[] =>
  trimmed(rows).flatMap(({ path, selective, several, eachSelective }) => {
    const dotted = pathOfRow(path, rows)
      .map((step) => step ?? EACH_ELEMENT)
      .join('.')
    return [...(selective ? [dotted] : []), ...(several && eachSelective ? [`${dotted}.${EACH_ELEMENT}`] : [])]
  })

export function emptyRow(): ClaimRow {
  return {
    path: '',
    title: '',
    further: [],
    kind: 'text',
    several: false,
    required: false,
    selective: true,
    eachSelective: false,
    values: '',
    valueTitles: [],
    description: '',
    signIn: '',
    elements: [],
    rest: {},
    listRest: {},
    from: '',
  }
}

/** The schema with which a new credential type begins. */
export const EMPTY_SCHEMA: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
}

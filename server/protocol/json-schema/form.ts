import { valueTitlesAt } from '../credential-card/values.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { Work } from '../work.js'
import { EACH, type PatternReader, SchemaPlace } from './applicable.js'

/**
 * The kind of input for a claim. `lines` and `numbers`: each line is one element. `json`: no other kind fits, so the
 * claim is typed as JSON.
 */
export type FieldKind =
  | 'text'
  | 'long'
  | 'date'
  | 'dateTime'
  | 'time'
  | 'email'
  | 'link'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'choice'
  | 'lines'
  | 'numbers'
  | 'json'

interface OfForm<Title> {
  readonly path: readonly string[]
  readonly title: Title
  /** Whether the claim is required in its group. */
  readonly required: boolean
  /** Whether the claim is required in every case. */
  readonly needed: boolean
}

/** One claim to fill in. */
export interface FormField<Title> extends OfForm<Title> {
  readonly kind: FieldKind
  readonly description: string | undefined
  /** The values of a choice. */
  readonly choices: readonly unknown[]
  /** The titles of the choices, by position. A value without a title is its own title. Absent if no value has a title. */
  readonly choiceTitles?: readonly (string | undefined)[]
}

/** The claims of an object. They are shown under the title of the object. */
export interface FormGroup<Title> extends OfForm<Title> {
  readonly kind: 'group'
  readonly parts: readonly FormPart<Title>[]
}

export type FormPart<Title> = FormField<Title> | FormGroup<Title>

const MAX_DEPTH = 8
const MAX_LENGTH_OF_A_LINE = 200

/** Limit of choices within choices. */
const MAX_CHOICES_WITHIN = 4

const FORMATS: Readonly<Record<string, FieldKind>> = {
  date: 'date',
  'date-time': 'dateTime',
  time: 'time',
  email: 'email',
  uri: 'link',
}

/** The types that the schemas allow, without null. */
function typesOf(place: SchemaPlace): ReadonlySet<unknown> {
  const types = new Set(place.said('type').flat())
  types.delete('null')
  if (types.has('number')) types.delete('integer')
  return types
}

/** The only type that the schemas allow besides null; undefined if there are several or none. */
function typeOf(place: SchemaPlace): unknown {
  const [type, ...others] = typesOf(place)
  return others.length === 0 ? type : undefined
}

const isNull = ({ type }: JsonObject): boolean => type === 'null'

/** The values that a schema names: a list, a single value, or the values of all branches if each branch names some. */
function valuesNamedBy(schema: JsonObject, place: SchemaPlace, depth: number): readonly unknown[] {
  if (Array.isArray(schema.enum)) return schema.enum
  if ('const' in schema) return [schema.const]
  const branches = [schema.oneOf, schema.anyOf].find(Array.isArray) ?? []
  const values = branches
    .filter((branch) => !(isObject(branch) && isNull(branch)))
    .map((branch) => choicesOf(place.branch(branch), depth + 1))
  return values.every((named) => named.length > 0) ? values.flat() : []
}

function choicesOf(place: SchemaPlace, depth = 0): readonly unknown[] {
  if (depth > MAX_CHOICES_WITHIN) return []
  const certain = place.schemas.filter(({ certain }) => certain)
  return certain.map(({ schema }) => valuesNamedBy(schema, place, depth)).find((named) => named.length > 0) ?? []
}

/** Whether a branch lists its own values. */
const hasValues = (schema: JsonObject): boolean => ['type', 'const', 'enum'].some((keyword) => keyword in schema)

/** The format that every text at this place must have: a certain format, or the format that all branches require. */
function formatOf({ schemas }: SchemaPlace): unknown {
  const certain = schemas.filter((each) => each.certain && 'format' in each.schema)
  const branches = schemas.filter((each) => !each.certain && hasValues(each.schema) && !isNull(each.schema))
  const speaking = certain.length > 0 ? certain : branches
  const [format, ...others] = new Set(speaking.map(({ schema }) => schema.format))
  return others.length === 0 ? format : undefined
}

function textKind(place: SchemaPlace): FieldKind {
  const format = formatOf(place)
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) return FORMATS[format] ?? 'text'
  const [maxLength] = place.said('maxLength')
  return typeof maxLength === 'number' && maxLength > MAX_LENGTH_OF_A_LINE ? 'long' : 'text'
}

function elementKind(elements: SchemaPlace): FieldKind {
  const type = typeOf(elements)
  if (type === 'string') return 'lines'
  return type === 'number' || type === 'integer' ? 'numbers' : 'json'
}

function kindOf(place: SchemaPlace, choices: readonly unknown[]): FieldKind {
  if (choices.length > 0) return 'choice'
  const type = typeOf(place)
  switch (type) {
    case 'string':
      return textKind(place)
    case 'number':
    case 'integer':
    case 'boolean':
      return type
    case 'array':
      return elementKind(place.item(EACH))
    default:
      return 'json'
  }
}

function descriptionOf(place: SchemaPlace): string | undefined {
  return place.said('description').find((each) => typeof each === 'string')
}

/** The functions that are needed to make a form. */
export interface FormMaking<Title> {
  /** Title of a claim. */
  readonly titleOf: (path: readonly string[]) => Title
  readonly pattern: PatternReader
}

/**
 * Makes the form for a JSON Schema: a field for each property that the schema declares, and a group for each object. It
 * uses the shared walk over schemas, so that it includes properties behind references, combinations and conditions.
 *
 * @param schema a schema that was accepted before; the walk has its own limit
 * @throws JsonSchemaError for a reference that leads nowhere
 */
export function formOf<Title>(schema: JsonObject, making: FormMaking<Title>): readonly FormPart<Title>[] {
  return partsOf(SchemaPlace.root(schema, new Work(Number.POSITIVE_INFINITY), making.pattern), making, [], true)
}

/** @param needed whether all parents are required */
function partsOf<Title>(
  place: SchemaPlace,
  making: FormMaking<Title>,
  above: readonly string[],
  needed: boolean,
): readonly FormPart<Title>[] {
  return place.names.map((name): FormPart<Title> => {
    const [member, path, required] = [place.member(name), [...above, name], place.requires(name)]
    const about = { path, title: making.titleOf(path), required, needed: needed && required }
    const isGroup = typeOf(member) === 'object' && member.names.length > 0 && !member.isRecursive
    if (isGroup && path.length < MAX_DEPTH)
      return { ...about, kind: 'group', parts: partsOf(member, making, path, about.needed) }
    const choices = choicesOf(member)
    const titles = choices.length === 0 ? undefined : valueTitlesAt(member)
    const choiceTitles = choices.map((value) => titles?.get(JSON.stringify(value)))
    const titled = choiceTitles.some((title) => title !== undefined) ? { choiceTitles } : {}
    return { ...about, kind: kindOf(member, choices), description: descriptionOf(member), choices, ...titled }
  })
}

/** Every field of a form, in its order. */
export const fieldsOf = <Title>(parts: readonly FormPart<Title>[]): readonly FormField<Title>[] =>
  parts.flatMap((part) => (part.kind === 'group' ? fieldsOf(part.parts) : [part]))

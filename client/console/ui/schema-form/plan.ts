/** A JSON object, as schemas and subjects are. */
export type JsonObject = Readonly<Record<string, unknown>>

export type ControlKind =
  | 'text'
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
  | 'json'

/** A claim that is filled in by one control. */
export interface Control {
  readonly kind: ControlKind
  /** Its field in the form: names of claims may have any character, those of fields not. */
  readonly field: string
  readonly path: readonly string[]
  readonly label: string
  readonly hint: string | undefined
  /** Whether it must be given wherever its group is. */
  readonly required: boolean
  readonly schema: JsonObject
}

/** Claims that belong together. */
export interface Group {
  readonly kind: 'group'
  readonly path: readonly string[]
  readonly label: string
  readonly required: boolean
  readonly parts: readonly Part[]
}

export type Part = Control | Group

/** What was typed, by field. */
export type Typed = Readonly<Record<string, string | boolean | undefined>>

/** As deep as forms go; what lies deeper is written as JSON. */
const MAX_DEPTH = 4

const FORMATS: Readonly<Record<string, ControlKind>> = {
  date: 'date',
  'date-time': 'dateTime',
  time: 'time',
  email: 'email',
  uri: 'link',
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** A schema whose meaning hangs on more than its own keywords is written as JSON. */
const isPlain = (schema: JsonObject): boolean =>
  !['$ref', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'const'].some((keyword) => keyword in schema)

function kindOf(schema: JsonObject): ControlKind {
  if (!isPlain(schema)) return 'json'
  if (Array.isArray(schema.enum)) return 'choice'
  switch (schema.type) {
    case 'string':
      return FORMATS[textOf(schema.format) ?? ''] ?? 'text'
    case 'number':
    case 'integer':
    case 'boolean':
      return schema.type
    case 'array': {
      const items = isObject(schema.items) ? schema.items : {}
      return isPlain(items) && ['string', 'number', 'integer'].includes(String(items.type)) ? 'lines' : 'json'
    }
    default:
      return 'json'
  }
}

/** The controls and groups that a schema of an object makes. */
export function planOf(schema: JsonObject): Part[] {
  let made = 0
  const below = (owner: JsonObject, path: readonly string[]): Part[] => {
    const required = Array.isArray(owner.required) ? owner.required : []
    return Object.entries(isObject(owner.properties) ? owner.properties : {}).map(([name, given]): Part => {
      const property = isObject(given) ? given : {}
      const here = [...path, name]
      const about = { path: here, label: textOf(property.title) ?? name, required: required.includes(name) }
      const isGroup = property.type === 'object' && isObject(property.properties) && isPlain(property)
      if (isGroup && here.length < MAX_DEPTH) return { ...about, kind: 'group', parts: below(property, here) }
      made += 1
      const hint = textOf(property.description)
      return { ...about, kind: kindOf(property), field: `claim${made}`, hint, schema: property }
    })
  }
  return below(schema, [])
}

/** All controls of a plan. */
export const controlsOf = (parts: readonly Part[]): Control[] =>
  parts.flatMap((part) => (part.kind === 'group' ? controlsOf(part.parts) : [part]))

/** Why what was typed is no value of its claim. */
export type Fault = 'required' | 'number' | 'json'

type Read = { readonly value?: unknown } | { readonly fault: Fault }

const numberIn = (text: string): Read => {
  const value = Number(text)
  return Number.isFinite(value) ? { value } : { fault: 'number' }
}

function linesIn(text: string, { items }: JsonObject): Read {
  const lines = text.split('\n').map((line) => line.trim())
  const given = lines.filter((line) => line !== '')
  if (!isObject(items) || items.type === 'string') return { value: given }
  const numbers = given.map(Number)
  return numbers.every(Number.isFinite) ? { value: numbers } : { fault: 'number' }
}

function jsonIn(text: string): Read {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: 'json' }
  }
}

/** The value that was typed; without `value` where nothing was. */
function read({ kind, schema }: Control, typed: string | boolean | undefined): Read {
  if (typeof typed === 'boolean') return { value: typed }
  const text = typed?.trim() ?? ''
  if (text === '') return {}
  switch (kind) {
    case 'number':
    case 'integer':
      return numberIn(text)
    case 'boolean':
      return { value: text === 'true' }
    case 'choice':
      return { value: (schema.enum as readonly unknown[])[Number(text)] }
    case 'dateTime':
      return { value: new Date(text).toISOString() }
    case 'time':
      return { value: `${text.length === 5 ? `${text}:00` : text}Z` }
    case 'lines':
      return linesIn(text, schema)
    case 'json':
      return jsonIn(text)
    default:
      return { value: text }
  }
}

/** What a filled form says. */
export interface Filled {
  readonly subject: Readonly<Record<string, unknown>>
  /** By field. */
  readonly faults: ReadonlyMap<string, Fault>
}

/** Makes the subject of what was typed. A claim in which nothing stands is left out, and so is a group without any. */
export function subjectOf(parts: readonly Part[], typed: Typed): Filled {
  const faults = new Map<string, Fault>()
  const fill = (within: readonly Part[], isNeeded: boolean): Record<string, unknown> => {
    const members: [string, unknown][] = []
    const missing: Control[] = []
    for (const part of within) {
      const name = part.path.at(-1) ?? ''
      if (part.kind === 'group') {
        const inner = fill(part.parts, isNeeded && part.required)
        if (Object.keys(inner).length > 0 || (isNeeded && part.required)) members.push([name, inner])
        continue
      }
      const outcome = read(part, typed[part.field])
      if ('fault' in outcome) faults.set(part.field, outcome.fault)
      else if ('value' in outcome) members.push([name, outcome.value])
      else if (part.required) missing.push(part)
    }
    if (isNeeded || members.length > 0) for (const { field } of missing) faults.set(field, 'required')
    return Object.fromEntries(members)
  }
  return { subject: fill(parts, true), faults }
}

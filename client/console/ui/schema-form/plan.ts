import type { SchemaPlace } from '../../../../server/protocol/json-schema/applicable.js'
import { pathKey } from '../../../../server/protocol/json-schema/declared-claims.js'
import {
  type FieldKind,
  type FormField,
  type FormGroup,
  type FormPart,
  formOf,
} from '../../../../server/protocol/json-schema/form.js'
import { NO_PATTERNS, walked } from '../schema-walk.js'

/** A JSON object, as schemas and subjects are. */
export type JsonObject = Readonly<Record<string, unknown>>

export type ControlKind = FieldKind

/** A claim with one control in the form. */
export interface Control extends FormField<string> {
  /** The name of the field in the form. A claim's name may have any character, a field's name may not. */
  readonly field: string
  /** How the claim holds an image: as a data URI, or as its bytes in base64. Undefined for any other claim. */
  readonly image?: 'dataUri' | 'base64'
}

/** A group of claims. */
export interface Group extends Omit<FormGroup<string>, 'parts'> {
  readonly parts: readonly Part[]
}

export type Part = Control | Group

/** The values that the user entered, by field. */
export type Typed = Readonly<Record<string, string | boolean | undefined>>

const isText = (value: unknown): value is string => typeof value === 'string'

function imageAt(place: SchemaPlace): Control['image'] {
  const says = (keyword: string, begin: string) =>
    place.said(keyword).some((value) => isText(value) && value.startsWith(begin))
  if (says('pattern', '^data:image/')) return 'dataUri'
  return says('contentMediaType', 'image/') && says('contentEncoding', 'base64') ? 'base64' : undefined
}

/** The part of a control that only the console shows. */
function shownParts(place: SchemaPlace): Pick<Control, 'image'> {
  const image = imageAt(place)
  return image === undefined ? {} : { image }
}

/**
 * The controls and groups of an object's schema, the same as in the service's own form.
 *
 * @param titles titles of claims by `pathKey`; other claims show their names
 */
export function planOf(schema: JsonObject, titles: ReadonlyMap<string, string> = new Map()): Part[] {
  let made = 0
  const root = walked(schema)
  const controlled = (parts: readonly FormPart<string>[]): Part[] =>
    parts.map((part) => {
      if (part.kind === 'group') return { ...part, parts: controlled(part.parts) }
      made += 1
      const place = part.path.reduce((at, name) => at.member(name), root)
      return { ...part, field: `claim${made}`, ...shownParts(place) }
    })
  const titleOf = (path: readonly string[]) => titles.get(pathKey(path)) ?? path.at(-1) ?? ''
  return controlled(formOf(schema, { titleOf, pattern: NO_PATTERNS }))
}

/** All controls of a plan. */
export const controlsOf = (parts: readonly Part[]): Control[] =>
  parts.flatMap((part) => (part.kind === 'group' ? controlsOf(part.parts) : [part]))

/** Why an entered value is invalid for its claim. */
export type Fault = 'required' | 'number' | 'json'

type Read = { readonly value?: unknown } | { readonly fault: Fault }

const numberIn = (text: string): Read => {
  const value = Number(text)
  return Number.isFinite(value) ? { value } : { fault: 'number' }
}

const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function numbersIn(text: string): Read {
  const numbers = linesIn(text).map(Number)
  return numbers.every(Number.isFinite) ? { value: numbers } : { fault: 'number' }
}

function jsonIn(text: string): Read {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: 'json' }
  }
}

/** The entered value; `value` is missing if the field is empty. */
function read({ kind, choices }: Control, typed: string | boolean | undefined): Read {
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
      return { value: choices[Number(text)] }
    case 'dateTime':
      return { value: new Date(text).toISOString() }
    case 'time':
      return { value: `${text.length === 5 ? `${text}:00` : text}Z` }
    case 'lines':
      return { value: linesIn(text) }
    case 'numbers':
      return numbersIn(text)
    case 'json':
      return jsonIn(text)
    default:
      return { value: text }
  }
}

/** The result of reading a filled form. */
export interface Filled {
  readonly subject: Readonly<Record<string, unknown>>
  /** The faults by field. */
  readonly faults: ReadonlyMap<string, Fault>
}

/** Makes the subject from the entered values. Empty claims and groups without claims are left out. */
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

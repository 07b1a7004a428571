import { isObject, type JsonObject } from '../json/json-object.js'
import { JsonSchemaError } from './json-schema-error.js'

/** Keywords that hold schemas, by the shape in which they hold them and by what their schemas are applied to. */
const IN_PLACE = {
  single: ['not', 'if', 'then', 'else'],
  list: ['allOf', 'anyOf', 'oneOf'],
  map: ['dependentSchemas', 'dependencies'],
} as const
const TO_MEMBERS = {
  single: [
    'additionalProperties',
    'propertyNames',
    'additionalItems',
    'items',
    'contains',
    'unevaluatedProperties',
    'unevaluatedItems',
  ],
  list: ['items', 'prefixItems'],
  map: ['properties', 'patternProperties'],
} as const
/** Keywords that only keep schemas for references. */
const KEPT = { single: [], list: [], map: ['definitions', '$defs'] } as const

type Shapes = { readonly [shape in 'single' | 'list' | 'map']: readonly string[] }

/** A schema within a schema: where it stands (dotted), and whether it is applied to the same value as the schema around it. */
export interface Subschema {
  readonly schema: JsonObject
  readonly place: string
  readonly inPlace: boolean
}

/** The schemas that stand directly in a schema. Boolean schemas hold nothing further and are left out. */
export function subschemasOf(schema: JsonObject, place: string): Subschema[] {
  return [
    ...held(schema, place, IN_PLACE).map((found) => ({ ...found, inPlace: true })),
    ...[TO_MEMBERS, KEPT]
      .flatMap((shapes) => held(schema, place, shapes))
      .map((found) => ({ ...found, inPlace: false })),
  ]
}

function held(schema: JsonObject, place: string, shapes: Shapes): { schema: JsonObject; place: string }[] {
  const keywords = (names: readonly string[]) => names.filter((name) => Object.hasOwn(schema, name))
  const candidates: [string, unknown][] = [
    ...keywords(shapes.single).map((name): [string, unknown] => [name, schema[name]]),
    ...keywords(shapes.list).flatMap((name) => members(name, schema[name], Array.isArray)),
    ...keywords(shapes.map).flatMap((name) => members(name, schema[name], isObject)),
  ]
  return candidates.flatMap(([at, value]) => (isObject(value) ? [{ schema: value, place: under(place, at) }] : []))
}

function members(name: string, value: unknown, isHolder: (value: unknown) => boolean): [string, unknown][] {
  if (!isHolder(value)) return []
  return Object.entries(value as object).map(([key, member]) => [`${name}.${key}`, member])
}

/** The dotted place of a member. */
export function under(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`
}

/**
 * The schema that a local reference names: `#` or `#/…`, a JSON Pointer as a URI fragment (RFC 6901 §6).
 *
 * @throws JsonSchemaError for any other reference, and for one that leads nowhere
 */
export function resolveReference(
  root: JsonObject,
  reference: unknown,
  place: string,
): { target: unknown; place: string } {
  const at = under(place, '$ref')
  if (reference === '#') return { target: root, place: '' }
  if (typeof reference !== 'string' || !reference.startsWith('#/')) {
    throw new JsonSchemaError(at, 'must be a reference within the schema (# or #/…)')
  }
  const keys = pointerKeys(reference.slice(2), at)
  let target: unknown = root
  for (const key of keys) {
    const holder = target
    if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) {
      throw new JsonSchemaError(at, 'leads nowhere')
    }
    target = (holder as JsonObject)[key]
  }
  if (typeof target !== 'boolean' && !isObject(target)) throw new JsonSchemaError(at, 'does not lead to a schema')
  return { target, place: keys.join('.') }
}

function pointerKeys(pointer: string, at: string): string[] {
  try {
    const keys = pointer.split('/').map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    if (!keys.includes('')) return keys
  } catch (error) {
    // A percent sign that begins no octet: refused below.
    if (!(error instanceof URIError)) throw error
  }
  throw new JsonSchemaError(at, 'is not a JSON Pointer')
}

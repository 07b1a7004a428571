import { isObject, type JsonObject } from '../json/json-object.js'
import { JsonSchemaError } from './json-schema-error.js'

/**
 * How a keyword contains schemas: `single` (the keyword's value is a schema), `list` (an array of schemas), `map` (an
 * object whose members are schemas). `inPlace`: the schemas apply to the value itself.
 */
interface Holder {
  readonly single?: true
  readonly list?: true
  readonly map?: true
  readonly inPlace?: true
}

const HOLDERS: ReadonlyMap<string, Holder> = new Map(
  Object.entries<Holder>({
    ...ofEach(['not', 'if', 'then', 'else'], { single: true, inPlace: true }),
    ...ofEach(['allOf', 'anyOf', 'oneOf'], { list: true, inPlace: true }),
    ...ofEach(['dependentSchemas', 'dependencies'], { map: true, inPlace: true }),
    ...ofEach(['additionalProperties', 'propertyNames', 'additionalItems', 'contains'], { single: true }),
    ...ofEach(['unevaluatedProperties', 'unevaluatedItems'], { single: true }),
    items: { single: true, list: true },
    prefixItems: { list: true },
    ...ofEach(['properties', 'patternProperties'], { map: true }),
    // The schemas below these keywords apply only where a reference names them.
    ...ofEach(['definitions', '$defs'], { map: true }),
  }),
)

function ofEach(keywords: readonly string[], holder: Holder): Record<string, Holder> {
  return Object.fromEntries(keywords.map((keyword) => [keyword, holder]))
}

/** A schema within a schema: its dotted place, and whether it applies to the same value as the outer schema. */
export interface Subschema {
  readonly schema: JsonObject
  readonly place: string
  readonly inPlace: boolean
}

/** The direct subschemas of a schema. Boolean schemas contain no further schema and are left out. */
export function subschemasOf(schema: JsonObject, place: string): Subschema[] {
  const found: Subschema[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    const holder = HOLDERS.get(keyword)
    if (holder === undefined || typeof value !== 'object' || value === null) continue
    const inPlace = holder.inPlace === true
    const at = under(place, keyword)
    if (holder.single === true && isObject(value)) found.push({ schema: value, place: at, inPlace })
    if (Array.isArray(value) ? holder.list !== true : holder.map !== true) continue
    for (const [key, inner] of Object.entries(value)) {
      if (isObject(inner)) found.push({ schema: inner, place: under(at, key), inPlace })
    }
  }
  return found
}

/** The place of a member, written with dots. */
export function under(place: string, key: string): string {
  return place === '' ? key : `${place}.${key}`
}

/**
 * The schema that a local reference names: `#` or `#/…`, a JSON Pointer as a URI fragment (RFC 6901 §6).
 *
 * @throws JsonSchemaError for any other reference, and for a reference that leads nowhere
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
    // A malformed percent-encoding is refused below.
    if (!(error instanceof URIError)) throw error
  }
  throw new JsonSchemaError(at, 'is not a JSON Pointer')
}

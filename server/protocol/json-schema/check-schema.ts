import { isObject, type JsonObject } from '../json/json-object.js'
import { type Dialect, dialectOf } from './dialect.js'
import { isFormat } from './formats.js'
import { JsonSchemaError } from './json-schema-error.js'
import { JsonBoundsError, measureJson } from './json-size.js'
import { LinearRegExp, PatternError } from './linear-regexp.js'
import { resolveReference, subschemasOf, under } from './subschemas.js'

const SCHEMA_BOUNDS = { depth: 32, nodes: 2_000 } as const
const MAX_SCHEMA_BYTES = 65_536

/** Most instructions of all patterns of a schema together. */
const MAX_PROGRAM_SIZE = 20_000

/** References that lead from one to the next, each of which takes a part of the call stack, here and in the validator. */
const MAX_CHAINED_REFERENCES = 128

/** Keywords whose members are named by the schema's author. */
const NAMED_MEMBERS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'definitions',
  '$defs',
  'dependencies',
  'dependentSchemas',
  'dependentRequired',
])

/** A schema within its bounds. `sizes` holds the size of each object and array in it (see measureJson). */
export interface BoundedSchema {
  readonly schema: JsonObject
  readonly text: string
  readonly sizes: ReadonlyMap<object, number>
}

/** A schema that may be compiled. */
export interface CheckedSchema extends BoundedSchema {
  readonly dialect: Dialect
}

/**
 * Takes a stranger's schema up to 64 KiB, depth 32 and 2,000 values.
 *
 * @throws JsonSchemaError when it is no object or larger
 */
export function boundedSchema(schema: unknown): BoundedSchema {
  if (!isObject(schema)) throw new JsonSchemaError('', 'must be an object')
  const sizes = sizesOf(schema)
  const text = JSON.stringify(schema)
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) throw new JsonSchemaError('', 'must not be larger than 64 KiB')
  return { schema, text, sizes }
}

/**
 * Checks what makes a stranger's schema safe to compile: that its dialect is known, that every constraint in it will be
 * checked, in linear time, and that it refers to nothing outside itself and never to itself without a step into the value.
 *
 * @throws JsonSchemaError
 */
export function checkSchema(bounded: BoundedSchema): CheckedSchema {
  checkNames(bounded.schema, '')
  const dialect = dialectOf(bounded.schema)
  checkSubschemas(bounded.schema)
  return { ...bounded, dialect }
}

function sizesOf(schema: JsonObject): Map<object, number> {
  const sizes = new Map<object, number>()
  try {
    measureJson(schema, SCHEMA_BOUNDS, sizes)
    return sizes
  } catch (error) {
    if (!(error instanceof JsonBoundsError)) throw error
    throw new JsonSchemaError(error.path, error.reason, { cause: error })
  }
}

/** The validator leaves a member named `__proto__` unchecked, wherever it stands: a rule for it would be a rule for nothing. */
function checkNames(value: unknown, place: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') throw new JsonSchemaError(under(place, key), 'is no name that a rule can be written for')
    checkNames(member, under(place, key))
  }
}

function checkSubschemas(root: JsonObject): void {
  /** Schemas on the way from the root (`open`), and of those that are known to be sound how many references chain below them. */
  const states = new Map<JsonObject, 'open' | number>()
  /** Schemas that are applied to members of a value: they begin a walk of their own, from which the way to them is forgotten. */
  let programSize = 0
  const waiting: [JsonObject, string][] = [[root, '']]

  const visit = (schema: JsonObject, place: string): number => {
    const known = states.get(schema)
    if (typeof known === 'number') return known
    states.set(schema, 'open')
    let chained = 0
    checkKeywords(schema, place, schema === root)
    programSize += checkPatterns(schema, place)
    if (programSize > MAX_PROGRAM_SIZE) throw new JsonSchemaError(place, 'holds one pattern too many')
    for (const inner of subschemasOf(schema, place)) {
      if (inner.inPlace) chained = Math.max(chained, visit(inner.schema, inner.place))
      else waiting.push([inner.schema, inner.place])
    }
    if (Object.hasOwn(schema, '$ref')) {
      const { target, place: targetPlace } = resolveReference(root, schema.$ref, place)
      if (isObject(target) && states.get(target) === 'open') {
        throw new JsonSchemaError(under(place, '$ref'), 'refers to itself without end')
      }
      if (isObject(target)) chained = Math.max(chained, 1 + visit(target, targetPlace))
      if (chained > MAX_CHAINED_REFERENCES) throw new JsonSchemaError('', 'must not chain so many references')
    }
    states.set(schema, chained)
    return chained
  }

  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) visit(...next)
}

function checkKeywords(schema: JsonObject, place: string, isRoot: boolean): void {
  const refuse = (keyword: string, reason: string): never => {
    throw new JsonSchemaError(under(place, keyword), reason)
  }
  for (const keyword of ['$async', '$dynamicRef', '$recursiveRef']) {
    if (Object.hasOwn(schema, keyword)) refuse(keyword, 'is not supported')
  }
  if (typeof schema.format === 'string' && !isFormat(schema.format)) refuse('format', 'is not a known format')
  // An identifier deeper down would change what the references below it mean.
  if (!isRoot && Object.hasOwn(schema, '$id')) refuse('$id', 'is allowed at the root of the schema only')
  if (!isRoot && Object.hasOwn(schema, '$schema')) refuse('$schema', 'is allowed at the root of the schema only')
  for (const [keyword, value] of Object.entries(schema)) {
    if (NAMED_MEMBERS.has(keyword) || !isObject(value) || !Object.hasOwn(value, '$data')) continue
    refuse(`${keyword}.$data`, 'is not supported')
  }
}

/** Checks the patterns of one schema and returns the instructions that they take together. */
function checkPatterns(schema: JsonObject, place: string): number {
  const patterns: [string, string][] = []
  if (typeof schema.pattern === 'string') patterns.push(['pattern', schema.pattern])
  if (isObject(schema.patternProperties)) {
    for (const pattern of Object.keys(schema.patternProperties))
      patterns.push([`patternProperties.${pattern}`, pattern])
  }
  return patterns.reduce((size, [at, pattern]) => size + sizeOfPattern(pattern, under(place, at)), 0)
}

function sizeOfPattern(pattern: string, place: string): number {
  try {
    return new LinearRegExp(pattern).size
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw new JsonSchemaError(place, error.message, { cause: error })
  }
}

import { isObject, type JsonObject } from '../json/json-object.js'
import type { Work } from '../work.js'
import { type Dialect, dialectOf } from './dialect.js'
import { isFormat } from './formats.js'
import { JsonSchemaError } from './json-schema-error.js'
import { JsonBoundsError, measureJson } from './json-size.js'
import { LinearRegExp, PatternError } from './linear-regexp.js'
import { resolveReference, subschemasOf, under } from './subschemas.js'

const SCHEMA_BOUNDS = { depth: 32, nodes: 2_000 } as const
const MAX_SCHEMA_BYTES = 65_536

/** Cost of checking and compiling a schema: a base, a part for each schema and each value in it, and a part for its text. */
const UNITS_TO_COMPILE = 2_000
const UNITS_OF_A_SCHEMA = 300
const UNITS_OF_A_VALUE = 100
const CHARACTERS_PER_UNIT = 2

/** Limit of chained references. Each takes a part of the call stack, here and in the check of a value. */
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

/** A schema within the limits. */
export interface BoundedSchema {
  readonly schema: JsonObject
  readonly text: string
  /** Number of values in the schema, itself included. */
  readonly nodes: number
}

/** A schema that may be compiled, with its patterns. */
export interface CheckedSchema extends BoundedSchema {
  readonly dialect: Dialect
  readonly patterns: ReadonlyMap<string, LinearRegExp>
}

/**
 * Accepts an untrusted schema up to 64 KiB, depth 32 and 2,000 values.
 *
 * @throws JsonSchemaError if it is no object or larger
 */
export function boundedSchema(schema: unknown): BoundedSchema {
  if (!isObject(schema)) throw new JsonSchemaError('', 'must be an object')
  const nodes = nodesOf(schema)
  const text = JSON.stringify(schema)
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES) throw new JsonSchemaError('', 'must not be larger than 64 KiB')
  return { schema, text, nodes }
}

/**
 * Checks that an untrusted schema is safe to compile. Its dialect is known. Every constraint in it will be checked, in linear time.
 * It refers to nothing outside itself, and never to itself without a step into the value.
 *
 * @param work the budget for the check, and for compiling the schema's patterns
 * @throws JsonSchemaError, WorkExceededError
 */
export function checkSchema(bounded: BoundedSchema, work: Work): CheckedSchema {
  work.spend(UNITS_TO_COMPILE + bounded.nodes * UNITS_OF_A_VALUE + bounded.text.length / CHARACTERS_PER_UNIT)
  checkNames(bounded.schema, '')
  const dialect = dialectOf(bounded.schema)
  const patterns = new Patterns(work)
  checkSubschemas(bounded.schema, patterns, work)
  return { ...bounded, dialect, patterns: patterns.compiled }
}

function nodesOf(schema: JsonObject): number {
  try {
    return measureJson(schema, SCHEMA_BOUNDS)
  } catch (error) {
    if (!(error instanceof JsonBoundsError)) throw error
    throw new JsonSchemaError(error.path, error.reason, { cause: error })
  }
}

/** The validator does not check members named `__proto__`, at any depth. A rule for such a member would have no effect. */
function checkNames(value: unknown, place: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') throw new JsonSchemaError(under(place, key), 'is no name that a rule can be written for')
    checkNames(member, under(place, key))
  }
}

function checkSubschemas(root: JsonObject, patterns: Patterns, work: Work): void {
  /**
   * The state of each schema. `open`: the check of the schema has begun but not ended. A number: the schema is safe,
   * and its longest chain of references has this length.
   */
  const states = new Map<JsonObject, 'open' | number>()
  /** Schemas that apply to members of a value. Each schema is visited later, with a new chain of references. */
  const waiting: [JsonObject, string][] = [[root, '']]

  const visit = (schema: JsonObject, place: string): number => {
    const known = states.get(schema)
    if (typeof known === 'number') return known
    states.set(schema, 'open')
    let chained = 0
    work.spend(UNITS_OF_A_SCHEMA)
    checkKeywords(schema, place, schema === root)
    patterns.checkIn(schema, place)
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
  // An identifier below the root would change the meaning of the references below it.
  if (!isRoot && Object.hasOwn(schema, '$id')) refuse('$id', 'is allowed at the root of the schema only')
  if (!isRoot && Object.hasOwn(schema, '$schema')) refuse('$schema', 'is allowed at the root of the schema only')
  for (const [keyword, value] of Object.entries(schema)) {
    if (NAMED_MEMBERS.has(keyword) || !isObject(value) || !Object.hasOwn(value, '$data')) continue
    refuse(`${keyword}.$data`, 'is not supported')
  }
}

/** The patterns of a schema. A pattern that occurs several times is compiled once. */
class Patterns {
  readonly compiled = new Map<string, LinearRegExp>()
  readonly #work: Work

  constructor(work: Work) {
    this.#work = work
  }

  /** Compiles the patterns of a subschema. @throws JsonSchemaError */
  checkIn(schema: JsonObject, place: string): void {
    if (typeof schema.pattern === 'string') this.#compile(schema.pattern, under(place, 'pattern'))
    if (!isObject(schema.patternProperties)) return
    for (const pattern of Object.keys(schema.patternProperties)) {
      this.#compile(pattern, under(place, `patternProperties.${pattern}`))
    }
  }

  #compile(pattern: string, place: string): void {
    if (this.compiled.has(pattern)) return
    try {
      this.compiled.set(pattern, new LinearRegExp(pattern, this.#work))
    } catch (error) {
      if (!(error instanceof PatternError)) throw error
      throw new JsonSchemaError(place, error.message, { cause: error })
    }
  }
}

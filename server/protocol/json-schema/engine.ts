import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { CheckedSchema } from './check-schema.js'
import type { Dialect } from './dialect.js'
import { formatsFor } from './formats.js'
import { JsonSchemaError } from './json-schema-error.js'
import { equalityKeywords, makeReferencesPay } from './keywords.js'
import { LinearRegExp } from './linear-regexp.js'
import { resolveReference } from './subschemas.js'
import { Work } from './work.js'

/** Enough to check a schema of 64 KiB against the rules of its dialect. */
const META_WORK = 10_000_000

/** What following a reference costs, whatever it leads to. */
const UNITS_OF_A_CALL = 10

const metaWork = new Work()
const metaEngines: Partial<Record<Dialect, Ajv>> = {}

/**
 * Checks a schema against the meta-schema of its dialect.
 *
 * @throws JsonSchemaError naming the first place that breaks it
 */
export function checkAgainstMetaSchema({ schema, dialect }: CheckedSchema): void {
  metaEngines[dialect] ??= newAjv(dialect, { formats: formatsFor(metaWork) })
  const ajv = metaEngines[dialect]
  metaWork.allow(META_WORK)
  if (ajv.validateSchema(schema) === true) return
  const error = ajv.errors?.at(-1)
  const place = (error?.instancePath ?? '').split('/').slice(1).join('.')
  throw new JsonSchemaError(place, error?.message ?? 'is not valid')
}

/** A compiled schema. Each has an Ajv of its own: one that is shared keeps all that it ever compiled. */
export class Engine {
  readonly #work = new Work()
  readonly #schemaSize: number
  readonly #check: ValidateFunction
  #sizes: ReadonlyMap<object, number> = new Map()

  /**
   * @param allErrors whether a check goes on after the first thing that is wrong
   * @throws JsonSchemaError for what Ajv does not take
   */
  constructor(checked: CheckedSchema, allErrors: boolean) {
    const { schema, sizes, dialect } = checked
    const payerOf = (reference: string) => {
      const size = sizeIn(sizes, resolveReference(schema, reference, '').target)
      return (value: unknown) => this.#work.spend(UNITS_OF_A_CALL + size * sizeIn(this.#sizes, value))
    }
    const regExp = Object.assign((pattern: string) => payingRegExp(pattern, this.#work), { code: 'linearRegExp' })
    const ajv = newAjv(dialect, {
      allErrors,
      meta: false,
      validateSchema: false,
      formats: formatsFor(this.#work),
      code: { regExp, optimize: false },
    })
    makeReferencesPay(ajv, payerOf)
    this.#schemaSize = sizeIn(sizes, schema)
    this.#check = compile(ajv, schema)
  }

  /**
   * What is wrong with a value, nothing where it is valid.
   *
   * @param sizes the size of each object and array of the value (see measureJson)
   * @param units the most work that the check may take
   * @param purse pays for what it takes
   * @throws WorkExceededError when it would take more
   */
  errorsOf(
    value: unknown,
    sizes: ReadonlyMap<object, number>,
    units: number,
    purse: Work | undefined,
  ): readonly ErrorObject[] {
    const most = purse === undefined ? units : Math.min(units, purse.left)
    this.#sizes = sizes
    this.#work.allow(most)
    try {
      this.#work.spend(this.#schemaSize * sizeIn(sizes, value))
      return this.#check(value) ? [] : (this.#check.errors ?? [])
    } finally {
      purse?.spend(most - this.#work.left)
      this.#sizes = new Map()
      this.#check.errors = null
    }
  }
}

function compile(ajv: Ajv, schema: CheckedSchema['schema']): ValidateFunction {
  // The identifier is dropped: nothing refers to it, and the dialect is chosen already.
  const { $id: _id, $schema: _schema, ...body } = schema
  try {
    return ajv.compile(body)
  } catch (error) {
    if (error instanceof RangeError)
      throw new JsonSchemaError('', 'must not chain so many references', { cause: error })
    const reason = error instanceof Error ? error.message : 'it cannot be compiled'
    throw new JsonSchemaError('', `is not supported: ${reason}`, { cause: error })
  }
}

/** What Ajv takes for a regular expression. It tells one from another by their texts. */
function payingRegExp(pattern: string, work: Work): { test: (text: string) => boolean; toString: () => string } {
  const expression = new LinearRegExp(pattern)
  return { test: (text) => expression.test(text, work), toString: () => pattern }
}

function sizeIn(sizes: ReadonlyMap<object, number>, value: unknown): number {
  if (typeof value === 'object' && value !== null) return sizes.get(value) ?? 1
  return typeof value === 'string' ? 1 + value.length / 32 : 1
}

function newAjv(dialect: Dialect, options: Options): Ajv {
  const Dialects = { 'draft-07': Ajv, '2020-12': Ajv2020 }
  const ajv = new Dialects[dialect]({
    // An unknown keyword is an annotation (JSON Schema Core 2020-12 §6.5).
    strict: false,
    logger: false,
    // A name such as "constructor" is present where the value itself has it.
    ownProperties: true,
    // A reference is compiled once, however often it is used.
    inlineRefs: false,
    multipleOfPrecision: 9,
    ...options,
  })
  for (const definition of equalityKeywords) {
    ajv.removeKeyword(String(definition.keyword))
    ajv.addKeyword(definition)
  }
  return ajv
}

import { createHash } from 'node:crypto'
import type { ErrorObject } from 'ajv'
import { LruMap } from '../jose/lru-map.js'
import { boundedSchema, type CheckedSchema, checkSchema } from './check-schema.js'
import { checkAgainstMetaSchema, Engine } from './engine.js'
import type { Violation } from './json-schema-error.js'
import { JsonBoundsError, measureJson } from './json-size.js'
import { violationsOf } from './violations.js'
import { type Work, WorkExceededError } from './work.js'

export { JsonSchemaError, type Violation } from './json-schema-error.js'

const VALUE_BOUNDS = { depth: 64, nodes: 10_000 } as const
const MAX_VIOLATIONS = 1_000
const MAX_VALIDATORS = 256

/** Work that a check may take, and work up to which it is done again to name everything that is wrong, not the first thing only. */
const WORK_TO_DECIDE = 20_000_000
const WORK_TO_REPORT = 100_000

/** A schema made ready to check values with. */
export interface JsonSchemaValidator {
  /**
   * What is wrong with a value: nothing where it is valid, else up to 1,000 violations (only the first where the value is large).
   * A value deeper than 64 levels, of more than 10,000 values, or too costly to check against this schema is not valid.
   *
   * @param purse pays for the check, where several share one bound
   */
  validate(value: unknown, purse?: Work): readonly Violation[]
  /** SHA-256 of the schema's text, base64url. */
  readonly hash: string
}

const validators = new LruMap<string, JsonSchemaValidator>(MAX_VALIDATORS)

/**
 * Compiles a JSON Schema of draft-07 (also without `$schema`) or 2020-12. Bounds: 64 KiB, depth 32, 2,000 values; patterns that
 * match in linear time; known formats; references within the schema only; no `$async`, `$data`, `$dynamicRef`. Unknown keywords
 * are annotations. The last 256 validators are kept.
 *
 * @throws JsonSchemaError naming the place of what is not accepted
 */
export function compileJsonSchema(schema: unknown): JsonSchemaValidator {
  const bounded = boundedSchema(schema)
  const hash = createHash('sha256').update(bounded.text).digest('base64url')
  const known = validators.get(hash)
  if (known !== undefined) return known
  const checked = checkSchema(bounded)
  checkAgainstMetaSchema(checked)
  const validator = validatorOf(checked, hash)
  validators.set(hash, validator)
  return validator
}

function validatorOf(checked: CheckedSchema, hash: string): JsonSchemaValidator {
  const deciding = new Engine(checked, false)
  let reporting: Engine | undefined
  return {
    hash,
    validate: (value, purse) => {
      const sizes = new Map<object, number>()
      try {
        measureJson(value, VALUE_BOUNDS, sizes)
        const errors = deciding.errorsOf(value, sizes, WORK_TO_DECIDE, purse)
        if (errors.length === 0) return []
        reporting ??= new Engine(checked, true)
        return violationsOf(allErrors(reporting, value, sizes, purse) ?? errors, MAX_VIOLATIONS)
      } catch (error) {
        return [boundsViolation(error)]
      }
    },
  }
}

function allErrors(
  engine: Engine,
  value: unknown,
  sizes: Map<object, number>,
  purse: Work | undefined,
): readonly ErrorObject[] | undefined {
  try {
    return engine.errorsOf(value, sizes, WORK_TO_REPORT, purse)
  } catch (error) {
    if (error instanceof WorkExceededError || error instanceof RangeError) return undefined
    throw error
  }
}

function boundsViolation(error: unknown): Violation {
  if (error instanceof JsonBoundsError) return { path: error.path, message: error.reason, keyword: 'bounds' }
  // A RangeError is the call stack's end: references that go down with the value, many for each of its levels.
  if (error instanceof WorkExceededError || error instanceof RangeError) {
    return { path: '', message: 'is too large to be checked against its schema', keyword: 'bounds' }
  }
  throw error
}

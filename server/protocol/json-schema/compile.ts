import { createHash } from 'node:crypto'
import { LruMap } from '../jose/lru-map.js'
import { type Work, WorkExceededError } from '../work.js'
import { SchemaPlace } from './applicable.js'
import { type Check, type Fault, Run } from './check.js'
import { type BoundedSchema, boundedSchema, type CheckedSchema, checkSchema } from './check-schema.js'
import { checksWithin } from './engine.js'
import { JsonSchemaError, type Violation } from './json-schema-error.js'
import { JsonBoundsError, measureJson } from './json-size.js'
import { linearPattern } from './linear-regexp.js'
import { checkAgainstMetaSchema } from './meta-schema.js'
import { violationsOf } from './violations.js'

export { JsonSchemaError, type Violation } from './json-schema-error.js'

const VALUE_BOUNDS = { depth: 64, nodes: 10_000 } as const
const MAX_VIOLATIONS = 1_000

/** If a check costs less work than this, it runs again to name every violation, not only the first. */
const WORK_TO_REPORT = 100_000

/** Limits of the cache of compiled schemas: validators, with their patterns. */
const MAX_VALIDATORS = 2_000
const MAX_BYTES = 64 * 1024 * 1024
const BYTES_OF_A_VALUE = 600

/** A compiled schema that checks values. */
export interface JsonSchemaValidator {
  /**
   * The violations of a value: empty if the value is valid, else up to 1,000. Only the first violation is named if
   * naming all would take too much work. A value is not valid if it is deeper than 64 levels, has more than 10,000
   * values, or is too costly to check against this schema.
   *
   * @param work the budget for the check
   */
  validate(value: unknown, work: Work): readonly Violation[]
  /**
   * The schemas that apply to a value and to everything in it. The value decides each choice between branches.
   *
   * @param work the budget for every step, and for the checks that decide between branches; WorkExceededError if the
   * budget is too small
   */
  placeOf(value: unknown, work: Work): SchemaPlace
  /** SHA-256 of the schema's text, base64url. */
  readonly hash: string
}

interface Kept {
  readonly validator: JsonSchemaValidator
  /** Cost of making the validator. */
  readonly units: number
}

const validators = new LruMap<string, Kept>(MAX_VALIDATORS, MAX_BYTES)

/**
 * Compiles a JSON Schema of draft-07 (also without `$schema`) or 2020-12. Bounds: 64 KiB, depth 32, 2,000 values;
 * patterns that match in linear time; known formats; references within the schema only; no `$async`, `$data`,
 * `$dynamicRef`. Unknown keywords are annotations. The most recent validators are cached, up to 64 MiB. A cached
 * validator costs the same work as a new validator. So it does not depend on earlier callers whether a budget is
 * enough.
 *
 * @param work the budget for compiling
 * @throws JsonSchemaError that names the place of the fault
 */
export function compileJsonSchema(schema: unknown, work: Work): JsonSchemaValidator {
  const bounded = boundedSchema(schema)
  const hash = createHash('sha256').update(bounded.text).digest('base64url')
  const known = validators.get(hash)
  try {
    if (known === undefined) return made(bounded, hash, work)
    work.spend(known.units)
    return known.validator
  } catch (error) {
    if (!(error instanceof WorkExceededError)) throw error
    throw new JsonSchemaError('', 'takes more work to compile than one request may', { cause: error })
  }
}

function made(bounded: BoundedSchema, hash: string, work: Work): JsonSchemaValidator {
  const before = work.left
  const checked = checkSchema(bounded, work)
  checkAgainstMetaSchema(checked, work)
  const validator = validatorOf(checked, hash)
  validators.set(hash, { validator, units: before - work.left }, bytesOf(checked))
  return validator
}

function bytesOf({ text, nodes, patterns }: CheckedSchema): number {
  const ofPatterns = [...patterns.values()].reduce((sum, { bytes }) => sum + bytes, 0)
  return text.length + nodes * BYTES_OF_A_VALUE + ofPatterns
}

function validatorOf(checked: CheckedSchema, hash: string): JsonSchemaValidator {
  const checkOf = checksWithin(checked)
  const check = checkOf(checked.schema)
  return {
    hash,
    placeOf: (value, work) => {
      const satisfies = (schema: unknown, part: unknown) =>
        checkOf(schema)(part, undefined, new Run(work, false), undefined)
      return SchemaPlace.root(checked.schema, work, linearPattern, { value, satisfies })
    },
    validate: (value, work) => {
      try {
        work.spend(measureJson(value, VALUE_BOUNDS))
        const faults = faultsOf(check, value, work, false)
        if (faults.length === 0) return []
        return violationsOf(allFaults(check, value, work) ?? faults, MAX_VIOLATIONS)
      } catch (error) {
        return [boundsViolation(error)]
      }
    },
  }
}

function faultsOf(check: Check, value: unknown, work: Work, all: boolean): readonly Fault[] {
  const run = new Run(work, all)
  return check(value, undefined, run, undefined) ? [] : run.faults
}

function allFaults(check: Check, value: unknown, work: Work): readonly Fault[] | undefined {
  try {
    return faultsOf(check, value, work.part(WORK_TO_REPORT), true)
  } catch (error) {
    if (error instanceof WorkExceededError) return undefined
    throw error
  }
}

function boundsViolation(error: unknown): Violation {
  if (error instanceof JsonBoundsError) return { path: error.path, message: error.reason, keyword: 'bounds' }
  if (error instanceof WorkExceededError) {
    return { path: '', message: 'is too large to be checked against its schema', keyword: 'bounds' }
  }
  throw error
}

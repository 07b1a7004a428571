import { Work } from '../work.js'
import { type Check, Run } from './check.js'
import type { CheckedSchema } from './check-schema.js'
import type { Dialect } from './dialect.js'
import { checkOfSchema } from './engine.js'
import { JsonSchemaError } from './json-schema-error.js'
import { LinearRegExp } from './linear-regexp.js'
import { META_PATTERNS, META_SCHEMAS } from './meta-schemas.js'
import { pathOf } from './violations.js'

const checks: Partial<Record<Dialect, Check>> = {}

/**
 * Checks a schema against the meta-schema of its dialect (JSON Schema Core §8.1.1).
 *
 * @param work the budget for the check
 * @throws JsonSchemaError that names the first faulty place; WorkExceededError
 */
export function checkAgainstMetaSchema({ schema, dialect }: CheckedSchema, work: Work): void {
  checks[dialect] ??= checkOfMetaSchema(dialect)
  const run = new Run(work, false)
  if (checks[dialect](schema, undefined, run, undefined)) return
  const fault = run.faults.at(-1)
  throw new JsonSchemaError(pathOf(fault?.place), fault?.message ?? 'is not valid')
}

function checkOfMetaSchema(dialect: Dialect): Check {
  const compiling = new Work(Number.POSITIVE_INFINITY)
  const patterns = new Map(META_PATTERNS.map((pattern) => [pattern, new LinearRegExp(pattern, compiling)]))
  return checkOfSchema({ schema: META_SCHEMAS[dialect], dialect, patterns })
}

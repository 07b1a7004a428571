import { type PatternReader, SchemaPlace } from '../../../server/protocol/json-schema/applicable.js'
import { JsonSchemaError } from '../../../server/protocol/json-schema/json-schema-error.js'
import { Work } from '../../../server/protocol/work.js'

/** A reader that evaluates no pattern: patterns name no claim, and a safe engine for patterns is larger than a screen. */
export const NO_PATTERNS: PatternReader = () => ({ test: () => false })

/** The walk over a schema. The service has checked the schema, or will check it. */
export const walked = (schema: Readonly<Record<string, unknown>>): SchemaPlace =>
  SchemaPlace.root(schema, new Work(Number.POSITIVE_INFINITY), NO_PATTERNS)

/** The result of a function on a schema in the editor; undefined if a reference in the schema leads nowhere. */
export function ifSound<Said>(say: () => Said): Said | undefined {
  try {
    return say()
  } catch (error) {
    if (error instanceof JsonSchemaError) return undefined
    throw error
  }
}

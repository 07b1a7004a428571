import { type PatternReader, SchemaPlace } from '../../../server/protocol/json-schema/applicable.js'
import { JsonSchemaError } from '../../../server/protocol/json-schema/json-schema-error.js'
import { Work } from '../../../server/protocol/work.js'

/**
 * A schema reader that evaluates no patterns. Patterns do not name claims, and a safe engine for patterns would be
 * larger than the code of a screen.
 */
export const NO_PATTERNS: PatternReader = () => ({ test: () => false })

/** Starts a walk over a schema. The walk does not check the schema: the service has checked it, or will check it. */
export const walked = (schema: Readonly<Record<string, unknown>>): SchemaPlace =>
  SchemaPlace.root(schema, new Work(Number.POSITIVE_INFINITY), NO_PATTERNS)

/**
 * Returns the result of a function that reads a schema in the editor. Returns undefined if a reference in the schema
 * leads nowhere.
 */
export function ifSound<Said>(say: () => Said): Said | undefined {
  try {
    return say()
  } catch (error) {
    if (error instanceof JsonSchemaError) return undefined
    throw error
  }
}

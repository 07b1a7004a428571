import { type PatternReader, SchemaPlace } from '../../../server/protocol/json-schema/applicable.js'
import { JsonSchemaError } from '../../../server/protocol/json-schema/json-schema-error.js'
import { Work } from '../../../server/protocol/work.js'

/** Patterns name no claim, and the engine that reads them safely is larger than a screen. */
export const NO_PATTERNS: PatternReader = () => ({ test: () => false })

/** The walk over a schema that the service has accepted, or will decide on. */
export const walked = (schema: Readonly<Record<string, unknown>>): SchemaPlace =>
  SchemaPlace.root(schema, new Work(Number.POSITIVE_INFINITY), NO_PATTERNS)

/** Asks a schema that is still being written; undefined where a reference in it leads nowhere. */
export function ifSound<Said>(say: () => Said): Said | undefined {
  try {
    return say()
  } catch (error) {
    if (error instanceof JsonSchemaError) return undefined
    throw error
  }
}

import { JsonSchemaError } from './json-schema-error.js'

export type Dialect = 'draft-07' | '2020-12'

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'http://json-schema.org/draft-07/schema': 'draft-07',
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
}

/**
 * The dialect that `$schema` names (JSON Schema Core 2020-12 §8.1.1), draft-07 if `$schema` is absent.
 *
 * @throws JsonSchemaError for any other dialect
 */
export function dialectOf(schema: Readonly<Record<string, unknown>>): Dialect {
  const { $schema } = schema
  if ($schema === undefined) return 'draft-07'
  // An empty fragment has no effect (RFC 6901 §6); draft-07 itself is written with one.
  const uri = typeof $schema === 'string' ? $schema.replace(/#$/, '') : ''
  const dialect = Object.hasOwn(DIALECTS, uri) ? DIALECTS[uri] : undefined
  if (dialect === undefined) throw new JsonSchemaError('$schema', `must be one of ${Object.keys(DIALECTS).join(', ')}`)
  return dialect
}

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compileJsonSchema } from '../../../server/protocol/json-schema/compile.js'
import { Work } from '../../../server/protocol/work.js'

type Group = [file: string, description: string, schema: { $schema: string }, tests: [string, unknown, boolean][]]

/**
 * The JSON Schema Test Suite (github.com/json-schema-org/JSON-Schema-Test-Suite, commit 44401e0, MIT, see
 * test-suite.LICENSE) for draft-07 and 2020-12. Two kinds of tests are omitted. First, schemas that the service refuses
 * when they are posted. They have references that leave the schema or are not a JSON Pointer, a rule for `__proto__`,
 * or `\p{Letter}`. Second, draft-07's rule that members beside `$ref` are ignored. The service's own reader also checks
 * the members beside `$ref`.
 */
const groups = readFileSync(new URL('test-suite.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line): Group => JSON.parse(line))

describe('the JSON Schema Test Suite', () => {
  it.each(groups)('%s: %s', (_file, _description, schema, tests) => {
    const validator = compileJsonSchema(schema, new Work(10_000_000))
    for (const [description, value, valid] of tests) {
      expect([description, validator.validate(value, new Work(1_000_000)).length === 0]).toEqual([description, valid])
    }
  })
})

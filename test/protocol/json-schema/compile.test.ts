import { describe, expect, it } from 'vitest'
import { compileJsonSchema as compile, JsonSchemaError } from '../../../server/protocol/json-schema/compile.js'
import { Work } from '../../../server/protocol/work.js'
import { requestWork } from '../request-work.js'

const compileJsonSchema = (schema: unknown) => compile(schema, requestWork())

const violations = (schema: unknown, value: unknown) => compileJsonSchema(schema).validate(value, requestWork())
const messages = (schema: unknown, value: unknown) =>
  violations(schema, value).map(({ path, message }) => `${path} ${message}`)

function refusalOf(schema: unknown): JsonSchemaError {
  try {
    compileJsonSchema(schema)
  } catch (error) {
    if (error instanceof JsonSchemaError) return error
    throw error
  }
  throw new Error('The schema was accepted.')
}

const person = {
  type: 'object',
  properties: {
    age: { type: 'integer', minimum: 18 },
    address: { type: 'object', properties: { country: { enum: ['DE', 'FR'] } } },
  },
  required: ['age'],
  additionalProperties: false,
}

describe('a value against its schema (JSON Schema Validation)', () => {
  it('accepts a valid value', () => {
    expect(violations(person, { age: 18, address: { country: 'DE' } })).toEqual([])
  })

  it('names every wrong place by its dotted path, and never a value', () => {
    expect(violations(person, { age: 17, address: { country: 'secret' }, extra: 'secret' })).toEqual([
      { path: 'extra', message: 'is not allowed', keyword: 'additionalProperties' },
      { path: 'age', message: 'must be >= 18', keyword: 'minimum' },
      { path: 'address.country', message: 'must be equal to one of the allowed values', keyword: 'enum' },
    ])
  })

  it('names a missing member by its own path (§6.5.3)', () => {
    expect(messages(person, {})).toEqual(['age must be present'])
    expect(messages({ properties: { a: person } }, { a: {} })).toEqual(['a.age must be present'])
  })

  it('names an error of the value itself by an empty path', () => {
    expect(violations(person, 'text')).toEqual([{ path: '', message: 'must be object', keyword: 'type' }])
  })

  it('unescapes JSON Pointer keys in paths (RFC 6901 §4)', () => {
    expect(messages({ properties: { 'a/b~c': { type: 'string' } } }, { 'a/b~c': 1 })).toEqual(['a/b~c must be string'])
  })

  it('compares values, not their texts: 1.0 is 1, and the order of members does not count (§4.3)', () => {
    expect(violations({ const: { a: 1, b: [1, 'x'] } }, { b: [1.0, 'x'], a: 1 })).toEqual([])
    expect(messages({ const: { a: 1 } }, { a: '1' })).toEqual([' must be equal to constant'])
    expect(violations({ enum: [null, [], { a: null }] }, { a: null })).toEqual([])
    expect(messages({ enum: [0, ''] }, false)).toEqual([' must be equal to one of the allowed values'])
    expect(
      messages({ uniqueItems: true }, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ).toEqual([' must not have duplicate items'])
    expect(violations({ uniqueItems: true }, [1, '1', [1], { a: 1 }, null, false])).toEqual([])
  })

  it('recognizes decimal fractions as multiples of decimal fractions (§6.2.1)', () => {
    expect(violations({ multipleOf: 0.01 }, 19.99)).toEqual([])
    expect(messages({ multipleOf: 0.01 }, 19.995)).toEqual([' must be multiple of 0.01'])
  })

  it('reports at most 1,000 violations', () => {
    const schema = { items: { type: 'string' } }
    expect(violations(schema, Array(2_000).fill(1))).toHaveLength(1_000)
  })

  it('reports only the first violation if naming all would be too much work', () => {
    const schema = { allOf: Array.from({ length: 300 }, (_, i) => ({ items: { const: i } })) }
    expect(violations(schema, Array(9_000).fill('x'))).toHaveLength(1)
  })

  it('does not let one check affect the next', () => {
    const validator = compileJsonSchema(person)
    expect(validator.validate({}, requestWork())).toHaveLength(1)
    expect(validator.validate({ age: 20 }, requestWork())).toEqual([])
    expect(validator.validate({ age: 1 }, requestWork())).toHaveLength(1)
  })
})

describe('the dialect ($schema, JSON Schema Core §8.1.1)', () => {
  it('is draft-07 if $schema is absent or names it', () => {
    // An array of schemas in `items` is draft-07 only.
    const tuple = { items: [{ type: 'string' }] }
    expect(messages(tuple, [1])).toEqual(['0 must be string'])
    expect(messages({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple }, [1])).toEqual([
      '0 must be string',
    ])
    expect(messages({ $schema: 'http://json-schema.org/draft-07/schema', ...tuple }, [1])).toEqual(['0 must be string'])
  })

  it('is 2020-12 if $schema names it', () => {
    const $schema = 'https://json-schema.org/draft/2020-12/schema'
    expect(messages({ $schema, prefixItems: [{ type: 'string' }] }, [1])).toEqual(['0 must be string'])
    expect(messages({ $schema, properties: { a: true }, unevaluatedProperties: false }, { b: 1 })).toEqual([
      'b is not allowed',
    ])
    expect(refusalOf({ $schema, items: [{ type: 'string' }] }).message).toBe('items must be object,boolean')
  })

  it.each(['http://json-schema.org/draft-04/schema#', 'https://example.com/own', '', 7, null, '__proto__'])(
    'refuses the unknown dialect %j',
    ($schema) => {
      expect(refusalOf({ $schema }).message).toBe(
        '$schema must be one of http://json-schema.org/draft-07/schema, https://json-schema.org/draft/2020-12/schema',
      )
    },
  )
})

describe('a refused schema', () => {
  it.each([[true], [null], ['text'], [[{}]], [undefined]])('refuses %j, which is not an object', (schema) => {
    expect(refusalOf(schema).message).toBe('must be an object')
  })

  it('names the place that violates the meta-schema', () => {
    const error = refusalOf({ properties: { age: { minLength: -1 } } })
    expect(error.place).toBe('properties.age.minLength')
    expect(error.message).toBe('properties.age.minLength must be >= 0')
    expect(refusalOf({ required: 'age' }).message).toBe('required must be array')
  })

  it('refuses more than 64 KiB, 32 levels or 2,000 values', () => {
    expect(refusalOf({ description: 'ü'.repeat(40_000) }).message).toBe('must not be larger than 64 KiB')
    expect(refusalOf({ enum: Array.from({ length: 2_000 }, (_, i) => i) }).message).toBe(
      'must not hold more than 2000 values',
    )
    let deep: object = {}
    for (let level = 1; level < 33; level++) deep = { not: deep }
    expect(refusalOf(deep).message).toBe('must not be nested deeper than 32 levels')
  })

  it('refuses a schema that contains itself as an object', () => {
    const schema: Record<string, unknown> = {}
    schema.not = schema
    expect(refusalOf(schema).message).toBe('must not be nested deeper than 32 levels')
  })

  it('refuses a value that is not JSON', () => {
    expect(refusalOf({ properties: { a: { const: new Date(0) } } }).message).toBe(
      'properties.a.const must be a JSON value',
    )
    expect(refusalOf({ maximum: Number.NaN }).message).toBe('maximum must be a JSON value')
  })

  it('accepts unknown keywords as annotations (JSON Schema Core §6.5)', () => {
    expect(violations({ 'x-order': 1, properties: { a: { type: 'string', label: 'A' } } }, { a: '' })).toEqual([])
  })
})

describe('validators', () => {
  it('are cached by the hash of the schema', () => {
    const first = compileJsonSchema({ type: 'string', title: 'kept' })
    expect(compileJsonSchema({ type: 'string', title: 'kept' })).toBe(first)
    expect(first.hash).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(compileJsonSchema({ type: 'string', title: 'other' }).hash).not.toBe(first.hash)
  })

  it('have a limit of size, including their patterns: the least recently used validator is removed first', () => {
    const first = compileJsonSchema({ title: 'first' })
    const kept = compileJsonSchema({ title: 'kept meanwhile' })
    // A pattern counts at least 64 KiB, so 55 of these schemas are more than 64 MiB.
    for (let i = 0; i < 55; i++) {
      compileJsonSchema({ allOf: Array.from({ length: 20 }, (_, pattern) => ({ pattern: `^${i}-${pattern}$` })) })
      compileJsonSchema({ title: 'kept meanwhile' })
    }
    expect(compileJsonSchema({ title: 'first' })).not.toBe(first)
    expect(compileJsonSchema({ title: 'kept meanwhile' })).toBe(kept)
  })

  it('cost the same whether or not they are cached, so that a budget is enough for all callers or for none', () => {
    const schema = { title: 'paid for twice', properties: { a: { pattern: '^[a-z]{1,20}$' } } }
    const [once, again] = [requestWork(), requestWork()]
    expect(compile(schema, again)).toBe(compile(schema, once))
    expect(again.left).toBe(once.left)
    const [short] = [new Work(requestWork().left - once.left - 1)]
    expect(() => compile(schema, short)).toThrow('takes more work to compile than one request may')
  })

  it('are separate even with the same $id', () => {
    const $id = 'https://example.com/schema'
    expect(messages({ $id, type: 'string' }, 1)).toEqual([' must be string'])
    expect(messages({ $id, type: 'number' }, '1')).toEqual([' must be number'])
  })
})

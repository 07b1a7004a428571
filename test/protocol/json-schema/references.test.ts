import { describe, expect, it } from 'vitest'
import { compileJsonSchema as compile, JsonSchemaError } from '../../../server/protocol/json-schema/compile.js'
import { requestWork } from '../request-work.js'

const compileJsonSchema = (schema: unknown) => compile(schema, requestWork())

const validate = (schema: unknown, value: unknown) => compileJsonSchema(schema).validate(value, requestWork())

function nested(levels: number): unknown {
  let value: unknown = {}
  for (let level = 1; level < levels; level++) value = { next: value }
  return value
}

const tooMuch = [{ path: '', message: 'is too large to be checked against its schema', keyword: 'bounds' }]

describe('local references (JSON Schema Core §8.2.3)', () => {
  const list = {
    $ref: '#/definitions/node',
    definitions: {
      node: { type: 'object', properties: { next: { $ref: '#/definitions/node' } }, additionalProperties: false },
    },
  }

  it('follow a JSON Pointer, also an escaped pointer (RFC 6901 §4, §6)', () => {
    const schema = {
      definitions: { 'a/b %': { type: 'string' } },
      properties: { x: { $ref: '#/definitions/a~1b%20%25' } },
    }
    expect(validate(schema, { x: 1 })).toEqual([{ path: 'x', message: 'must be string', keyword: 'type' }])
  })

  it('may be recursive through the value', () => {
    expect(validate(list, nested(60))).toEqual([])
    expect(validate(list, { next: { next: { other: 1 } } })).toEqual([
      { path: 'next.next.other', message: 'is not allowed', keyword: 'additionalProperties' },
    ])
    expect(validate({ type: 'object', additionalProperties: { $ref: '#' } }, { a: { b: 1 } })).toEqual([
      { path: 'a.b', message: 'must be object', keyword: 'type' },
    ])
  })

  it('may lead to a place that is not a schema by its keyword, and are checked there too', () => {
    const schema = { shared: { text: { type: 'string' } }, properties: { a: { $ref: '#/shared/text' } } }
    expect(validate(schema, { a: 1 })).toEqual([{ path: 'a', message: 'must be string', keyword: 'type' }])
    const hidden = {
      shared: { remote: { $ref: 'https://example.com' } },
      properties: { a: { $ref: '#/shared/remote' } },
    }
    expect(() => validate(hidden, {})).toThrow('shared.remote.$ref must be a reference within the schema (# or #/…)')
  })

  it.each([
    ['https://example.com/schema.json', 'must be a reference within the schema (# or #/…)'],
    ['http://169.254.169.254/latest', 'must be a reference within the schema (# or #/…)'],
    ['file:///etc/passwd', 'must be a reference within the schema (# or #/…)'],
    ['other.json#/definitions/a', 'must be a reference within the schema (# or #/…)'],
    ['http://json-schema.org/draft-07/schema#', 'must be a reference within the schema (# or #/…)'],
    ['#anchor', 'must be a reference within the schema (# or #/…)'],
    [7, 'must be a reference within the schema (# or #/…)'],
    ['#/definitions/missing', 'leads nowhere'],
    ['#/constructor', 'leads nowhere'],
    ['#/__proto__', 'leads nowhere'],
    ['#/properties/a/$ref', 'does not lead to a schema'],
    ['#/%', 'is not a JSON Pointer'],
    ['#/', 'is not a JSON Pointer'],
  ])('refuse %j', ($ref, reason) => {
    expect(() => compileJsonSchema({ properties: { a: { $ref } } })).toThrow(
      new JsonSchemaError('properties.a.$ref', reason),
    )
  })

  it('refuse keywords that change the meaning of references: a nested $id, $dynamicRef, $async, $data', () => {
    const place = (schema: unknown) => () => compileJsonSchema(schema)
    expect(place({ properties: { a: { $id: 'https://example.com/a' } } })).toThrow(
      'properties.a.$id is allowed at the root of the schema only',
    )
    expect(place({ items: { $dynamicRef: '#a' } })).toThrow('items.$dynamicRef is not supported')
    expect(place({ $async: true })).toThrow('$async is not supported')
    expect(place({ properties: { a: { maximum: { $data: '1/b' } } } })).toThrow(
      'properties.a.maximum.$data is not supported',
    )
    expect(place({ properties: { a: { const: { $data: '1/b' } } } })).toThrow(
      'properties.a.const.$data is not supported',
    )
  })

  it('ignore members that are only named $id, $ref or $data', () => {
    const schema = { properties: { $id: { type: 'string' }, $ref: { type: 'string' }, $data: { type: 'string' } } }
    expect(validate(schema, { $id: 1, $ref: 'x' })).toEqual([
      { path: '$id', message: 'must be string', keyword: 'type' },
    ])
  })
})

describe('attack: references without end', () => {
  it.each([
    ['to the root', { $ref: '#' }, '$ref'],
    ['to the root through allOf', { allOf: [{ $ref: '#' }] }, 'allOf.0.$ref'],
    ['to the root through not', { not: { not: { $ref: '#' } } }, 'not.not.$ref'],
    ['to the root through if', { if: { $ref: '#' } }, 'if.$ref'],
    ['to the root through dependencies', { dependencies: { a: { $ref: '#' } } }, 'dependencies.a.$ref'],
    [
      'between two definitions',
      { definitions: { a: { $ref: '#/definitions/b' }, b: { anyOf: [{ $ref: '#/definitions/a' }] } } },
      'definitions.a.$ref',
    ],
    ['to itself', { properties: { a: { $ref: '#/properties/a' } } }, 'properties.a.$ref'],
  ])('refuses a reference %s', (_, schema, place) => {
    expect(() => compileJsonSchema(schema)).toThrow(new JsonSchemaError(place, 'refers to itself without end'))
  })

  it('stops at references that double at each step (2^30 checks of one text)', () => {
    const definitions: Record<string, unknown> = { d30: { type: 'string' } }
    for (let i = 0; i < 30; i++) {
      const $ref = `#/definitions/d${i + 1}`
      definitions[`d${i}`] = { allOf: [{ $ref }, { $ref }] }
    }
    expect(validate({ definitions, $ref: '#/definitions/d0' }, 'text')).toEqual(tooMuch)
  })

  it('stops at references that double at each level of the value (2^60 checks)', () => {
    const next = { properties: { next: { $ref: '#' } } }
    expect(validate({ allOf: [next, next] }, nested(60))).toEqual(tooMuch)
    expect(validate({ allOf: [next, next] }, nested(8))).toEqual([])
  })

  it('refuses a chain of more than 128 references, wherever it begins', () => {
    const chain = (links: number) => {
      const definitions: Record<string, unknown> = { [`d${links - 1}`]: {} }
      for (let i = 0; i < links - 1; i++) definitions[`d${i}`] = { allOf: [{ $ref: `#/definitions/d${i + 1}` }] }
      return definitions
    }
    const first = { $ref: '#/definitions/d0' }
    for (const links of [129, 490]) {
      expect(() => compileJsonSchema({ definitions: chain(links), ...first })).toThrow(
        'must not chain so many references',
      )
      expect(() => compileJsonSchema({ properties: { a: first }, definitions: chain(links) })).toThrow(
        'must not chain so many references',
      )
    }
    expect(validate({ definitions: chain(128), ...first }, {})).toEqual([])
  })

  it('follows a chain of any length through members as far as the value goes', () => {
    const definitions: Record<string, unknown> = { d450: {} }
    for (let i = 0; i < 450; i++) {
      definitions[`d${i}`] = { type: 'array', items: { $ref: `#/definitions/d${i + 1}` } }
    }
    const schema = { definitions, $ref: '#/definitions/d0' }
    expect(validate(schema, [[[[]]]])).toEqual([])
    expect(validate(schema, [[[['text']]]])).toEqual([{ path: '0.0.0.0', message: 'must be array', keyword: 'type' }])
  })

  it('reports an exhausted call stack of the caller as an error of the caller', () => {
    const definitions: Record<string, unknown> = { d100: { properties: { next: { $ref: '#' } } } }
    for (let i = 0; i < 100; i++) definitions[`d${i}`] = { allOf: [{ $ref: `#/definitions/d${i + 1}` }] }
    expect(validate({ definitions, $ref: '#/definitions/d0' }, nested(64))).toEqual(tooMuch)
  })
})

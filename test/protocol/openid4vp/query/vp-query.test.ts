import { describe, expect, it } from 'vitest'
import { zVpFilter } from '../../../../server/protocol/openid4vp/query/vp-filter.js'
import {
  compileVpQuery,
  VpQueryError,
  zVpQuery,
  zVpQueryItem,
} from '../../../../server/protocol/openid4vp/query/vp-query.js'
import { requestWork } from '../../request-work.js'

/** The keys of a filter as the interface of the service lists them. */
const FILTER_KEYS =
  '$id, $ref, $schema, $comment, $defs, type, enum, const, multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum, maxLength, minLength, pattern, items, additionalItems, maxItems, minItems, uniqueItems, contains, maxProperties, minProperties, required, properties, patternProperties, additionalProperties, dependencies, propertyNames, if, then, else, allOf, anyOf, oneOf, not, format, contentMediaType, contentEncoding, definitions, title, description, default, readOnly, writeOnly, examples'.split(
    ', ',
  )

const wholeFilter = {
  $id: 'https://example.com/filter',
  $ref: '#/$defs/a',
  $schema: 'http://json-schema.org/draft-07/schema#',
  $comment: 'c',
  $defs: { a: true },
  type: ['string', 'null'],
  enum: ['a', null, { b: 1 }],
  const: null,
  multipleOf: 0.5,
  maximum: 1,
  exclusiveMaximum: 1,
  minimum: 1,
  exclusiveMinimum: 1,
  maxLength: 1,
  minLength: 0,
  pattern: 'a',
  items: [true, { type: 'string' }],
  additionalItems: false,
  maxItems: 1,
  minItems: 1,
  uniqueItems: true,
  contains: { const: 'a' },
  maxProperties: 1,
  minProperties: 1,
  required: ['a'],
  properties: { foo: { not: { items: true } } },
  patternProperties: { '^a': false },
  additionalProperties: false,
  dependencies: { a: ['b'], c: { required: ['d'] } },
  propertyNames: { pattern: 'a' },
  if: true,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: {},
  else: false,
  allOf: [{}],
  anyOf: [true],
  oneOf: [{}],
  not: {},
  format: 'email',
  contentMediaType: 'text/plain',
  contentEncoding: 'base64',
  definitions: { b: {} },
  title: 't',
  description: 'd',
  default: { any: ['thing'] },
  readOnly: true,
  writeOnly: false,
  examples: [1, 'x'],
}

const query = (filter: unknown) => [{ fields: [{ path: ['$.a'], filter }] }]
const issues = (schema: typeof zVpQuery | typeof zVpQueryItem | typeof zVpFilter, value: unknown) =>
  (schema.safeParse(value).error?.issues ?? []).map(({ code, path, ...issue }) => ({
    code,
    path: path.join('.'),
    ...('keys' in issue ? { keys: issue.keys } : {}),
  }))

describe('the shape of a VP query', () => {
  it('accepts every key of a filter in the interface, and keeps it unchanged', () => {
    expect(Object.keys(wholeFilter).sort()).toEqual([...FILTER_KEYS].sort())
    expect(zVpFilter.parse(wholeFilter)).toEqual(wholeFilter)
  })

  it.each([
    ['', { foo: 1 }],
    ['properties.a', { properties: { a: { foo: 1 } } }],
    ['patternProperties.a', { patternProperties: { a: { foo: 1 } } }],
    ['items', { items: { foo: 1 } }],
    ['items.1', { items: [true, { foo: 1 }] }],
    ['additionalItems', { additionalItems: { foo: 1 } }],
    ['contains', { contains: { foo: 1 } }],
    ['additionalProperties', { additionalProperties: { foo: 1 } }],
    ['propertyNames', { propertyNames: { foo: 1 } }],
    ['dependencies.a', { dependencies: { a: { foo: 1 } } }],
    ['if', { if: { foo: 1 } }],
    ['else', { else: { foo: 1 } }],
    ['allOf.0', { allOf: [{ foo: 1 }] }],
    ['anyOf.0', { anyOf: [{ foo: 1 }] }],
    ['oneOf.0', { oneOf: [{ foo: 1 }] }],
    ['not', { not: { foo: 1 } }],
    ['$defs.a', { $defs: { a: { foo: 1 } } }],
    ['definitions.a', { definitions: { a: { foo: 1 } } }],
    ['not.items.allOf.0', { not: { items: { allOf: [{ foo: 1 }] } } }],
  ])('has no unknown key at %j', (path, filter) => {
    expect(issues(zVpFilter, filter)).toEqual([{ code: 'unrecognized_keys', path, keys: ['foo'] }])
  })

  it.each([
    ['$dynamicRef', '#a'],
    ['prefixItems', []],
    ['unevaluatedProperties', false],
    ['formatMinimum', 'a'],
    ['$async', true],
    ['$data', '1/a'],
  ])('does not support %s', (key, value) => {
    expect(issues(zVpFilter, { [key]: value })).toEqual([{ code: 'unrecognized_keys', path: '', keys: [key] }])
  })

  it('does not check values: enum, const, default and examples may be anything', () => {
    expect(zVpFilter.parse({ const: { foo: { bar: 1 } }, enum: [{ foo: 1 }] })).toEqual({
      const: { foo: { bar: 1 } },
      enum: [{ foo: 1 }],
    })
  })

  it('accepts a boolean only if JSON Schema allows it', () => {
    expect(issues(zVpFilter, true)).toEqual([{ code: 'invalid_type', path: '' }])
    expect(issues(zVpFilter, { items: 'true' })).toEqual([{ code: 'invalid_type', path: 'items' }])
    expect(issues(zVpFilter, { dependencies: { a: [1] } })).toEqual([
      { code: 'invalid_type', path: 'dependencies.a.0' },
    ])
  })

  it('is strict about items and fields', () => {
    expect(issues(zVpQuery, [{ fields: 'x' }])).toEqual([{ code: 'invalid_type', path: '0.fields' }])
    expect(issues(zVpQuery, [{ fields: [], id: 'x' }])).toEqual([
      { code: 'unrecognized_keys', path: '0', keys: ['id'] },
    ])
    expect(issues(zVpQueryItem, { fields: [{ path: ['$.a'], purpose: 'x' }] })).toEqual([
      { code: 'unrecognized_keys', path: 'fields.0', keys: ['purpose'] },
    ])
    expect(issues(zVpQueryItem, { fields: [{ path: '$.a' }] })).toEqual([
      { code: 'invalid_type', path: 'fields.0.path' },
    ])
    expect(issues(zVpQueryItem, { fields: [{ path: [] }] })).toEqual([{ code: 'too_small', path: 'fields.0.path' }])
    expect(issues(zVpQueryItem, { fields: [{ filter: {} }] })).toEqual([
      { code: 'invalid_type', path: 'fields.0.path' },
    ])
    expect(issues(zVpQuery, [])).toEqual([{ code: 'too_small', path: '' }])
    expect(zVpQuery.parse([{ fields: [] }])).toEqual([{ fields: [] }])
  })

  it('has limits for items, fields, paths and size', () => {
    expect(issues(zVpQuery, Array(17).fill({ fields: [] }))).toEqual([{ code: 'too_big', path: '' }])
    expect(issues(zVpQueryItem, { fields: Array(65).fill({ path: ['$.a'] }) })).toEqual([
      { code: 'too_big', path: 'fields' },
    ])
    expect(issues(zVpQueryItem, { fields: [{ path: Array(17).fill('$.a') }] })).toEqual([
      { code: 'too_big', path: 'fields.0.path' },
    ])
    expect(issues(zVpQuery, query({ title: 'x'.repeat(70_000) }))).toEqual([{ code: 'custom', path: '' }])
  })

  it('attack: a deep filter is refused before it is read', () => {
    const nested = (levels: number) => {
      let filter: object = {}
      for (let level = 1; level < levels; level++) filter = { not: filter }
      return filter
    }
    expect(issues(zVpFilter, nested(16))).toEqual([])
    expect(issues(zVpFilter, nested(17))).toEqual([{ code: 'custom', path: '' }])
    expect(issues(zVpQuery, query(nested(100_000)))).toEqual([{ code: 'custom', path: '0.fields.0.filter' }])
    expect(issues(zVpFilter, { enum: Array(1_000).fill(1) })).toEqual([{ code: 'custom', path: '' }])
  })

  it('attack: a rule for __proto__ is not ignored silently', () => {
    const filter: unknown = JSON.parse('{"properties": {"__proto__": {"const": 1}}}')
    expect(zVpFilter.safeParse(filter).error?.issues[0]?.message).toBe('must not have a member named __proto__')
  })
})

describe('compiling a VP query', () => {
  const refusal = (items: unknown): VpQueryError => {
    try {
      compileVpQuery(zVpQuery.parse(items), requestWork())
    } catch (error) {
      if (error instanceof VpQueryError) return error
      throw error
    }
    throw new Error('The query was accepted.')
  }

  it('names the path that is not JSONPath', () => {
    const error = refusal([{ fields: [] }, { fields: [{ path: ['$.a'] }, { path: ['$.a', 'b'] }] }])
    expect(error.path).toBe('query.1.fields.1.path.1')
    expect(error.message).toBe('query.1.fields.1.path.1 is no JSONPath of RFC 9535 at character 1')
  })

  it('names the place in the filter that does not compile', () => {
    expect(refusal(query({ properties: { a: { pattern: '(?=a)' } } })).message).toBe(
      'query.0.fields.0.filter.properties.a.pattern is not a regular expression that can be matched in linear time',
    )
    expect(refusal(query({ $ref: 'https://example.com' })).message).toBe(
      'query.0.fields.0.filter.$ref must be a reference within the schema (# or #/…)',
    )
    expect(refusal(query({ format: 'foo' })).message).toBe('query.0.fields.0.filter.format is not a known format')
    expect(refusal(query({ $ref: '#' })).message).toBe('query.0.fields.0.filter.$ref refers to itself without end')
    expect(refusal(query({ $schema: 'https://example.com' })).path).toBe('query.0.fields.0.filter.$schema')
    expect(refusal(query({ required: ['a', 'a'] })).path).toBe('query.0.fields.0.filter.required')
  })

  it('names the query by the name in the request', () => {
    expect(() => compileVpQuery([{ fields: [{ path: ['a'] }] }], requestWork(), 'body')).toThrow(
      /^body\.0\.fields\.0\.path\.0 /,
    )
  })
})

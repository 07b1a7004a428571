import { describe, expect, it } from 'vitest'
import { compileJsonSchema as compile, JsonSchemaError } from '../../../server/protocol/json-schema/compile.js'
import { requestWork } from '../request-work.js'

const compileJsonSchema = (schema: unknown) => compile(schema, requestWork())

const validate = (schema: unknown, value: unknown) => compileJsonSchema(schema).validate(value, requestWork())
const keywords = (schema: unknown, value: unknown) => validate(schema, value).map(({ keyword }) => keyword)

describe('attack: ReDoS', () => {
  it.each(['^(a+)+$', '^(a|aa)+$', '^(a|a?)+$', '^(.*)*x$', '(x+x+)+y', '^(?:a?){100}a{100}$'])(
    'matches %s in linear time; a backtracking engine would never end',
    (pattern) => {
      expect(keywords({ pattern }, `${'a'.repeat(3_000)}!`)).toEqual(['pattern'])
    },
  )

  it('matches names by patternProperties and propertyNames in linear time', () => {
    const schema = { patternProperties: { '^(a+)+$': { type: 'string' } }, propertyNames: { pattern: '^(a+)+!?$' } }
    expect(validate(schema, { [`${'a'.repeat(50_000)}!`]: 1 })).toEqual([])
    expect(keywords(schema, { aaa: 1 })).toEqual(['type'])
  })

  it.each(['(?=a)b', '(?!a)b', '(?<=a)b', '(a)\\1', '[', 'a{1001}', '(?<'])(
    'refuses %s, which RE2 does not support',
    (pattern) => {
      const reason = 'is not a regular expression that can be matched in linear time'
      expect(() => compileJsonSchema({ properties: { a: { pattern } } })).toThrow(
        new JsonSchemaError('properties.a.pattern', reason),
      )
      expect(() => compileJsonSchema({ patternProperties: { [pattern]: {} } })).toThrow(
        new JsonSchemaError(`patternProperties.${pattern}`, reason),
      )
    },
  )

  it('refuses patterns whose compiled form is too large, alone and together', () => {
    expect(() => compileJsonSchema({ pattern: '(\\w{100}){10}'.repeat(10) })).toThrow('pattern is too complex')
    expect(() => compileJsonSchema({ pattern: 'a'.repeat(1_001) })).toThrow(
      'pattern must not be longer than 1000 characters',
    )
    const allOf = Array.from({ length: 40 }, (_, i) => ({ pattern: `a{900}${i}` }))
    expect(() => compileJsonSchema({ allOf })).toThrow('takes more work to compile than one request may')
  })

  it('refuses a text that is too long for its pattern, and says so', () => {
    expect(validate({ pattern: '(?:\\w{1,50}\\b.{1,50}){1,9}q$' }, 'ab z'.repeat(100_000))).toEqual([
      { path: '', message: 'is too large to be checked against its schema', keyword: 'bounds' },
    ])
    expect(
      validate(
        { pattern: '^data:image/(png|jpeg);base64,[A-Za-z0-9+/]+=*$' },
        `data:image/png;base64,${'A'.repeat(900_000)}`,
      ),
    ).toEqual([])
  })

  it('reads ECMA-262 syntax that RE2 writes otherwise', () => {
    expect(validate({ pattern: '^\\u0041[\\u{1F600}](?<tail>\\/)$' }, 'A😀/')).toEqual([])
    expect(keywords({ pattern: '^a$' }, 'a\n')).toEqual(['pattern'])
  })
})

describe('attack: long texts for the formats', () => {
  const hostile = [
    `${'a'.repeat(300_000)}!`,
    'a.'.repeat(150_000),
    `${'a@'.repeat(150_000)}`,
    `http://${'a'.repeat(300_000)}\n`,
    `P${'1Y'.repeat(150_000)}`,
    `${'/~0'.repeat(100_000)}~`,
    '{'.repeat(300_000),
    '('.repeat(300_000),
    '1:'.repeat(150_000),
    ':'.repeat(300_000),
    `${'0'.repeat(300_000)}=`,
  ]
  const formats = [
    ...[
      'date',
      'time',
      'date-time',
      'duration',
      'email',
      'hostname',
      'ipv4',
      'ipv6',
      'uuid',
      'regex',
      'iso-time',
      'iso-date-time',
    ],
    ...[
      'uri',
      'uri-reference',
      'uri-template',
      'url',
      'byte',
      'json-pointer',
      'json-pointer-uri-fragment',
      'relative-json-pointer',
    ],
    ...['iri', 'iri-reference', 'idn-email', 'idn-hostname'],
  ]

  it.each(formats)('%s is decided in linear time', (format) => {
    const { validate: check } = compileJsonSchema({ format })
    for (const text of hostile)
      expect([[], ['format']]).toContainEqual(check(text, requestWork()).map(({ keyword }) => keyword))
  })

  it.each([
    ['email', 'ada@example.com', 'ada.example.com'],
    ['date', '2024-02-29', '2023-02-29'],
    ['date-time', '2024-01-01T00:00:00Z', '2024-01-01'],
    ['time', '23:59:59Z', '25:00:00Z'],
    ['duration', 'P3Y6M4DT12H30M5S', 'P'],
    ['hostname', 'example.com', '-example.com'],
    ['ipv4', '127.0.0.1', '127.0.0.256'],
    ['ipv6', '::1', '1::2::3'],
    ['uuid', '2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2eb8aa08aa9811eab4aa73b441d16380'],
    ['uri', 'did:web:example.com', 'example.com/a'],
    ['uri', 'https://example.com/a?b=c#d', 'https://exa mple.com'],
    ['uri-reference', '/a/b', '\\a'],
    ['uri-template', 'https://example.com/{id}', '{id'],
    ['url', 'https://example.com', 'mailto:ada@example.com'],
    ['iri', 'https://例え.jp/ü', 'ü/ü'],
    ['iri-reference', '/ü', '/a b'],
    ['idn-email', 'δοκιμή@παράδειγμα.gr', 'δοκιμή'],
    ['idn-hostname', 'παράδειγμα.gr', 'a/b'],
    ['json-pointer', '/a~1b/0', 'a'],
    ['relative-json-pointer', '1/a', '-1/a'],
    ['regex', '^a+$', '['],
    ['byte', 'YWJj', 'YWJ'],
  ])('%s accepts %j and refuses %j', (format, good, bad) => {
    expect(validate({ format }, good)).toEqual([])
    expect(keywords({ format }, bad)).toEqual(['format'])
  })

  it('refuses a format that it cannot check', () => {
    expect(() => compileJsonSchema({ properties: { a: { format: 'person-name' } } })).toThrow(
      'properties.a.format is not a known format',
    )
    expect(() => compileJsonSchema({ format: 'toString' })).toThrow('format is not a known format')
  })
})

describe('attack: values that are too large', () => {
  it('refuses more than 64 levels and more than 10,000 values', () => {
    let deep: unknown = 1
    for (let level = 0; level < 65; level++) deep = [deep]
    expect(validate({}, deep)).toEqual([
      { path: '', message: 'must not be nested deeper than 64 levels', keyword: 'bounds' },
    ])
    expect(validate({}, (deep as unknown[])[0])).toEqual([])
    expect(validate({}, Array(10_000).fill(0))).toEqual([
      { path: '', message: 'must not hold more than 10000 values', keyword: 'bounds' },
    ])
  })

  it('does not follow a value that contains itself', () => {
    const value: unknown[] = []
    value.push(value)
    expect(keywords({}, value)).toEqual(['bounds'])
  })

  it.each([[new Date(0)], [new Map()], [undefined], [1n], [Number.NaN], [() => 1]])(
    'refuses %o, which is not JSON',
    (claim) => {
      expect(validate({}, { claim })).toEqual([{ path: 'claim', message: 'must be a JSON value', keyword: 'bounds' }])
    },
  )

  it('checks uniqueItems of thousands of objects without comparing every pair', () => {
    const items = Array.from({ length: 4_000 }, (_, i) => ({ i }))
    expect(validate({ uniqueItems: true }, items)).toEqual([])
  })
})

describe('attack: names of Object.prototype as claim names', () => {
  const parse = (text: string): unknown => JSON.parse(text)

  it('treats __proto__ as a claim, and changes no prototype', () => {
    const value = parse('{"__proto__": {"age": 20}, "name": "x"}')
    expect(keywords({ required: ['age'] }, value)).toEqual(['required'])
    expect(validate({ properties: { name: {} }, additionalProperties: false }, value)).toEqual([
      { path: '__proto__', message: 'is not allowed', keyword: 'additionalProperties' },
    ])
    expect(({} as { age?: number }).age).toBeUndefined()
  })

  it('refuses a rule for __proto__, which would have no effect', () => {
    const reason = 'is no name that a rule can be written for'
    expect(() => compileJsonSchema(parse('{"properties": {"__proto__": {"type": "string"}}}'))).toThrow(
      new JsonSchemaError('properties.__proto__', reason),
    )
    expect(() => compileJsonSchema(parse('{"const": {"__proto__": 1}}'))).toThrow(
      new JsonSchemaError('const.__proto__', reason),
    )
  })

  it('does not treat inherited members as claims', () => {
    expect(keywords({ required: ['constructor', 'toString'] }, {})).toEqual(['required', 'required'])
    expect(validate({ properties: { constructor: { type: 'string' } } }, {})).toEqual([])
    expect(keywords({ properties: { constructor: { type: 'string' } } }, parse('{"constructor": 1}'))).toEqual(['type'])
    expect(keywords({ dependencies: { toString: ['a'] } }, {})).toEqual([])
  })

  it('compares values whose members are named like methods', () => {
    const value = parse('{"valueOf": 1, "toString": 2, "constructor": 3, "hasOwnProperty": 4}')
    expect(keywords({ const: { valueOf: 1 } }, value)).toEqual(['const'])
    expect(validate({ const: value }, value)).toEqual([])
    expect(validate({ uniqueItems: true }, [value, 1])).toEqual([])
  })
})

import { describe, expect, it } from 'vitest'
import { CredentialError } from '../../../server/protocol/credential/verification.js'
import { Tagged } from '../../../server/protocol/mdoc/cbor/values.js'
import { mappingFaults, mdocElementsOf } from '../../../server/protocol/mdoc/mdoc.js'
import { jsonOf } from '../../../server/protocol/mdoc/values.js'
import { Work, WorkExceededError } from '../../../server/protocol/work.js'
import { MAPPING, NAMESPACE, SCHEMA, SUBJECT } from './actors.js'

const work = () => new Work(1_000_000)
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

const elementWithin = (schema: object, subject: Record<string, unknown>) =>
  mdocElementsOf({ doctype: 'd', namespaces: { n: { e: '/claim' } } }, subject, { $schema: DIALECT, ...schema }, work())
    .get('n')
    ?.get('e')

const elementOf = (schema: object, value: unknown) => elementWithin({ properties: { claim: schema } }, { claim: value })

const faultOf = (schema: object, pointer = '/claim') =>
  mappingFaults({ $schema: DIALECT, ...schema }, [pointer], work()).get(pointer)

describe('The data elements of a subject', () => {
  it('are its elements by namespace', () => {
    const { organDonor: _, ...subject } = SUBJECT
    const elements = mdocElementsOf(MAPPING, { ...subject, height: undefined }, SCHEMA, work())
    expect([...elements.keys()]).toEqual([NAMESPACE])
    expect([...(elements.get(NAMESPACE) ?? [])].map(([identifier]) => identifier)).not.toContain('height')
  })

  it('are never empty', () => {
    expect(() => mdocElementsOf(MAPPING, {}, SCHEMA, work())).toThrow(
      'The subject has no claim that stands in the mdoc.',
    )
  })

  it.each([
    ['text', { type: 'string' }, '1990-12-24', '1990-12-24'],
    ['a date', { format: 'date' }, '1990-12-24', new Tagged(1004, '1990-12-24')],
    ['a moment', { format: 'date-time' }, '1990-12-24T01:02:03Z', new Tagged(0, '1990-12-24T01:02:03Z')],
    // ISO/IEC 18013-5 §7.2.1: no fraction of a second, and no offset except Z.
    [
      'a moment with a fraction',
      { format: 'date-time' },
      '1990-12-24T01:02:03.999Z',
      new Tagged(0, '1990-12-24T01:02:03Z'),
    ],
    ['a moment in a zone', { format: 'date-time' }, '1990-12-24T01:02:03+05:30', new Tagged(0, '1990-12-23T19:32:03Z')],
    ['a leap day', { format: 'date' }, '2024-02-29', new Tagged(1004, '2024-02-29')],
    ['bytes', { contentEncoding: 'base64' }, 'AAH+', Buffer.from('0001fe', 'hex')],
    ['an integer', {}, 7, 7],
    ['a float', {}, 7.5, 7.5],
    ['null', {}, null, null],
    [
      'a date by allOf',
      { allOf: [{ type: 'string' }, { format: 'date' }] },
      '1990-12-24',
      new Tagged(1004, '1990-12-24'),
    ],
    [
      'dates of a tuple',
      { prefixItems: [{}, { format: 'date' }] },
      ['x', '1990-12-24'],
      ['x', new Tagged(1004, '1990-12-24')],
    ],
    ['dates of a list', { items: { format: 'date' } }, ['1990-12-24'], [new Tagged(1004, '1990-12-24')]],
    ['a format without meaning', { format: 'date' }, 7, 7],
  ])('%s', (_, schema, value, element) => {
    expect(elementOf(schema, value)).toEqual(element)
  })

  it.each<readonly [object, unknown, string]>([
    [{ format: 'date' }, '1990-13-24', 'Claim claim cannot stand in an mdoc: it is not a date.'],
    [{ format: 'date' }, '24.12.1990', 'Claim claim cannot stand in an mdoc: it is not a date.'],
    [{ format: 'date' }, '2026-02-30', 'Claim claim cannot stand in an mdoc: it is not a date.'],
    ...[
      '1990-12-24',
      '1990-12-24T01:02:03',
      '2026-02-29T01:02:03Z',
      '2016-12-31T23:59:60Z',
      '0000-01-01T00:00:00+01:00',
      '9999-12-31T23:59:59-01:00',
    ].map(
      (text) => [{ format: 'date-time' }, text, 'Claim claim cannot stand in an mdoc: it is not a date-time.'] as const,
    ),
    [{ contentEncoding: 'base64' }, 'AAH-', 'Claim claim cannot stand in an mdoc: it is not base64.'],
    [{}, '\ud800', 'Claim claim cannot stand in an mdoc: it holds a lone surrogate.'],
    [
      { properties: { of: { items: { format: 'date' } } } },
      { of: ['x'] },
      'Claim claim.of.0 cannot stand in an mdoc: it is not a date.',
    ],
  ])('are refused with the name of the claim: %j %j', (schema, value, message) => {
    expect(() => elementOf(schema, value)).toThrow(new CredentialError(message))
  })
})

const DATE = { type: 'string', format: 'date' }
const MOMENT = { type: 'string', format: 'date-time' }
const FULL_DATE = new Tagged(1004, '1990-12-24')
const KIND = { enum: ['date', 'text'] }

describe('The type of a text follows from all schemas that apply to it (JSON Schema Core 2020-12 §10)', () => {
  it.each<readonly [string, object, unknown, unknown]>([
    ['a date or null, by anyOf', { anyOf: [DATE, { type: 'null' }] }, '1990-12-24', FULL_DATE],
    ['null, if it may also be a date', { anyOf: [DATE, { type: 'null' }] }, null, null],
    ['a date or null, by oneOf', { oneOf: [{ type: 'null' }, DATE] }, '1990-12-24', FULL_DATE],
    ['a date or nothing', { anyOf: [DATE, { const: '' }] }, '1990-12-24', FULL_DATE],
    ['no value, if it may be a date', { anyOf: [DATE, { const: '' }] }, '', ''],
    ['a date or a moment', { anyOf: [DATE, MOMENT] }, '1990-12-24', FULL_DATE],
    ['a moment or a date', { anyOf: [DATE, MOMENT] }, '1990-12-24T01:02:03Z', new Tagged(0, '1990-12-24T01:02:03Z')],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    ['a date by then', { if: { type: 'string' }, then: { format: 'date' } }, '1990-12-24', FULL_DATE],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    ['text where then does not apply', { if: { maxLength: 3 }, then: { format: 'date' } }, 'long', 'long'],
    ['a date by else', { if: { type: 'number' }, else: { format: 'date' } }, '1990-12-24', FULL_DATE],
    ['dates of other members', { additionalProperties: DATE }, { of: '1990-12-24' }, new Map([['of', FULL_DATE]])],
    [
      'dates of members by a pattern',
      { patternProperties: { _date$: DATE }, additionalProperties: { type: 'string' } },
      { birth_date: '1990-12-24', name: '1990-12-24' },
      new Map<string, unknown>([
        ['birth_date', FULL_DATE],
        ['name', '1990-12-24'],
      ]),
    ],
    [
      'dates of members that no other rule describes',
      { unevaluatedProperties: DATE },
      { of: '1990-12-24' },
      new Map([['of', FULL_DATE]]),
    ],
    ['the rest of a tuple', { prefixItems: [{}], items: DATE }, ['x', '1990-12-24'], ['x', FULL_DATE]],
    ['elements that contains describes', { contains: DATE }, ['x', '1990-12-24'], ['x', FULL_DATE]],
    ['bytes as base64url', { contentEncoding: 'base64url' }, '_-8', Buffer.from('ffef', 'hex')],
    [
      'bytes as base64url or null',
      { anyOf: [{ contentEncoding: 'base64url' }, { type: 'null' }] },
      '_-8=',
      Buffer.from('ffef', 'hex'),
    ],
    ['bytes as base16', { contentEncoding: 'base16' }, 'FFef', Buffer.from('ffef', 'hex')],
    ['bytes by the format of OpenAPI', { type: 'string', format: 'byte' }, 'AAH+', Buffer.from('0001fe', 'hex')],
    ['bytes, in any case (RFC 2045 §6.1)', { contentEncoding: 'BASE64' }, 'AAH+', Buffer.from('0001fe', 'hex')],
  ])('%s', (_, schema, value, element) => {
    expect(faultOf({ properties: { claim: schema } })).toBeUndefined()
    expect(elementOf(schema, value)).toEqual(element)
  })

  it.each<readonly [string, object, Record<string, unknown>, unknown]>([
    ['a pattern at the top', { patternProperties: { '^cl': DATE } }, {}, FULL_DATE],
    ['the schema of all others', { additionalProperties: DATE }, {}, FULL_DATE],
    ['a definition', { $ref: '#/$defs/person', $defs: { person: { properties: { claim: DATE } } } }, {}, FULL_DATE],
    [
      'another claim, by then',
      {
        properties: { kind: KIND },
        if: { properties: { kind: { const: 'date' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { properties: { claim: DATE } },
      },
      { kind: 'date' },
      FULL_DATE,
    ],
    [
      'another claim, which does not',
      {
        properties: { kind: KIND },
        if: { properties: { kind: { const: 'date' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
        then: { properties: { claim: DATE } },
      },
      { kind: 'text' },
      '1990-12-24',
    ],
    [
      'the valid branch of a union',
      {
        oneOf: [
          { properties: { kind: { const: 'text' }, claim: { type: 'string' } } },
          { properties: { kind: { const: 'date' }, claim: DATE } },
        ],
      },
      { kind: 'date' },
      FULL_DATE,
    ],
    [
      'the presence of another claim',
      { dependentSchemas: { kind: { properties: { claim: DATE } } } },
      { kind: 'x' },
      FULL_DATE,
    ],
    ['its absence', { dependentSchemas: { kind: { properties: { claim: DATE } } } }, {}, '1990-12-24'],
    [
      'draft-07: dependencies',
      { $schema: 'http://json-schema.org/draft-07/schema#', dependencies: { kind: { properties: { claim: DATE } } } },
      { kind: 'x' },
      FULL_DATE,
    ],
  ])('decided by %s', (_, schema, others, element) => {
    expect(faultOf(schema)).toBeUndefined()
    expect(elementWithin(schema, { claim: '1990-12-24', ...others })).toEqual(element)
  })

  it.each<readonly [string, object, string]>([
    [
      'a date or any text',
      { anyOf: [DATE, { type: 'string' }] },
      'where /claim may be date or text: the schema must decide',
    ],
    [
      'the same by oneOf',
      { oneOf: [{ maxLength: 5 }, DATE] },
      'where /claim may be date or text: the schema must decide',
    ],
    ['a date or anything', { anyOf: [DATE, true] }, 'where /claim may be date or text: the schema must decide'],
    [
      'bytes or text',
      { anyOf: [{ contentEncoding: 'base64' }, { type: 'string' }] },
      'where /claim may be base64 or text: the schema must decide',
    ],
    [
      'bytes in two encodings',
      { anyOf: [{ contentEncoding: 'base64' }, { contentEncoding: 'base64url' }] },
      'where /claim may be base64 or base64url: the schema must decide',
    ],
    [
      'a date and bytes at once',
      { allOf: [DATE, { contentEncoding: 'base64' }] },
      'where /claim may be date or base64: the schema must decide',
    ],
    [
      'bytes without an encoding',
      { type: 'string', format: 'binary' },
      'where /claim has the format binary, which does not say how bytes are written: contentEncoding does',
    ],
    [
      'bytes without an encoding in a branch',
      { anyOf: [{ type: 'string', format: 'binary' }, { type: 'null' }] },
      'where /claim has the format binary, which does not say how bytes are written: contentEncoding does',
    ],
    [
      'an unsupported encoding',
      { contentEncoding: 'base32' },
      'where /claim has a contentEncoding that is none of base64, base64url and base16',
    ],
    [
      'a member of the claim',
      { properties: { 'a/b': { anyOf: [DATE, { type: 'string' }] } } },
      'where /claim/a~1b may be date or text: the schema must decide',
    ],
    [
      'elements of the claim',
      { items: { anyOf: [DATE, { type: 'string' }] } },
      'where /claim/* may be date or text: the schema must decide',
    ],
    [
      'other members of the claim',
      { additionalProperties: { anyOf: [DATE, { type: 'string' }] } },
      'where /claim/* may be date or text: the schema must decide',
    ],
  ])('undecided: %s', (_, schema, fault) => {
    expect(faultOf({ properties: { claim: schema } })).toBe(fault)
  })

  it('reading a schema is charged to the budget', () => {
    const mapping = { doctype: 'd', namespaces: { n: { e: '/claim' } } }
    expect(() => mdocElementsOf(mapping, { claim: 1 }, { properties: { claim: {} } }, new Work(10))).toThrow(
      WorkExceededError,
    )
  })

  it('definitions that refer to each other are read up to a limit', () => {
    const fan = (to: number) => ({
      properties: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`p${at}`, { $ref: `#/$defs/d${to}` }])),
    })
    const $defs = { d1: fan(2), d2: fan(3), d3: fan(4), d4: { type: 'string' } }
    expect(faultOf({ properties: { claim: { $ref: '#/$defs/d1' } }, $defs })).toBe('where /claim holds too many claims')
  })
})

describe('Whether a schema declares a claim', () => {
  it.each([
    ['/name/family', true],
    ['/issued', true],
    ['/privileges/0/from', true],
    ['/name', true],
    ['/name/middle', false],
    ['/other', false],
    ['', false],
    ['name', false],
    ['/a~2b', false],
    ['/constructor', false],
  ])('%s: %s', (pointer, declared) => {
    expect(mappingFaults(SCHEMA, [pointer], work()).get(pointer)).toBe(
      declared ? undefined : 'which the schema does not declare',
    )
  })

  it('with ~ and / in its name (RFC 6901 §3)', () => {
    expect(faultOf({ properties: { 'a/b~c': {} } }, '/a~1b~0c')).toBeUndefined()
  })
})

describe('Data elements as JSON (RFC 8949 §6.1)', () => {
  it.each([
    [Buffer.from('fbef', 'hex'), '--8'],
    [new Tagged(1004, '1990-12-24'), '1990-12-24'],
    [new Tagged(24, Buffer.from('00', 'hex')), 'AA'],
    [new Tagged(2, Buffer.from('fbef', 'hex')), '--8'],
    [new Tagged(3, Buffer.from('fbef', 'hex')), '~--8'],
    [new Tagged(21, Buffer.from('fbef', 'hex')), '--8'],
    [new Tagged(22, Buffer.from('fbef', 'hex')), '++8='],
    [new Tagged(23, Buffer.from('fbef', 'hex')), 'FBEF'],
    [2n ** 64n, 18446744073709552000],
    [Number.NaN, null],
    [undefined, null],
    [
      new Map<string | number, string>([
        [1, 'x'],
        ['a', 'y'],
      ]),
      { 1: 'x', a: 'y' },
    ],
  ])('%s', (value, json) => {
    expect(jsonOf(value)).toEqual(json)
  })

  it('no key of a map replaces another', () => {
    expect(() =>
      jsonOf(
        new Map<string | number, string>([
          [1, 'x'],
          ['1', 'y'],
        ]),
      ),
    ).toThrow('Credential has two keys of one name in a map.')
    expect(Object.keys(jsonOf(new Map([['__proto__', 'x']])) as object)).toEqual(['__proto__'])
  })
})

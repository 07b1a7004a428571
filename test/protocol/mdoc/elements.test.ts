import { describe, expect, it } from 'vitest'
import { CredentialError } from '../../../server/protocol/credential/verification.js'
import { Tagged } from '../../../server/protocol/mdoc/cbor/values.js'
import { declaresClaim, mdocElementsOf } from '../../../server/protocol/mdoc/mdoc.js'
import { jsonOf } from '../../../server/protocol/mdoc/values.js'
import { MAPPING, NAMESPACE, SCHEMA, SUBJECT } from './actors.js'

const elementOf = (schema: object, value: unknown) =>
  mdocElementsOf(
    { doctype: 'd', namespaces: { n: { e: '/claim' } } },
    { claim: value },
    { properties: { claim: schema } },
  )
    .get('n')
    ?.get('e')

describe('The data elements of a subject', () => {
  it('are those that it has, by namespace', () => {
    const { organDonor: _, ...subject } = SUBJECT
    const elements = mdocElementsOf(MAPPING, { ...subject, height: undefined }, SCHEMA)
    expect([...elements.keys()]).toEqual([NAMESPACE])
    expect([...(elements.get(NAMESPACE) ?? [])].map(([identifier]) => identifier)).not.toContain('height')
  })

  it('are never none', () => {
    expect(() => mdocElementsOf(MAPPING, {}, SCHEMA)).toThrow('The subject has no claim that stands in the mdoc.')
  })

  it.each([
    ['text', { type: 'string' }, '1990-12-24', '1990-12-24'],
    ['a date', { format: 'date' }, '1990-12-24', new Tagged(1004, '1990-12-24')],
    ['a moment', { format: 'date-time' }, '1990-12-24T01:02:03Z', new Tagged(0, '1990-12-24T01:02:03Z')],
    // ISO/IEC 18013-5 §7.2.1: no fraction of a second, no offset but Z.
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
    ['a format of no account', { format: 'date' }, 7, 7],
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
  ])('are refused by the name of the claim: %j %j', (schema, value, message) => {
    expect(() => elementOf(schema, value)).toThrow(new CredentialError(message))
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
    expect(declaresClaim(SCHEMA, pointer)).toBe(declared)
  })

  it('with ~ and / in its name (RFC 6901 §3)', () => {
    expect(declaresClaim({ properties: { 'a/b~c': {} } }, '/a~1b~0c')).toBe(true)
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

  it('no key of a map hides another', () => {
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

import { describe, expect, it } from 'vitest'
import { type FormPart, formOf } from '../../../server/protocol/json-schema/form.js'
import { linearPattern } from '../../../server/protocol/json-schema/linear-regexp.js'

const making = { titleOf: (path: readonly string[]) => path.join('.'), pattern: linearPattern }
const formFor = (schema: Readonly<Record<string, unknown>>) => formOf(schema, making)

/** Writes the form as text, with a line for each field. `*` marks fields that are required within their group. */
const written = (parts: readonly FormPart<string>[]): string[] =>
  parts.flatMap((part) => {
    const line = `${part.title}${part.required ? '*' : ''}: ${part.kind}`
    return part.kind === 'group' ? [line, ...written(part.parts)] : [line]
  })

const DEFINITIONS = {
  day: { type: 'string', format: 'date' },
  colour: { enum: ['red', 'green'] },
  address: {
    type: 'object',
    properties: { city: { type: 'string' }, within: { $ref: '#/$defs/address' } },
    required: ['city'],
  },
}

describe('the form of a schema has every property that the schema declares (JSON Schema Core 2020-12 §10)', () => {
  it.each([
    ['by $ref', { $ref: '#/$defs/address' }, ['city*: text', 'within: json']],
    ['by allOf', { allOf: [{ $ref: '#/$defs/address' }, { properties: { a: {} } }] }, ['city*', 'within', 'a']],
    ['by anyOf', { anyOf: [{ properties: { a: {} }, required: ['a'] }, { properties: { b: {} } }] }, ['a', 'b']],
    ['by oneOf', { oneOf: [{ properties: { a: {} } }, true] }, ['a']],
    [
      'by if, then and else',
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      { if: { properties: { a: {} } }, then: { properties: { b: {} } }, else: { properties: { c: {} } } },
      ['a', 'b', 'c'],
    ],
    ['by dependentSchemas', { properties: { a: {} }, dependentSchemas: { a: { properties: { b: {} } } } }, ['a', 'b']],
    [
      'once, if several schemas declare it',
      { properties: { a: {} }, allOf: [{ properties: { a: {} }, required: ['a'] }] },
      ['a*'],
    ],
  ])('%s', (_, schema, fields) => {
    const lines = written(formFor({ type: 'object', $defs: DEFINITIONS, ...schema }))
    expect(lines.map((line, at) => (fields[at]?.includes(': ') ? line : line.split(':')[0]))).toEqual(fields)
  })

  it('objects are groups, with members declared in any way; a recursive object is a JSON field', () => {
    const optional = { anyOf: [{ $ref: '#/$defs/address' }, { type: 'null' }] }
    const properties = { home: { $ref: '#/$defs/address' }, work: optional, open: { type: 'object' } }
    expect(written(formFor({ properties, required: ['home'], $defs: DEFINITIONS }))).toEqual([
      'home*: group',
      'home.city*: text',
      'home.within: json',
      'work: group',
      'work.city: text',
      'work.within: json',
      'open: json',
    ])
  })

  it('a claim is mandatory if all its parents are required', () => {
    const [home] = formFor({ properties: { home: { $ref: '#/$defs/address' } }, $defs: DEFINITIONS })
    expect(home?.kind === 'group' ? home.parts[0] : undefined).toMatchObject({ required: true, needed: false })
  })
})

describe('a field has the kind of all its values', () => {
  it.each([
    ['date', { $ref: '#/$defs/day' }],
    ['date', { anyOf: [{ $ref: '#/$defs/day' }, { type: 'null' }] }],
    ['date', { type: ['string', 'null'], format: 'date' }],
    ['date', { allOf: [{ type: 'string' }, { format: 'date' }] }],
    // If a claim may be a date or another text, the field is a text field, because a calendar cannot produce other texts.
    ['text', { anyOf: [{ $ref: '#/$defs/day' }, { type: 'string' }] }],
    [
      'text',
      {
        oneOf: [
          { type: 'string', format: 'date' },
          { type: 'string', format: 'date-time' },
        ],
      },
    ],
    ['dateTime', { type: 'string', format: 'date-time' }],
    ['time', { type: 'string', format: 'time' }],
    ['email', { type: 'string', format: 'email' }],
    ['link', { type: 'string', format: 'uri' }],
    ['text', { type: 'string', format: 'toString' }],
    ['long', { type: 'string', maxLength: 500 }],
    ['integer', { anyOf: [{ type: 'integer' }, { type: 'null' }] }],
    ['number', { type: ['integer', 'number'] }],
    ['lines', { type: 'array', items: { $ref: '#/$defs/day' } }],
    ['numbers', { type: 'array', items: { type: 'integer' } }],
    ['json', { type: 'array', items: { $ref: '#/$defs/address' } }],
    ['json', { type: ['string', 'integer'] }],
    ['json', { anyOf: [{ type: 'string' }, { type: 'boolean' }] }],
    ['json', {}],
  ])('%s: %j', (kind, property) => {
    expect(formFor({ properties: { claim: property }, $defs: DEFINITIONS })).toMatchObject([{ kind }])
  })

  it.each([
    [['red', 'green'], { $ref: '#/$defs/colour' }],
    [['red', 'green'], { anyOf: [{ $ref: '#/$defs/colour' }, { type: 'null' }] }],
    [['red', 'green', 3], { oneOf: [{ $ref: '#/$defs/colour' }, { const: 3 }] }],
    [['only'], { const: 'only' }],
    [[1, null], { enum: [1, null] }],
  ])('choice of %j: %j', (choices, property) => {
    expect(formFor({ properties: { claim: property }, $defs: DEFINITIONS })).toMatchObject([
      { kind: 'choice', choices },
    ])
  })

  it('no choice if a branch names no values, or leads back to itself', () => {
    const open = { anyOf: [{ $ref: '#/$defs/colour' }, { type: 'string' }] }
    const loop = { anyOf: [{ $ref: '#/properties/loop' }, { const: 1 }] }
    const form = formFor({ properties: { open, loop }, $defs: DEFINITIONS })
    expect(form.map(({ kind }) => kind)).toEqual(['text', 'json'])
  })
})

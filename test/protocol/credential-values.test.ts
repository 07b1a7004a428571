import { describe, expect, it } from 'vitest'
import { valueTitles, whenOf } from '../../server/protocol/credential-card/values.js'
import { SchemaPlace } from '../../server/protocol/json-schema/applicable.js'
import { linearPattern } from '../../server/protocol/json-schema/linear-regexp.js'
import { Work } from '../../server/protocol/work.js'

const titlesIn = (schema: Record<string, unknown>) =>
  [...valueTitles(SchemaPlace.root(schema, new Work(1_000_000), linearPattern))].map(([path, titles]) => [
    path,
    [...titles],
  ])

describe('the titles of values', () => {
  it('are the titles of branches with const, also behind a reference and in elements', () => {
    const level = { anyOf: [{ const: 'g', title: 'Gold' }, { const: 2, title: 'Two' }, { const: null }] }
    const schema = {
      $defs: { level },
      properties: { level: { title: 'Level', $ref: '#/$defs/level' }, levels: { items: { $ref: '#/$defs/level' } } },
    }
    const titles = [
      ['"g"', 'Gold'],
      ['2', 'Two'],
      ['null', undefined],
    ]
    expect(titlesIn(schema)).toEqual([
      ['["level"]', titles],
      ['["levels",null]', titles],
    ])
  })

  it('are absent for listed values, and the title of a claim with one value is not the title of the value', () => {
    expect(
      titlesIn({ properties: { a: { enum: ['x', 'y'] }, b: { const: 'x', title: 'Claim' }, c: { type: 'string' } } }),
    ).toEqual([
      [
        '["a"]',
        [
          ['"x"', undefined],
          ['"y"', undefined],
        ],
      ],
      ['["b"]', [['"x"', undefined]]],
    ])
  })
})

describe('a day or a moment (RFC 3339 §5.6)', () => {
  it.each([
    ['2026-11-27', '2026-11-27T00:00:00.000Z', true],
    ['1900-02-28', '1900-02-28T00:00:00.000Z', true],
    ['2026-11-27T10:05:00Z', '2026-11-27T10:05:00.000Z', false],
    ['2026-11-27T10:05:00.5+02:00', '2026-11-27T08:05:00.500Z', false],
    ['2026-11-27t10:05:00z', '2026-11-27T10:05:00.000Z', false],
  ])('%s', (text, at, isDay) => {
    expect(whenOf(text)).toEqual({ at: new Date(at), isDay })
  })

  it.each([
    '',
    '2026',
    '2026-11',
    '2026-02-30',
    '2026-13-01',
    '27.11.2026',
    '2026-11-27 10:05',
    '2026-11-27T25:00:00Z',
  ])('%j is none', (text) => expect(whenOf(text)).toBeUndefined())
})

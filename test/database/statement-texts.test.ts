import { describe, expect, it } from 'vitest'
import { emptyFragment, type Fragment, fragment, identifier, type SqlValue } from '../../server/database/fragment.js'
import { statementTexts } from '../../server/database/statement-texts.js'

/** Makes statements, and records the texts for which a name was requested. */
function texts() {
  const named: string[] = []
  const statementOf = statementTexts((text) => {
    named.push(text)
    return `name ${named.length}`
  })
  return { named, statementOf }
}

const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim()

const ATTACK = "x'); DROP TABLE keys; --"

describe('statementTexts', () => {
  it('numbers values in the order of the text, including the values of fragments', () => {
    const { statementOf } = texts()
    const inner = fragment`b = ${2} AND ${fragment`c = ${3}`}`
    const { text, values } = statementOf(fragment`SELECT ${1}::int WHERE ${inner} LIMIT ${4}`)
    expect(text).toBe('SELECT $1::int WHERE b = $2 AND c = $3 LIMIT $4')
    expect(values).toEqual([1, 2, 3, 4])
  })

  it('makes the text of the same templates once, and gives it the same name for other values', () => {
    const { named, statementOf } = texts()
    const of = (id: string) => statementOf(fragment`SELECT 1 WHERE ${fragment`id = ${id}`}`)
    expect(of('a')).toEqual({ name: 'name 1', text: 'SELECT 1 WHERE id = $1', values: ['a'] })
    expect(of('b')).toEqual({ name: 'name 1', text: 'SELECT 1 WHERE id = $1', values: ['b'] })
    expect(named).toHaveLength(1)
  })

  it.each([
    ['a text', ATTACK],
    ['an array', [ATTACK, ATTACK]],
    // The types forbid this value, but a caller's JSON may look like it.
    ['a value that looks like a fragment', { strings: [ATTACK], values: [] }],
    ['a value that looks like a template', Object.assign([ATTACK], { raw: [ATTACK] })],
  ])('never uses %s as a part of the statement', (_what, attack) => {
    const { statementOf } = texts()
    const of = (value: SqlValue) => statementOf(fragment`SELECT ${value} FROM ${fragment`keys WHERE id = ${value}`}`)
    for (const value of ['harmless', attack, emptyFragment, attack]) {
      const { text, values } = of(value)
      if (value === emptyFragment) expect(text).toBe('SELECT  FROM keys WHERE id = ')
      else {
        expect(text).toBe('SELECT $1 FROM keys WHERE id = $2')
        expect(values).toEqual([value, value])
      }
    }
  })

  it('distinguishes statements with fragments and values in exchanged places', () => {
    const { statementOf } = texts()
    const part = fragment`now()`
    const of = (first: SqlValue, second: SqlValue, third: SqlValue) =>
      statementOf(fragment`SELECT ${first}, ${second}, ${third}`).text
    const shapes = () => [
      of(part, 1, 1),
      of(1, part, 1),
      of(1, 1, part),
      of(part, part, 1),
      of(fragment`${1}`, part, part),
    ]
    const expected = [
      'SELECT now(), $1, $2',
      'SELECT $1, now(), $2',
      'SELECT $1, $2, now()',
      'SELECT now(), now(), $1',
      'SELECT $1, now(), now()',
    ]
    expect(shapes()).toEqual(expected)
    expect(shapes()).toEqual(expected)
  })

  it('distinguishes fragments with the same beginning', () => {
    const { statementOf } = texts()
    const where = (one: boolean): Fragment => (one ? fragment`id = ${1}` : fragment`id = ${1} AND open`)
    const of = (one: boolean) => statementOf(fragment`SELECT 1 WHERE ${where(one)}`).text
    expect([of(true), of(false), of(true), of(false)]).toEqual([
      'SELECT 1 WHERE id = $1',
      'SELECT 1 WHERE id = $1 AND open',
      'SELECT 1 WHERE id = $1',
      'SELECT 1 WHERE id = $1 AND open',
    ])
  })

  it('keeps a limited number of texts, and makes the right texts beyond the limit', () => {
    const { named, statementOf } = texts()
    const listOf = (length: number): Fragment =>
      length === 0 ? fragment`${0}` : fragment`${listOf(length - 1)}, ${length}`
    const of = (length: number) => statementOf(fragment`SELECT ${listOf(length)}`)
    const expected = (length: number) =>
      `SELECT ${Array.from({ length: length + 1 }, (_, at) => `$${at + 1}`).join(', ')}`
    for (let length = 0; length < 150; length += 1) expect(of(length).text).toBe(expected(length))
    const made = named.length
    // The cache no longer has the first text, but still has the last text.
    expect(of(149).text).toBe(expected(149))
    expect(named).toHaveLength(made)
    expect(of(0).text).toBe(expected(0))
    expect(named).toHaveLength(made + 1)
  })

  it('writes a time as UTC', () => {
    const { values } = texts().statementOf(fragment`SELECT ${new Date('2026-01-31T12:00:05.123Z')}::timestamptz`)
    expect(values).toEqual(['2026-01-31T12:00:05.123Z'])
  })
})

describe('identifier', () => {
  it('quotes names of the schema, and makes the text of each statement with them once', () => {
    const { named, statementOf } = texts()
    const of = (table: string) => squeezed(statementOf(fragment`SELECT 1 FROM ${identifier(table)}`).text)
    expect([of('keys'), of('key_sets'), of('keys')]).toEqual([
      'SELECT 1 FROM "keys"',
      'SELECT 1 FROM "key_sets"',
      'SELECT 1 FROM "keys"',
    ])
    expect(named).toHaveLength(2)
  })

  it.each(['', 'keys"', 'keys; DROP TABLE keys', 'a.b', 'Keys', '1keys', 'keys\n'])('refuses %j', (name) => {
    expect(() => identifier(name)).toThrow('The name is not a valid name of a table or column.')
  })
})

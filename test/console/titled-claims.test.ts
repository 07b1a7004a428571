import { describe, expect, it } from 'vitest'
import { titledClaims } from '../../client/console/ui/claim-titles.js'
import { inDeclaredOrder, leavesOf } from '../../client/console/ui/claims.js'

const VERSION = {
  schemaBody: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name' },
      home: {
        type: 'object',
        title: 'Home',
        properties: { street: { type: 'string', title: 'Street' }, city: { type: 'string', title: 'Town' } },
      },
      courses: {
        type: 'array',
        title: 'Courses',
        items: {
          type: 'object',
          properties: { title: { type: 'string', title: 'Course' }, grade: { type: 'number' } },
        },
      },
      born: { type: 'string' },
    },
  },
  display: [{ name: 'Diploma', locale: 'en' }],
  claims: [{ path: ['name'], display: [{ name: 'Vorname', locale: 'de' }] }],
}
const READER = { language: 'en', yes: 'Yes', no: 'No' }
const CLAIMS = {
  more: 'last',
  born: '1815-12-10',
  courses: [
    { grade: 1, title: 'Algebra' },
    { grade: 2, title: 'Logic' },
  ],
  home: { city: 'London', street: 'St James Square' },
  name: 'Ada',
}

describe('the claims of a thing', () => {
  it('are in the order of the type, with the titles of the type, and other claims are last', () => {
    expect(titledClaims(CLAIMS, VERSION, READER).map(({ title, value }) => [title, value])).toEqual([
      ['Name', 'Ada'],
      ['Home › Street', 'St James Square'],
      ['Home › Town', 'London'],
      ['Courses › 0 › Course', 'Algebra'],
      ['Courses › 1 › Course', 'Logic'],
      ['Courses › 0 › grade', '1'],
      ['Courses › 1 › grade', '2'],
      ['born', '10 December 1815'],
      ['more', 'last'],
    ])
  })

  it('have the titles of the language of the user', () => {
    expect(titledClaims({ name: 'Ada' }, VERSION, { ...READER, language: 'de' })[0]?.title).toBe('Vorname')
  })

  it('have values in words: titles of the type, dates of the language, yes and no', () => {
    const level = { title: 'Level', oneOf: [{ const: 'g', title: 'Gold member' }, { const: 's' }] }
    const schemaBody = {
      type: 'object',
      properties: { level, levels: { type: 'array', items: level }, rank: { anyOf: [{ const: 1, title: 'First' }] } },
    }
    const claims = {
      level: 'g',
      levels: ['s', 'g'],
      rank: 1,
      adult: true,
      since: '2026-02-01',
      note: '2026-02-30',
      other: 'g',
    }
    const german = { language: 'de', yes: 'Ja', no: 'Nein' }
    expect(titledClaims(claims, { ...VERSION, schemaBody, claims: [] }, german).map(({ value }) => value)).toEqual([
      'Gold member',
      's, Gold member',
      'First',
      'Ja',
      '1. Februar 2026',
      '2026-02-30',
      'g',
    ])
  })

  it('of an unknown type keep their order and their names', () => {
    expect(titledClaims({ b: 1, a: { c: 2 } }, undefined, READER)).toEqual([
      { key: 'b', title: 'b', value: '1' },
      { key: 'a\0c', title: 'a › c', value: '2' },
    ])
  })

  it('of a mobile document are in the order of its metadata', () => {
    const leaves = leavesOf({ ns: { born: 'x', name: 'y', other: 'z' } })
    const paths = inDeclaredOrder(leaves, [
      ['ns', 'name'],
      ['ns', 'born'],
    ]).map(({ path }) => path[1])
    expect(paths).toEqual(['name', 'born', 'other'])
  })
})

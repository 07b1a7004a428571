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
    expect(titledClaims(CLAIMS, VERSION, 'en').map(({ title, value }) => [title, value])).toEqual([
      ['Name', 'Ada'],
      ['Home › Street', 'St James Square'],
      ['Home › Town', 'London'],
      ['Courses › 0 › Course', 'Algebra'],
      ['Courses › 1 › Course', 'Logic'],
      ['Courses › 0 › grade', '1'],
      ['Courses › 1 › grade', '2'],
      ['born', '1815-12-10'],
      ['more', 'last'],
    ])
  })

  it('have the titles of the language of the user', () => {
    expect(titledClaims({ name: 'Ada' }, VERSION, 'de')[0]?.title).toBe('Vorname')
  })

  it('of an unknown type keep their order and their names', () => {
    expect(titledClaims({ b: 1, a: { c: 2 } }, undefined, 'en')).toEqual([
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

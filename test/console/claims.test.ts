import { describe, expect, it } from 'vitest'
import { EMPTY_SCHEMA, emptyRow, rowsOf, schemaOf, selectiveOf } from '../../client/console/screens/types/claims.js'
import { draftOf, type TypeDraft } from '../../client/console/screens/types/draft.js'
import { fieldOfPath } from '../../client/console/screens/types/fields.js'
import { differences, shownClaims } from '../../client/console/screens/types/shown-claims.js'
import demonstration from '../../prisma/seed/proof-of-purchase.json' with { type: 'json' }

describe('the table of claims and the JSON Schema are two views of the same schema', () => {
  it('a schema comes back from the table unchanged, including parts that the table does not show', () => {
    const rows = rowsOf(demonstration.schema, demonstration.selectivelyDisclosable)
    expect(rows?.map(({ path }) => path)).toContain('price.amount')
    expect(schemaOf(rows ?? [], demonstration.schema)).toEqual(demonstration.schema)
    expect(new Set(selectiveOf(rows ?? []))).toEqual(new Set(demonstration.selectivelyDisclosable))
  })

  it.each([
    { type: 'string', format: 'uuid', title: 'Id' },
    { type: 'string', enum: ['gold', 'silver'] },
    { type: 'string', enum: ['one, two', 'three'] },
    { type: 'integer', enum: [1, 2] },
    { type: ['string', 'null'] },
    { type: 'array', items: { type: 'string' } },
    { $ref: '#/$defs/address' },
    { type: 'string', const: 'x', description: 'always x' },
    { type: 'object' },
    { type: 'object', properties: {}, additionalProperties: false },
    {},
  ])('a claim of %j comes back unchanged', (property) => {
    const schema = { ...EMPTY_SCHEMA, properties: { claim: property }, $defs: { address: { type: 'string' } } }
    const rows = rowsOf(schema, undefined)
    expect(rows).toHaveLength(1)
    expect(schemaOf(rows ?? [], schema)).toEqual(schema)
  })

  it.each([
    { properties: { 'a.b': { type: 'string' } } },
    { properties: { claim: true } },
    { type: 'array', items: {} },
    // Otherwise, if a user published from the table, holders could no longer withhold the claims that the table does
    // not show.
    { $ref: '#/$defs/named', $defs: { named: { properties: { name: {} } } } },
    { properties: { a: {} }, allOf: [{ properties: { b: {} } }] },
    { properties: { a: { type: 'object', properties: {}, if: {}, else: { properties: { b: {} } } } } },
    { properties: { a: {} }, allOf: [{ $ref: '#/$defs/nowhere' }] },
  ])('%j cannot be shown as a table', (schema) => {
    expect(rowsOf(schema, undefined)).toBeUndefined()
  })

  it('a schema that is read has the claims behind references and combinations too', () => {
    const schema = {
      allOf: [{ $ref: '#/$defs/named' }],
      properties: { home: { $ref: '#/$defs/address' } },
      $defs: {
        named: { properties: { name: { type: 'string' }, level: { enum: ['gold', 3] } }, required: ['name'] },
        address: { type: 'object', properties: { since: { type: 'string', format: 'date' } } },
      },
    }
    const rows = shownClaims(schema, ['name', 'home.since'], new Map([['["home","since"]', 'Since']]))
    expect(rows).toEqual([
      { path: 'home', title: '', kind: 'group', values: '', required: false, selective: false },
      { path: 'home.since', title: 'Since', kind: 'date', values: '', required: false, selective: true },
      { path: 'name', title: '', kind: 'text', values: '', required: true, selective: true },
      { path: 'level', title: '', kind: 'text', values: 'gold, 3', required: false, selective: false },
    ])
  })

  it('a dotted name makes a group, and rows without a name are ignored', () => {
    const rows = [
      { ...emptyRow(), path: ' address.city ', required: true },
      { ...emptyRow(), path: '' },
    ]
    expect(schemaOf(rows, EMPTY_SCHEMA)).toEqual({
      ...EMPTY_SCHEMA,
      properties: { address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
    })
    expect(selectiveOf(rows)).toEqual(['address.city'])
  })

  it('a claim with a changed type keeps no rule of its former type', () => {
    const [row] = rowsOf({ properties: { day: { type: 'string', format: 'date' } } }, undefined) ?? []
    const changed = [{ ...emptyRow(), ...row, kind: 'integer' as const }]
    expect(schemaOf(changed, {})).toEqual({ type: 'object', properties: { day: { type: 'integer' } } })
  })

  it('two versions differ by their added, removed and changed claims', () => {
    const before = rowsOf({ properties: { a: { type: 'string' }, b: { type: 'string' }, c: {} } }, undefined) ?? []
    const after = rowsOf({ properties: { a: { type: 'string' }, b: { type: 'number' }, d: {} } }, undefined) ?? []
    expect(differences(before, after)).toEqual([
      { path: 'b', change: 'changed', parts: ['kind'] },
      { path: 'c', change: 'removed' },
      { path: 'd', change: 'added' },
    ])
  })
})

describe('the service’s messages about a field appear at that field', () => {
  const rows = [
    { ...emptyRow(), path: 'price' },
    { ...emptyRow(), path: 'price.iss' },
  ]
  const draft: TypeDraft = { ...draftOf(undefined, 'en'), rows }
  const sent = { name: 'Card', version: 1, schema: {} }
  it.each([
    ['name', 'name'],
    ['schema.properties.price', 'rows.0.path'],
    ['schema.properties.price.properties.iss', 'rows.1.path'],
    ['schema.properties.price.minLength', 'rows.0.path'],
    ['display.0.name', 'names.0.name'],
    ['expiresInDays', 'expiresInDays'],
    ['retention.claims.days', 'retentionDays'],
    ['mdoc.doctype', 'doctype'],
    ['unknown', undefined],
  ])('%s: %s', (path, field) => {
    expect(fieldOfPath(path, draft, sent)).toBe(field)
  })
})

import { describe, expect, it } from 'vitest'
import {
  draftOf,
  newVersion,
  schemaOfDraft,
  type TypeDraft,
  written,
} from '../../client/console/screens/types/draft.js'
import type { CredenceOutputs } from '../../client/index.js'

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    home: { type: 'object', properties: { city: { type: 'string' } } },
  },
}
const VERSION: CredenceOutputs['schemas']['read'] = {
  id: '6a1f3c0e-4c55-4f0e-8a56-1d3b1f0c9a11',
  name: 'Member',
  type: 'Member',
  version: 1,
  schemaUri: 'https://credence.example.org/api/v1/schemas/1',
  schemaBody: SCHEMA,
  selectivelyDisclosable: ['name', 'home.city'],
  expiresInDays: 30,
  claimsFrom: { name: '/name' },
  keyAttestation: { keyStorage: ['iso_18045_high'] },
  retention: { claims: { days: 20 }, record: { days: 60 } },
  active: true,
  issuers: [],
  createdAt: '2026-01-01T00:00:00.000Z',
}

/** The call that publishes a draft, with the schema as JSON. */
const publishedAsJson = (draft: TypeDraft, before: typeof VERSION | undefined, schema: object = SCHEMA) => {
  const asJson: TypeDraft = { ...draft, mode: 'json', json: written({ ...schema }) }
  return newVersion(asJson, schemaOfDraft(asJson) ?? {}, [], before)
}

const withRow = (draft: TypeDraft, path: string, selective: boolean): TypeDraft => ({
  ...draft,
  rows: draft.rows.map((row) => (row.path === path ? { ...row, selective } : row)),
})

describe('a setting that a schema cannot contain is kept when the user switches from the table to JSON', () => {
  it('withholding, selected and not selected in the table', () => {
    const changed = withRow(withRow(draftOf(VERSION, 'en'), 'name', false), 'age', true)
    expect(publishedAsJson(changed, VERSION).selectivelyDisclosable).toEqual(['age', 'home.city'])
  })

  it('withholding of a new type', () => {
    const draft = { ...draftOf({ ...VERSION, selectivelyDisclosable: undefined }, 'en') }
    expect(publishedAsJson(withRow(draft, 'age', false), undefined).selectivelyDisclosable).toEqual(['name', 'home'])
  })

  it('whether its credentials can be suspended', () => {
    expect(publishedAsJson(draftOf(VERSION, 'en'), VERSION)).not.toHaveProperty('suspendable')
    const suspendable = { ...VERSION, suspendable: true as const }
    expect(publishedAsJson(draftOf(suspendable, 'en'), suspendable).suspendable).toBe(true)
    expect(publishedAsJson({ ...draftOf(suspendable, 'en'), suspendable: false }, suspendable)).not.toHaveProperty(
      'suspendable',
    )
  })

  it('a claim that is new in the JSON may be withheld, and a removed claim is no longer named', () => {
    const schema = { type: 'object', properties: { name: { type: 'string' }, card: { type: 'string' } } }
    expect(publishedAsJson(draftOf(VERSION, 'en'), VERSION, schema).selectivelyDisclosable).toEqual(['name', 'card'])
  })

  const text = { type: 'string' }

  it.each([
    ['allOf', { ...SCHEMA, allOf: [{ properties: { card: text } }] }],
    ['a reference', { ...SCHEMA, $ref: '#/$defs/more', $defs: { more: { properties: { card: text } } } }],
    ['a branch', { ...SCHEMA, if: { required: ['age'] }, else: { properties: { card: text } } }],
  ])('a claim that is new behind %s, which the table cannot show, may be withheld', (_, schema) => {
    const draft = withRow(draftOf(VERSION, 'en'), 'age', false)
    expect(publishedAsJson(draft, VERSION, schema).selectivelyDisclosable).toEqual(['name', 'home.city', 'card'])
    expect(publishedAsJson(draft, undefined, schema).selectivelyDisclosable).toEqual(['name', 'home.city', 'card'])
  })

  it('a removed claim of a schema that the table cannot show is no longer named', () => {
    const schema = { type: 'object', allOf: [{ properties: { name: text, fresh: text } }] }
    expect(publishedAsJson(draftOf(VERSION, 'en'), VERSION, schema).selectivelyDisclosable).toEqual(['name', 'fresh'])
  })

  it('claims that the table never showed: unchanged, without removed claims, with new claims', () => {
    const schemaBody = { type: 'object', allOf: [{ properties: { name: text, age: text, gone: text } }] }
    const version = { ...VERSION, schemaBody, selectivelyDisclosable: ['name', 'gone'] }
    const schema = { type: 'object', allOf: [{ properties: { name: text, age: text, card: text } }] }
    expect(publishedAsJson(draftOf(version, 'en'), version, schema).selectivelyDisclosable).toEqual(['name', 'card'])
  })

  it('a claim that the table cannot show keeps the setting of the previous version', () => {
    const schemaBody = { ...SCHEMA, properties: { ...SCHEMA.properties, 'a.b': {} } }
    const version = { ...VERSION, schemaBody }
    expect(publishedAsJson(draftOf(version, 'en'), version, schemaBody).selectivelyDisclosable).toEqual([
      'name',
      'home.city',
    ])
  })

  it('expiry, retention, claims of the identity provider and key attestation', () => {
    expect(publishedAsJson(draftOf(VERSION, 'en'), VERSION)).toMatchObject({
      expiresInDays: 30,
      retention: VERSION.retention,
      claimsFrom: VERSION.claimsFrom,
      keyAttestation: VERSION.keyAttestation,
    })
  })

  it('retention as the author changes it, with the retention of records', () => {
    const draft = draftOf(VERSION, 'en')
    expect(draft).toMatchObject({ retention: 'days', retentionDays: '20' })
    const published = (changes: Partial<TypeDraft>) => publishedAsJson({ ...draft, ...changes }, VERSION).retention
    expect(published({ retention: 'untilIssued' })).toEqual({ claims: 'untilIssued', record: { days: 60 } })
    expect(published({ retentionDays: ' 7 ' })).toEqual({ claims: { days: 7 }, record: { days: 60 } })
    expect(published({ retention: 'default' })).toBeUndefined()
  })

  it('withholding inside a claim that the table does not show, in the table and in JSON', () => {
    const schemaBody = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        home: { $ref: '#/$defs/address' },
        tags: { type: 'array', items: { type: 'string' } },
        gone: { type: ['string', 'null'] },
      },
      $defs: { address: { type: 'object', properties: { city: { type: 'string' } } } },
    }
    const selectivelyDisclosable = ['name', 'home.city', 'tags.*', 'gone.city']
    const version = { ...VERSION, schemaBody, selectivelyDisclosable }
    const draft = draftOf(version, 'en')
    expect(draft.mode).toBe('table')
    const table = newVersion(draft, schemaOfDraft(draft) ?? {}, [], version).selectivelyDisclosable
    // The last claim is not in the published schema.
    expect(table).toEqual(['name', 'home.city', 'tags.*'])
    expect(publishedAsJson(draft, version, schemaBody).selectivelyDisclosable).toEqual(table)
  })
})

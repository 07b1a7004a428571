import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { newTypeName, postSchema } from '../purchase.js'

let service: TestService
let alice: string

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice')
})
afterAll(() => service.close())

const post = (members: Readonly<Record<string, unknown>>, name = newTypeName()) =>
  service.request('POST', '/schemas', { authorization: alice, body: { name, version: 1, ...members } })

const PERSON = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $ref: '#/$defs/named',
  properties: {
    'name.at.birth': { type: 'string' },
    address: { $ref: '#/$defs/address' },
    nationalities: { type: 'array', items: { type: 'string' } },
    nicknames: { type: 'array' },
    homes: { type: 'array', items: { $ref: '#/$defs/address' } },
    pair: { prefixItems: [{ type: 'string' }, { type: 'object', properties: { code: {} } }] },
    anything: { type: 'object' },
    parent: { $ref: '#' },
  },
  allOf: [{ properties: { age: { type: 'integer', title: 'Age' } }, required: ['age'] }],
  anyOf: [{ properties: { passport: { type: 'string' } } }, { properties: { card: { type: 'string' } } }],
  oneOf: [{ properties: { married: { const: true }, spouse: { type: 'string' } } }, { properties: { single: {} } }],
  if: { required: ['passport'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { properties: { visa: { type: 'string' } } },
  else: { properties: { permit: { type: 'string' } } },
  dependentSchemas: { card: { properties: { card_issuer: { type: 'string' } } } },
  patternProperties: { '^x_': { type: 'object', properties: { note: { type: 'string' } } } },
  $defs: {
    named: { properties: { given_name: { type: 'string', title: 'Given name' } }, required: ['given_name'] },
    address: {
      type: 'object',
      title: 'Address',
      properties: { street: { type: 'string' }, country: { enum: ['DE', 'NL'] } },
      required: ['country'],
      additionalProperties: { type: 'string' },
    },
  },
}

const DECLARED = [
  'given_name',
  'name.at.birth',
  'address',
  'address.street',
  'address.any_other',
  'nationalities.*',
  'nationalities.0',
  'nicknames.*',
  'homes.*.street',
  'homes.1.country',
  'pair.1.code',
  'anything.at_all',
  'parent.parent.age',
  'age',
  'passport',
  'card',
  'spouse',
  'single',
  'visa',
  'permit',
  'card_issuer',
  'x_1',
  'x_1.note',
]

describe('selectivelyDisclosable: a claim whose path it does not list is disclosed in every credential (RFC 9901 §4.2)', () => {
  it('accepts every path to a claim that a part of the schema declares', async () => {
    const answer = await post({ schema: PERSON, selectivelyDisclosable: DECLARED })
    expect([answer.status, answer.json.selectivelyDisclosable], answer.text.slice(0, 300)).toEqual([201, DECLARED])
  })

  it.each([
    '/given_name',
    '$.given_name',
    "$['given_name']",
    'givenname',
    'Given_name',
    'given_name ',
    'address/street',
    'address.',
    '.address',
    'address..street',
    'given_name.first',
    'age.0',
    'pair.1.kode',
    'homes.street',
    'nationalities.first',
    'anything./x',
    'y_1',
    'x_1.notes',
    'constructor',
  ])('refuses %j by name, and nothing is stored', async (path) => {
    const name = newTypeName()
    const answer = await post({ schema: PERSON, selectivelyDisclosable: ['age', path] }, name)
    expect([answer.status, answer.json.message]).toEqual([
      400,
      [`selectivelyDisclosable.1 names ${path}, which the schema does not declare`],
    ])
    expect(await query(service.databaseUrl, 'SELECT 1 FROM schemas WHERE name = $1', [name])).toEqual([])
  })

  it('names each of several wrong paths, also in other settings', async () => {
    const answer = await post({
      schema: PERSON,
      selectivelyDisclosable: ['age', '/age', 'agee'],
      claims: [{ path: ['aged'], display: [{ name: 'Alter', locale: 'de' }] }],
    })
    expect(answer.json.message).toEqual([
      'claims.0.path must lead to a property of the schema',
      'selectivelyDisclosable.1 names /age, which the schema does not declare',
      'selectivelyDisclosable.2 names agee, which the schema does not declare',
    ])
  })

  it.each(['id', 'id.scheme'])(
    'refuses %s, because the identifier of the subject is sub, which every verifier sees',
    async (path) => {
      const answer = await post({
        schema: { properties: { id: { type: 'string' } } },
        selectivelyDisclosable: [path],
      })
      expect([answer.status, answer.json.message]).toEqual([
        400,
        ['selectivelyDisclosable.0 must not be id, which every verifier sees as sub'],
      ])
    },
  )

  it('an object that allows no other members, or that names members, is not free-form', async () => {
    for (const schema of [
      { type: 'object', additionalProperties: false },
      { type: 'object', properties: { a: {} } },
      { properties: { a: {} }, additionalProperties: true },
    ])
      expect((await post({ schema, selectivelyDisclosable: ['b'] })).status).toBe(400)
    expect((await post({ schema: { type: 'object' }, selectivelyDisclosable: ['list.*'] })).status).toBe(201)
    expect((await post({ schema: { type: 'object' }, selectivelyDisclosable: ['/list'] })).status).toBe(400)
  })

  const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
  const DRAFT_07 = 'http://json-schema.org/draft-07/schema#'

  it.each<[string, object, string, string]>([
    ['names that are listed', { type: 'object', propertyNames: { enum: ['mail', 'phone'] } }, 'mail', 'fax'],
    ['the only name', { type: 'object', propertyNames: { const: 'mail' } }, 'mail', 'fax'],
    ['a name that is ruled out', { type: 'object', properties: { fax: false } }, 'mail', 'fax'],
    ['a longest array', { properties: { a: { type: 'array', maxItems: 2 } } }, 'a.1', 'a.2'],
    [
      'a longest array of declared elements',
      { properties: { a: { type: 'array', maxItems: 1, items: {} } } },
      'a.0',
      'a.1',
    ],
    [
      'a closed tuple',
      { $schema: DIALECT, properties: { a: { type: 'array', prefixItems: [{}], items: false } } },
      'a.0',
      'a.1',
    ],
    [
      'a tuple that unevaluatedItems closes',
      { $schema: DIALECT, properties: { a: { type: 'array', prefixItems: [{}], unevaluatedItems: false } } },
      'a.0',
      'a.1',
    ],
    [
      'a closed tuple of draft-07',
      { $schema: DRAFT_07, properties: { a: { type: 'array', items: [{}], additionalItems: false } } },
      'a.0',
      'a.1',
    ],
    ['an open tuple', { $schema: DIALECT, properties: { a: { type: 'array', prefixItems: [{}] } } }, 'a.7', 'a.x'],
  ])('of %s a path may name only a claim that can exist', async (_, schema, good, bad) => {
    const taken = await post({ schema, selectivelyDisclosable: [good] })
    expect(taken.status, taken.text).toBe(201)
    const refused = await post({ schema, selectivelyDisclosable: [bad] })
    expect([refused.status, refused.json.message]).toEqual([
      400,
      [`selectivelyDisclosable.0 names ${bad}, which the schema does not declare`],
    ])
  })

  it('attack: paths whose steps can follow a recursive schema in two ways cost at most the budget of one request', async () => {
    const schema = { properties: { '*': { $ref: '#' } }, items: { $ref: '#' } }
    const paths = Array.from({ length: 200 }, (_, at) => `${'*.'.repeat(100)}none${at}`)
    const answer = await post({ schema, selectivelyDisclosable: paths })
    expect(answer.status, answer.text.slice(0, 300)).toBe(400)
  })
})

describe('claims are described for every way in which a schema can declare them (OpenID4VCI 1.0 Appendix B.2)', () => {
  it('in the metadata of the issuer and of the type, with their titles and whether they are mandatory', async () => {
    const { name } = await postSchema(service, alice, {
      schema: PERSON,
      claims: [{ path: ['address', 'street'], display: [{ name: 'Straße', locale: 'de' }] }],
    })
    const metadata = await service.request('GET', '/.well-known/openid-credential-issuer')
    const { claims } = metadata.json.credential_configurations_supported[`${name}-sd-jwt`].credential_metadata
    const byPath = new Map<string, unknown>(claims.map((claim: { path: string[] }) => [claim.path.join('/'), claim]))
    const paths = [
      'given_name',
      'age',
      'address/street',
      'passport',
      'spouse',
      'single',
      'visa',
      'permit',
      'card_issuer',
    ]
    for (const path of paths) expect([...byPath.keys()]).toContain(path)
    expect(byPath.get('given_name')).toEqual({
      path: ['given_name'],
      mandatory: true,
      display: [{ name: 'Given name', locale: 'en' }],
    })
    expect(byPath.get('age')).toMatchObject({ mandatory: true, display: [{ name: 'Age', locale: 'en' }] })
    expect(byPath.get('passport')).toMatchObject({ mandatory: false })
    expect(byPath.get('address/street')).toMatchObject({ display: [{ name: 'Straße', locale: 'de' }] })
    // A recursive schema is described once.
    expect(byPath.has('parent')).toBe(true)
    expect(byPath.has('parent/age')).toBe(false)
    const type = (await service.request('GET', `/vct/${name}`)).json
    expect(type.claims).toContainEqual({
      path: ['given_name'],
      sd: 'always',
      mandatory: true,
      display: [{ locale: 'en', label: 'Given name' }],
    })
  })

  it('a claim behind $ref or allOf may come from the identity provider, an undeclared claim may not', async () => {
    const claimsFrom = { given_name: '/given_name', age: '/age' }
    expect((await post({ schema: PERSON, claimsFrom })).status).toBe(201)
    const refused = await post({ schema: PERSON, claimsFrom: { ...claimsFrom, sex: '/sex' } })
    expect(refused.json.message).toEqual(['claimsFrom.sex must be a property of the schema'])
  })

  it('reserved names of a format are found behind $ref and allOf too', async () => {
    const schema = {
      allOf: [{ properties: { iss: {} } }, { $ref: '#/definitions/more' }],
      definitions: { more: { properties: { exp: {} } } },
    }
    const answer = await post({ schema })
    expect(answer.json.message).toEqual(
      ['iss', 'exp'].map(
        (name) => `schema.properties.${name} must not be declared: the name is reserved in an SD-JWT VC`,
      ),
    )
  })

  it('attack: a few definitions that give very many claims are refused when the schema is posted', async () => {
    const fan = (to: number) => ({
      properties: Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [`p${at}`, { $ref: `#/definitions/d${to}` }]),
      ),
    })
    const answer = await post({
      schema: { $ref: '#/definitions/d1', definitions: { d1: fan(2), d2: fan(3), d3: fan(4), d4: fan(5), d5: {} } },
    })
    expect([answer.status, answer.json.message]).toEqual([
      400,
      ['schema must not declare more than 2000 claims, nor so many schemas for one claim'],
    ])
  })
})

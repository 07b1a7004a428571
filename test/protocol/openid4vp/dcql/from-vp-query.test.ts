import { DcqlQuery as LibraryQuery } from 'dcql'
import { describe, expect, it } from 'vitest'
import { jwtVcView } from '../../../../server/formats/jwt-vc-json/view.js'
import { itemOfCredentialId } from '../../../../server/protocol/openid4vp/dcql/from-vp-query.js'
import { type FieldConstraint, VpQueryError } from '../../../../server/protocol/openid4vp/query/vp-query.js'
import { requestWork } from '../../request-work.js'
import { dcqlOf, INSTALLATION, sdJwtView, zDcqlQuery } from '../formats.js'
import { queryOfLibrary } from './library-query.js'
import { matchDcql } from './match-dcql.js'

const BASE = `${INSTALLATION.issuerBaseUrl}/vct`
const TYPES = ['Person', 'Degree']
const ALL_VCTS = TYPES.map((name) => `${BASE}/${name}`)
const anyCredential = [['https://www.w3.org/2018/credentials#VerifiableCredential'], ['VerifiableCredential']]

function dcql(items: FieldConstraint[][], types = TYPES) {
  const query = dcqlOf(items, ...types)
  // Every result is checked as a DCQL query by this service and by the library that wallets use.
  expect(zDcqlQuery.parse(query)).toEqual(query)
  queryOfLibrary(query)
  return query
}
const [of, person] = [
  (name: string): FieldConstraint => ({ path: ['$.type'], filter: { type: 'array', contains: { const: name } } }),
  { path: ['$.vc.type', '$.type'], filter: { const: 'Person' } } satisfies FieldConstraint,
]
const formats = (query: ReturnType<typeof dcql>) => query.credentials.map(({ format }) => format)
const metas = (query: ReturnType<typeof dcql>) => query.credentials.map(({ meta }) => meta)

describe('a VP query as DCQL', () => {
  it('has one credential query for each format of an item, joined by credential_sets (§6.4.2)', () => {
    expect(dcql([[person, { path: ['$.credentialSubject.age'], filter: { minimum: 18 } }]])).toEqual({
      credentials: [
        {
          id: 'item-0-sd-jwt',
          format: 'dc+sd-jwt',
          meta: { vct_values: [`${BASE}/Person`] },
          claims: [{ path: ['age'] }],
        },
        {
          id: 'item-0-jwt-vc',
          format: 'jwt_vc_json',
          meta: { type_values: [['Person']] },
          claims: [{ path: ['credentialSubject', 'age'] }],
        },
      ],
      credential_sets: [{ options: [['item-0-sd-jwt'], ['item-0-jwt-vc']] }],
    })
  })

  it('has a credential set for each item, also for an item of a single format', () => {
    const query = dcql([[person], [{ path: ['$.vct'], filter: { const: 'https://other.example' } }]])
    expect(query.credential_sets).toEqual([
      { options: [['item-0-sd-jwt'], ['item-0-jwt-vc']] },
      { options: [['item-1-sd-jwt']] },
    ])
  })

  it('has no credential sets if no item has two formats', () => {
    expect(dcql([[{ path: ['$.vct'], filter: { const: 'https://other.example' } }]]).credential_sets).toBeUndefined()
  })

  it('always has the same ids, which name the item', () => {
    expect(dcql([[person], [person]]).credentials.map(({ id }) => itemOfCredentialId(id))).toEqual([0, 0, 1, 1])
    expect(dcql([[person]])).toEqual(dcql([[person]]))
    for (const id of ['item-x-sd-jwt', 'item-1', 'other', 'item-1-sd-jwt-2', '__proto__'])
      expect(itemOfCredentialId(id)).toBeUndefined()
  })

  it('asks for no claims if an item has only the field for its type', () => {
    expect(dcql([[person]]).credentials.map(({ claims }) => claims)).toEqual([undefined, undefined])
  })
})

describe('the type', () => {
  it.each([
    ['const', { const: 'Person' }],
    ['enum', { enum: ['Person'] }],
    ['contains const', { contains: { const: 'Person' } }],
    ['contains enum', { contains: { type: 'string', enum: ['Person'] } }],
    ['const of an array', { const: ['VerifiableCredential', 'Person'] }],
  ] as const)('is named by %s on $.type and $.vc.type', (_, filter) => {
    for (const path of [['$.type'], ['$.vc.type'], ['$.vc.type', '$.type'], ['$.type[*]']]) {
      expect(metas(dcql([[{ path, filter }]]))).toEqual([
        { vct_values: [`${BASE}/Person`] },
        { type_values: [['Person']] },
      ])
    }
  })

  it('may be one of several', () => {
    expect(metas(dcql([[{ path: ['$.type'], filter: { contains: { enum: ['Person', 'Degree'] } } }]]))).toEqual([
      { vct_values: [`${BASE}/Person`, `${BASE}/Degree`] },
      { type_values: [['Person'], ['Degree']] },
    ])
  })

  it('is unchanged if it is not a type of this installation', () => {
    expect(metas(dcql([[of('https://other.example/id')]]))).toEqual([
      { vct_values: ['https://other.example/id'] },
      { type_values: [['https://other.example/id']] },
    ])
  })

  it('may be several types at once, but an SD-JWT VC has only one type', () => {
    const query = dcql([[of('Person'), of('Employee')]])
    expect(formats(query)).toEqual(['jwt_vc_json'])
    expect(metas(query)).toEqual([{ type_values: [['Person', 'Employee']] }])
  })

  it.each([
    [[]],
    [[{ path: ['$.type'], filter: { type: 'array' } }]],
    [[of('VerifiableCredential')]],
    [[{ path: ['$.type'] }]],
  ])('without a constraint is any type of this installation, or any type: %j', (fields) => {
    expect(metas(dcql([fields as FieldConstraint[]]))).toEqual([
      { vct_values: ALL_VCTS },
      { type_values: anyCredential },
    ])
  })

  it('without a constraint and without a type in the installation, only jwt_vc_json is asked for', () => {
    expect(metas(dcql([[]], []))).toEqual([{ type_values: anyCredential }])
  })

  it('is not named by other keywords or other paths', () => {
    expect(metas(dcql([[{ path: ['$.type'], filter: { contains: { pattern: 'Person' } } }]]))[1]).toEqual({
      type_values: anyCredential,
    })
    expect(metas(dcql([[{ path: ['$.credentialSubject.type'], filter: { const: 'Person' } }]]))[1]).toEqual({
      type_values: anyCredential,
    })
  })
})

describe('a constraint on $.vct', () => {
  it('by itself asks for dc+sd-jwt only', () => {
    expect(
      dcql([[{ path: ['$.vct'], filter: { enum: ['https://a.example', 'https://b.example'] } }]]).credentials,
    ).toEqual([
      { id: 'item-0-sd-jwt', format: 'dc+sd-jwt', meta: { vct_values: ['https://a.example', 'https://b.example'] } },
    ])
    expect(metas(dcql([[{ path: ['$.vct'], filter: { pattern: '^https:' } }]]))).toEqual([{ vct_values: ALL_VCTS }])
    expect(metas(dcql([[{ path: ['$.vct'] }]]))).toEqual([{ vct_values: ALL_VCTS }])
  })

  it('together with a path to the type gives each format its own type', () => {
    const filter = { enum: [`${BASE}/Person`, 'Person'] }
    expect(metas(dcql([[{ path: ['$.vct', '$.type'], filter }]]))[0]).toEqual({
      vct_values: [`${BASE}/Person`, 'Person'],
    })
    expect(formats(dcql([[{ path: ['$.vct', '$.type'], filter }]]))).toEqual(['dc+sd-jwt', 'jwt_vc_json'])
  })

  it('that no type can satisfy is refused', () => {
    const item = { path: ['$.vct'], filter: { pattern: '^https:' } }
    expect(() => dcql([[person], [item]], [])).toThrow(
      new VpQueryError('query.1', 'asks for what no credential of a supported format and type can hold'),
    )
  })
})

describe('a VP query that is sent as DCQL', () => {
  const VCT = `${BASE}/Person`
  const claims = { iss: 'did:example:issuer', vct: VCT, name: 'Ada', age: 20, nationalities: ['DE', 'FR'] }
  const vc = {
    '@context': ['https://www.w3.org/2018/credentials/v1'],
    type: ['VerifiableCredential', 'Person'],
    issuer: 'did:example:issuer',
    credentialSubject: { name: 'Ada', age: 20, nationalities: ['DE', 'FR'] },
  }
  const sdJwt = { view: sdJwtView(claims), holderBound: true }
  const jwtVc = { view: jwtVcView({ iss: 'did:example:issuer', vc }), holderBound: true }
  const asked = dcqlOf(
    [
      [
        { path: ['$.type', '$.vc.type'], filter: { type: 'array', contains: { const: 'Person' } } },
        { path: ['$.credentialSubject.age', '$.vc.credentialSubject.age'], filter: { const: 20 } },
        { path: ['$.credentialSubject.alias', '$.credentialSubject.name'] },
        { path: ['$.credentialSubject.nationalities[*]'], filter: { enum: ['DE', 'FR'] } },
        { path: ['$.issuer', '$.iss'], filter: { const: 'did:example:issuer' } },
      ],
    ],
    ...TYPES,
  )

  it('is satisfied by a credential of either format', () => {
    expect(matchDcql(asked, { 'item-0-sd-jwt': [sdJwt] }, requestWork())).toEqual([])
    expect(matchDcql(asked, { 'item-0-jwt-vc': [jwtVc] }, requestWork())).toEqual([])
    expect(matchDcql(asked, {}, requestWork()).map(({ check }) => check)).toEqual(['credential_sets'])
  })

  it('is satisfied for the library with which wallets choose', () => {
    const library = queryOfLibrary(asked)
    const sdJwtCredential = {
      credential_format: 'dc+sd-jwt',
      vct: VCT,
      claims,
      cryptographic_holder_binding: true,
    } as const
    const jwtCredential = {
      credential_format: 'jwt_vc_json',
      type: vc.type,
      claims: vc,
      cryptographic_holder_binding: true,
    } as const
    expect(LibraryQuery.query(library, [sdJwtCredential]).can_be_satisfied).toBe(true)
    expect(LibraryQuery.query(library, [jwtCredential]).can_be_satisfied).toBe(true)
    expect(LibraryQuery.query(library, [{ ...sdJwtCredential, claims: { ...claims, age: 21 } }]).can_be_satisfied).toBe(
      false,
    )
  })
})

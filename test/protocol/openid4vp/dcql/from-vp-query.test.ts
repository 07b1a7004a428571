import { DcqlQuery as LibraryQuery } from 'dcql'
import { describe, expect, it } from 'vitest'
import { zDcqlQuery } from '../../../../server/protocol/openid4vp/dcql/dcql-query.js'
import { dcqlFromVpQuery, itemOfCredentialId } from '../../../../server/protocol/openid4vp/dcql/from-vp-query.js'
import {
  compileVpQuery,
  type FieldConstraint,
  VpQueryError,
} from '../../../../server/protocol/openid4vp/query/vp-query.js'

const BASE = 'https://issuer.example/vct'
const types = {
  vctOfType: (name: string) => (['Person', 'Degree'].includes(name) ? `${BASE}/${name}` : undefined),
  allVcts: [`${BASE}/Person`, `${BASE}/Degree`],
}
const anyCredential = [['https://www.w3.org/2018/credentials#VerifiableCredential'], ['VerifiableCredential']]

function dcql(items: FieldConstraint[][], known = types) {
  const query = dcqlFromVpQuery(compileVpQuery(items.map((fields) => ({ fields }))), known)
  // Whatever comes out is a DCQL query, for us and for the library that wallets use.
  expect(zDcqlQuery.parse(query)).toEqual(query)
  LibraryQuery.validate(LibraryQuery.parse(query as never))
  return query
}
const [of, person] = [
  (name: string): FieldConstraint => ({ path: ['$.type'], filter: { type: 'array', contains: { const: name } } }),
  { path: ['$.vc.type', '$.type'], filter: { const: 'Person' } } satisfies FieldConstraint,
]
const formats = (query: ReturnType<typeof dcql>) => query.credentials.map(({ format }) => format)
const metas = (query: ReturnType<typeof dcql>) => query.credentials.map(({ meta }) => meta)
const claims = (...fields: FieldConstraint[]) =>
  dcql([[person, ...fields]]).credentials.map((credential) => credential.claims)

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

  it('has a credential set for each item, also one of a single format', () => {
    const query = dcql([[person], [{ path: ['$.vct'], filter: { const: 'https://other.example' } }]])
    expect(query.credential_sets).toEqual([
      { options: [['item-0-sd-jwt'], ['item-0-jwt-vc']] },
      { options: [['item-1-sd-jwt']] },
    ])
  })

  it('has no credential sets where no item has two formats', () => {
    expect(dcql([[{ path: ['$.vct'], filter: { const: 'https://other.example' } }]]).credential_sets).toBeUndefined()
  })

  it('has the same ids every time, and they tell the item', () => {
    expect(dcql([[person], [person]]).credentials.map(({ id }) => itemOfCredentialId(id))).toEqual([0, 0, 1, 1])
    expect(dcql([[person]])).toEqual(dcql([[person]]))
    for (const id of ['item-x-sd-jwt', 'item-1', 'other', 'item-1-sd-jwt-2', '__proto__'])
      expect(itemOfCredentialId(id)).toBeUndefined()
  })

  it('asks for no claims where an item has no fields but its type', () => {
    expect(claims()).toEqual([undefined, undefined])
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

  it('stands as it is where it is foreign', () => {
    expect(metas(dcql([[of('https://other.example/id')]]))).toEqual([
      { vct_values: ['https://other.example/id'] },
      { type_values: [['https://other.example/id']] },
    ])
  })

  it('may be several at once, which no SD-JWT VC is', () => {
    const query = dcql([[of('Person'), of('Employee')]])
    expect(formats(query)).toEqual(['jwt_vc_json'])
    expect(metas(query)).toEqual([{ type_values: [['Person', 'Employee']] }])
  })

  it.each([
    [[]],
    [[{ path: ['$.type'], filter: { type: 'array' } }]],
    [[of('VerifiableCredential')]],
    [[{ path: ['$.type'] }]],
  ])('is any of this installation, and any at all, without a constraint: %j', (fields) => {
    expect(metas(dcql([fields as FieldConstraint[]]))).toEqual([
      { vct_values: types.allVcts },
      { type_values: anyCredential },
    ])
  })

  it('without a constraint and without a type in the installation, only jwt_vc_json is asked for', () => {
    expect(metas(dcql([[]], { ...types, allVcts: [] }))).toEqual([{ type_values: anyCredential }])
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
  it('alone asks for dc+sd-jwt only', () => {
    expect(
      dcql([[{ path: ['$.vct'], filter: { enum: ['https://a.example', 'https://b.example'] } }]]).credentials,
    ).toEqual([
      { id: 'item-0-sd-jwt', format: 'dc+sd-jwt', meta: { vct_values: ['https://a.example', 'https://b.example'] } },
    ])
    expect(metas(dcql([[{ path: ['$.vct'], filter: { pattern: '^https:' } }]]))).toEqual([
      { vct_values: types.allVcts },
    ])
    expect(metas(dcql([[{ path: ['$.vct'] }]]))).toEqual([{ vct_values: types.allVcts }])
  })

  it('beside a path to the type serves each format its own', () => {
    const filter = { enum: [`${BASE}/Person`, 'Person'] }
    expect(metas(dcql([[{ path: ['$.vct', '$.type'], filter }]]))[0]).toEqual({
      vct_values: [`${BASE}/Person`, 'Person'],
    })
    expect(formats(dcql([[{ path: ['$.vct', '$.type'], filter }]]))).toEqual(['dc+sd-jwt', 'jwt_vc_json'])
  })

  it('that leaves nothing to ask for is refused', () => {
    const item = { path: ['$.vct'], filter: { pattern: '^https:' } }
    expect(() => dcql([[person], [item]], { ...types, allVcts: [] })).toThrow(
      new VpQueryError('query.1', 'asks for what no credential of a supported format and type can hold'),
    )
  })
})

describe('the claims', () => {
  it.each([
    ['$.credentialSubject.a.b', ['a', 'b'], ['credentialSubject', 'a', 'b']],
    ['$.vc.credentialSubject.a', ['a'], ['credentialSubject', 'a']],
    ["$['credentialSubject']['a b']", ['a b'], ['credentialSubject', 'a b']],
    ['$.credentialSubject.list[*].x', ['list', null, 'x'], ['credentialSubject', 'list', null, 'x']],
    ['$.credentialSubject.list.*', ['list', null], ['credentialSubject', 'list', null]],
    ['$.credentialSubject.list[2]', ['list', 2], ['credentialSubject', 'list', 2]],
    ['$.issuer', ['iss'], ['issuer']],
    ['$.vc.issuer.id', ['iss'], ['issuer', 'id']],
  ] as const)('%s', (path, sdJwt, jwtVc) => {
    expect(claims({ path: [path] })).toEqual([[{ path: sdJwt }], [{ path: jwtVc }]])
  })

  it('are not asked for where they belong to the JWT, which discloses them anyway (Appendix B.1.2)', () => {
    expect(claims({ path: ['$.iss'], filter: { const: 'did:example:a' } })).toEqual([
      [{ path: ['iss'], values: ['did:example:a'] }],
      undefined,
    ])
  })

  it('have const and enum as values, where DCQL has such values (§6.3)', () => {
    const path = ['$.credentialSubject.a']
    const values = (filter: FieldConstraint['filter']) => claims({ path, filter })[0]?.[0]?.values
    expect(values({ const: 'x' })).toEqual(['x'])
    expect(values({ const: false })).toEqual([false])
    expect(values({ enum: ['x', 1, true] })).toEqual(['x', 1, true])
    expect(values({ const: null })).toBeUndefined()
    expect(values({ const: 1.5 })).toBeUndefined()
    expect(values({ enum: ['x', null] })).toBeUndefined()
    expect(values({ minimum: 1 })).toBeUndefined()
    expect(values({ contains: { const: 'x' } })).toBeUndefined()
  })

  it('stand once, however many fields ask for them (§6.1)', () => {
    const path = ['$.credentialSubject.a', '$.vc.credentialSubject.a']
    expect(claims({ path }, { path, filter: { enum: ['x', 'y'] } }, { path, filter: { enum: ['y', 'z'] } })).toEqual([
      [{ path: ['a'], values: ['y'] }],
      [{ path: ['credentialSubject', 'a'], values: ['y'] }],
    ])
  })

  it('are alternatives where several paths remain: claim_sets, the first path first (§6.4.1)', () => {
    const [sdJwt, jwtVc] = dcql([
      [
        person,
        { path: ['$.credentialSubject.age_over_18', '$.credentialSubject.birthdate'] },
        { path: ['$.credentialSubject.name'] },
        {
          path: ['$.credentialSubject.country', '$.vc.credentialSubject.country', '$.country'],
          filter: { const: 'DE' },
        },
      ],
    ]).credentials
    expect(sdJwt?.claims).toEqual([
      { id: 'claim-0', path: ['age_over_18'] },
      { id: 'claim-1', path: ['birthdate'] },
      { id: 'claim-2', path: ['name'] },
      { id: 'claim-3', path: ['country'], values: ['DE'] },
    ])
    expect(sdJwt?.claim_sets).toEqual([
      ['claim-0', 'claim-2', 'claim-3'],
      ['claim-1', 'claim-2', 'claim-3'],
    ])
    expect(jwtVc?.claims?.map(({ path }) => path.join('.'))).toEqual([
      'credentialSubject.age_over_18',
      'credentialSubject.birthdate',
      'credentialSubject.name',
      'credentialSubject.country',
      'country',
    ])
    expect(jwtVc?.claim_sets).toEqual([
      ['claim-0', 'claim-2', 'claim-3'],
      ['claim-0', 'claim-2', 'claim-4'],
      ['claim-1', 'claim-2', 'claim-3'],
      ['claim-1', 'claim-2', 'claim-4'],
    ])
  })

  it('have 16 claim sets at most, and no claim that none of them names', () => {
    const fields = Array.from({ length: 10 }, (_, i) => ({
      path: [`$.credentialSubject.a${i}`, `$.credentialSubject.b${i}`],
    }))
    const [sdJwt] = dcql([[person, ...fields]]).credentials
    expect(sdJwt?.claim_sets).toHaveLength(16)
    expect(sdJwt?.claim_sets?.[0]).toEqual([
      'claim-0',
      'claim-2',
      'claim-4',
      'claim-6',
      'claim-8',
      'claim-10',
      'claim-12',
      'claim-14',
      'claim-16',
      'claim-18',
    ])
    expect(sdJwt?.claims?.map(({ path }) => path.join('.'))).toEqual([
      ...['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b6', 'a7', 'b7', 'a8', 'b8', 'a9', 'b9'],
    ])
  })

  it('of combinations that come to the same stand once', () => {
    const both = { path: ['$.credentialSubject.a', '$.credentialSubject.b'] }
    expect(dcql([[person, both, both]]).credentials[0]?.claim_sets).toEqual([
      ['claim-0'],
      ['claim-0', 'claim-1'],
      ['claim-1'],
    ])
  })
})

describe('a path that DCQL cannot express', () => {
  it.each([
    ...[
      '$..age',
      '$.credentialSubject..age',
      '$.credentialSubject.list[?@.a == 1]',
      '$.credentialSubject.list[0:2]',
      '$',
    ],
    ...[
      '$.credentialSubject.list[-1]',
      '$.credentialSubject["a","b"]',
      '$.credentialSubject.list[0,1]',
      '$.credentialSubject',
      '$.vc',
      '$[*]',
    ],
  ])('%s makes its item ask for jwt_vc_json only, without claims', (path) => {
    expect(
      dcql([[person, { path: ['$.credentialSubject.name', path] }, { path: ['$.credentialSubject.age'] }]]),
    ).toEqual({
      credentials: [{ id: 'item-0-jwt-vc', format: 'jwt_vc_json', meta: { type_values: [['Person']] } }],
    })
  })

  it('beside a constraint on $.vct leaves dc+sd-jwt with the claims that can be said', () => {
    const query = dcql([
      [{ path: ['$.vct'], filter: { const: 'https://a.example' } }, { path: ['$..age'] }, { path: ['$.name'] }],
    ])
    expect(query.credentials).toEqual([
      {
        id: 'item-0-sd-jwt',
        format: 'dc+sd-jwt',
        meta: { vct_values: ['https://a.example'] },
        claims: [{ path: ['name'] }],
      },
    ])
  })
})

describe('attack: names of Object.prototype in paths', () => {
  it('are claims like any other', () => {
    expect(
      claims({ path: ['$.credentialSubject.__proto__'] }, { path: ['$.credentialSubject.constructor'] })[0],
    ).toEqual([{ path: ['__proto__'] }, { path: ['constructor'] }])
  })
})

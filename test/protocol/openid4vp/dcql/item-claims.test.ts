import { describe, expect, it } from 'vitest'
import type { FieldConstraint } from '../../../../server/protocol/openid4vp/query/vp-query.js'
import { dcqlOf, zDcqlQuery } from '../formats.js'
import { queryOfLibrary } from './library-query.js'

const person: FieldConstraint = { path: ['$.vc.type', '$.type'], filter: { const: 'Person' } }

function dcql(items: FieldConstraint[][]) {
  const query = dcqlOf(items, 'Person')
  // Every result is checked as a DCQL query by this service and by the library that wallets use.
  expect(zDcqlQuery.parse(query)).toEqual(query)
  queryOfLibrary(query)
  return query
}
const claims = (...fields: FieldConstraint[]) =>
  dcql([[person, ...fields]]).credentials.map((credential) => credential.claims)

describe('the claims', () => {
  it.each([
    ['$.credentialSubject.a.b', ['a', 'b'], ['credentialSubject', 'a', 'b']],
    ['$.vc.credentialSubject.a', ['a'], ['credentialSubject', 'a']],
    ["$['credentialSubject']['a b']", ['a b'], ['credentialSubject', 'a b']],
    ['$.credentialSubject.list[*].x', ['list', null, 'x'], ['credentialSubject', 'list', null, 'x']],
    ['$.credentialSubject.list.*', ['list', null], ['credentialSubject', 'list', null]],
    ['$.credentialSubject.list[2]', ['list', 2], ['credentialSubject', 'list', 2]],
  ] as const)('%s', (path, sdJwt, jwtVc) => {
    expect(claims({ path: [path] })).toEqual([[{ path: sdJwt }], [{ path: jwtVc }]])
  })

  it.each(['$.issuer', '$.vc.issuer', '$.issuer.id'])(
    '%s is not requested of a JWT VC, whose issuer may be an object',
    (path) => {
      expect(claims({ path: [path], filter: { const: 'did:example:a' } })).toEqual([
        [{ path: ['iss'], values: ['did:example:a'] }],
        undefined,
      ])
    },
  )

  it('are not requested if they belong to the JWT, which always discloses them (Appendix B.1.2)', () => {
    expect(claims({ path: ['$.iss'], filter: { const: 'did:example:a' } })).toEqual([
      [{ path: ['iss'], values: ['did:example:a'] }],
      undefined,
    ])
  })

  it('have const and enum as values, if DCQL supports these values (§6.3)', () => {
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

  it('are listed once, also if several fields ask for them (§6.1)', () => {
    const path = ['$.credentialSubject.a', '$.vc.credentialSubject.a']
    expect(claims({ path }, { path, filter: { enum: ['x', 'y'] } }, { path, filter: { enum: ['y', 'z'] } })).toEqual([
      [{ path: ['a'], values: ['y'] }],
      [{ path: ['credentialSubject', 'a'], values: ['y'] }],
    ])
  })

  it('are alternatives if several paths remain: claim_sets, with the first path first (§6.4.1)', () => {
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

  it('have at most 16 claim sets, and no claim outside of all claim sets', () => {
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

  it('with equal combinations are listed once', () => {
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

  it('together with a constraint on $.vct asks for dc+sd-jwt with the claims that DCQL can express', () => {
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

import { describe, expect, it } from 'vitest'
import { allowedIssuersOf } from '../../../../server/protocol/openid4vp/query/allowed-issuers.js'
import type { FieldConstraint } from '../../../../server/protocol/openid4vp/query/vp-query.js'

const issuers = (...fields: FieldConstraint[]) => allowedIssuersOf({ fields })

describe('the issuers of a query item are named', () => {
  it.each(['$.issuer', '$.issuer.id', '$.vc.issuer', '$.vc.issuer.id', '$.iss'])('by const or enum on %s', (path) => {
    expect(issuers({ path: [path], filter: { const: 'did:example:a' } })).toEqual(['did:example:a'])
    expect(
      issuers({ path: [path], filter: { type: 'string', enum: ['did:example:a', 'https://b.example', 7] } }),
    ).toEqual(['did:example:a', 'https://b.example'])
  })

  it('by several of these paths in one field', () => {
    expect(issuers({ path: ['$.issuer.id', '$.issuer', '$.iss'], filter: { const: 'did:example:a' } })).toEqual([
      'did:example:a',
    ])
  })

  it.each([
    { pattern: '^did:example:' },
    { contains: { const: 'did:example:a' } },
    { not: { const: 'did:example:a' } },
    { anyOf: [{ const: 'did:example:a' }] },
    { default: 'did:example:a' },
    { examples: ['did:example:a'] },
    {},
  ])('by no other keyword: %j', (filter) => {
    expect(issuers({ path: ['$.issuer'], filter })).toBeUndefined()
  })

  it.each([
    '$.credentialSubject.issuer',
    '$.vc.credentialSubject.iss',
    '$..issuer',
    '$.issuer.name',
    '$.holder',
    '$.vc.iss',
  ])('on no other path: %s', (path) => {
    expect(issuers({ path: [path], filter: { const: 'did:example:a' } })).toBeUndefined()
  })

  it('attack: not by a field that another claim than the issuer can satisfy', () => {
    expect(
      issuers({ path: ['$.credentialSubject.employer', '$.issuer'], filter: { const: 'did:example:a' } }),
    ).toBeUndefined()
  })

  it('only if every field of this kind names them', () => {
    expect(
      issuers(
        { path: ['$.issuer'], filter: { enum: ['did:example:a', 'did:example:b'] } },
        { path: ['$.credentialSubject.age'], filter: { const: 18 } },
        { path: ['$.iss'], filter: { enum: ['did:example:b', 'did:example:c'] } },
      ),
    ).toEqual(['did:example:b'])
    expect(issuers({ path: ['$.issuer'], filter: { const: 7 } })).toEqual([])
  })

  it('not if the item has no fields', () => {
    expect(issuers()).toBeUndefined()
    expect(issuers({ path: ['$.issuer'] })).toBeUndefined()
  })
})

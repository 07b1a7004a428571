import { describe, expect, it } from 'vitest'
import { jwtVcView } from '../../../../server/formats/jwt-vc-json/view.js'
import type { CredentialView } from '../../../../server/protocol/openid4vp/query/credential-view.js'
import { evaluateItem } from '../../../../server/protocol/openid4vp/query/evaluate.js'
import { compileVpQuery, type FieldConstraint } from '../../../../server/protocol/openid4vp/query/vp-query.js'
import { requestWork } from '../../request-work.js'
import { sdJwtView } from '../formats.js'

const VCT = 'https://issuer.example/vct/Person'

const jwt = (payload: Record<string, unknown> = {}, vc: Record<string, unknown> = {}): CredentialView =>
  jwtVcView({
    iss: 'did:example:issuer',
    sub: 'did:example:holder',
    jti: 'urn:uuid:1',
    ...payload,
    vc: {
      '@context': ['https://www.w3.org/2018/credentials/v1'],
      type: ['VerifiableCredential', 'Person'],
      credentialSubject: { age: 20, name: 'Ada', address: { country: 'DE' } },
      ...vc,
    },
  })
const sdJwt = (claims: Record<string, unknown> = {}): CredentialView =>
  sdJwtView({ iss: 'did:example:issuer', vct: VCT, age: 20, name: 'Ada', address: { country: 'DE' }, ...claims })

function evaluate(view: CredentialView, ...fields: FieldConstraint[]) {
  const [item] = compileVpQuery([{ fields }], requestWork())
  if (item === undefined) throw new Error('The query has no item.')
  return evaluateItem(item, view, requestWork())
}
const satisfied = { satisfied: true }
const unsatisfied = (path: string, reason: string) => ({ satisfied: false, path, reason })
const adult = (...path: string[]): FieldConstraint => ({ path, filter: { type: 'number', minimum: 18 } })

describe('a query item', () => {
  it('is satisfied if all its fields are satisfied; an empty item is always satisfied', () => {
    expect(evaluate(jwt())).toEqual(satisfied)
    expect(evaluate(jwt(), adult('$.credentialSubject.age'), { path: ['$.credentialSubject.name'] })).toEqual(satisfied)
  })

  it('names path and keyword of the first field that fails, never a value', () => {
    const secret = jwt({}, { credentialSubject: { age: 17, name: 'Ada' } })
    expect(evaluate(secret, { path: ['$.credentialSubject.name'] }, adult('$.credentialSubject.age'))).toEqual(
      unsatisfied('$.credentialSubject.age', 'does not satisfy minimum of its filter'),
    )
    expect(evaluate(secret, { path: ['$.credentialSubject.name'], filter: { const: 'Bob' } })).toEqual(
      unsatisfied('$.credentialSubject.name', 'does not satisfy const of its filter'),
    )
    expect(evaluate(secret, { path: ['$.credentialSubject.name'], filter: { not: {} } })).toEqual(
      unsatisfied('$.credentialSubject.name', 'does not satisfy not of its filter'),
    )
  })

  it('names the outermost keyword that fails', () => {
    expect(evaluate(jwt(), { path: ['$.type'], filter: { type: 'array', contains: { pattern: '^X' } } })).toEqual(
      unsatisfied('$.type', 'does not satisfy contains of its filter'),
    )
  })

  it('with a path without a filter is satisfied if the path leads to a value, also null', () => {
    expect(evaluate(sdJwt({ middle_name: null }), { path: ['$.middle_name'] })).toEqual(satisfied)
    expect(evaluate(sdJwt(), { path: ['$.middle_name', '$.credentialSubject.middle_name'] })).toEqual(
      unsatisfied('$.middle_name, $.credentialSubject.middle_name', 'is not in the credential'),
    )
  })

  it('uses the first matching path, and does not try the next path if the value fails', () => {
    const view = sdJwt({ years: 10 })
    expect(evaluate(view, adult('$.missing', '$.age', '$.years'))).toEqual(satisfied)
    expect(evaluate(view, adult('$.missing', '$.years', '$.age'))).toEqual(
      unsatisfied('$.years', 'does not satisfy minimum of its filter'),
    )
  })
})

describe('a JWT VC is evaluated on its vc object and on its payload', () => {
  it.each(['$.credentialSubject.age', '$.vc.credentialSubject.age', "$['vc']['credentialSubject']['age']", '$..age'])(
    '%s',
    (path) => {
      expect(evaluate(jwt(), adult(path))).toEqual(satisfied)
    },
  )

  it('finds the claims of the JWT', () => {
    expect(evaluate(jwt(), { path: ['$.iss'], filter: { const: 'did:example:issuer' } })).toEqual(satisfied)
    expect(evaluate(jwt({ employee: true }), { path: ['$.employee'], filter: { const: true } })).toEqual(satisfied)
  })

  it('treats iss, jti and sub as issuer, id and credentialSubject.id (VCDM 1.1 §6.3.1)', () => {
    for (const root of ['$', '$.vc']) {
      expect(evaluate(jwt(), { path: [`${root}.issuer`], filter: { const: 'did:example:issuer' } })).toEqual(satisfied)
      expect(evaluate(jwt(), { path: [`${root}.id`], filter: { const: 'urn:uuid:1' } })).toEqual(satisfied)
      expect(
        evaluate(jwt(), { path: [`${root}.credentialSubject.id`], filter: { const: 'did:example:holder' } }),
      ).toEqual(satisfied)
    }
  })

  it('finds the identifier of an issuer that is an object', () => {
    const view = jwt({}, { issuer: { id: 'did:example:issuer', name: 'Issuer' } })
    expect(evaluate(view, { path: ['$.issuer.id'], filter: { const: 'did:example:issuer' } })).toEqual(satisfied)
    expect(
      evaluate(view, { path: ['$.vc.issuer'], filter: { enum: ['did:example:issuer', 'did:example:x'] } }),
    ).toEqual(satisfied)
    expect(evaluate(view, { path: ['$.issuer.name'], filter: { const: 'Issuer' } })).toEqual(satisfied)
  })
})

describe('an SD-JWT VC is evaluated on its disclosed claims', () => {
  it.each([
    '$.age',
    '$.credentialSubject.age',
    '$.vc.credentialSubject.age',
    "$.vc['credentialSubject'].age",
    '$.credentialSubject..age',
  ])('%s is the claim age', (path) => {
    expect(evaluate(sdJwt(), adult(path))).toEqual(satisfied)
    expect(evaluate(sdJwt({ age: 17 }), adult(path))).toEqual(
      unsatisfied(path, 'does not satisfy minimum of its filter'),
    )
  })

  it('$.credentialSubject is the object of all claims', () => {
    expect(evaluate(sdJwt(), { path: ['$.credentialSubject'], filter: { required: ['age', 'address'] } })).toEqual(
      satisfied,
    )
  })

  it.each(['$.type', '$.vc.type'])('%s is ["VerifiableCredential", name], the name from vct', (path) => {
    expect(evaluate(sdJwt(), { path: [path], filter: { const: ['VerifiableCredential', 'Person'] } })).toEqual(
      satisfied,
    )
    expect(evaluate(sdJwt(), { path: [path], filter: { type: 'array', contains: { const: 'Person' } } })).toEqual(
      satisfied,
    )
    expect(evaluate(sdJwt(), { path: [`${path}[1]`], filter: { const: 'Person' } })).toEqual(satisfied)
    const foreign = sdJwt({ vct: 'https://other.example/id' })
    expect(evaluate(foreign, { path: [path], filter: { contains: { const: 'https://other.example/id' } } })).toEqual(
      satisfied,
    )
  })

  it.each(['$.issuer', '$.vc.issuer', '$.issuer.id', '$.vc.issuer.id', '$.iss'])('%s is iss', (path) => {
    expect(evaluate(sdJwt(), { path: [path], filter: { const: 'did:example:issuer' } })).toEqual(satisfied)
  })

  it('$.vct is the vct', () => {
    expect(evaluate(sdJwt(), { path: ['$.vct'], filter: { const: VCT } })).toEqual(satisfied)
  })
})

describe('const and enum on the type check whether the value is one of the types', () => {
  it.each([jwt(), sdJwt()])('in both formats', (view) => {
    for (const path of ['$.type', '$.vc.type', '$.type[*]', '$.vc.type.*']) {
      expect(evaluate(view, { path: [path], filter: { const: 'Person' } })).toEqual(satisfied)
      expect(evaluate(view, { path: [path], filter: { type: 'string', enum: ['Other', 'Person'] } })).toEqual(satisfied)
      expect(evaluate(view, { path: [path], filter: { const: 'Other' } })).toEqual(
        unsatisfied(path, 'does not satisfy const of its filter'),
      )
    }
  })

  it('but other keywords do not', () => {
    expect(evaluate(jwt(), { path: ['$.type'], filter: { pattern: 'Person', type: 'string' } })).toEqual(
      unsatisfied('$.type', 'does not satisfy type of its filter'),
    )
  })
})

describe('attack: bypass of a filter by duplicate claims', () => {
  const failed = 'does not satisfy minimum of its filter'
  const young = { credentialSubject: { age: 17 } }

  it.each(['$.credentialSubject.age', '$.vc.credentialSubject.age', '$..age'])(
    'beside vc, at the top of a JWT VC: %s',
    (path) => {
      expect(evaluate(jwt({ credentialSubject: { age: 20 }, age: 20 }, young), adult(path))).toEqual(
        unsatisfied(path, failed),
      )
    },
  )

  it('beside vc, if the credential does not have this claim', () => {
    const view = jwt(
      { credentialSubject: { age: 20 }, type: ['Person'], issuer: 'did:example:good' },
      { credentialSubject: {}, type: ['VerifiableCredential'] },
    )
    expect(evaluate(view, adult('$.credentialSubject.age'))).toEqual(
      unsatisfied('$.credentialSubject.age', 'is not in the credential'),
    )
    expect(evaluate(view, { path: ['$.type'], filter: { contains: { const: 'Person' } } }).satisfied).toBe(false)
    expect(evaluate(view, { path: ['$.issuer'], filter: { const: 'did:example:good' } }).satisfied).toBe(false)
  })

  it('within vc, by a claim of the JWT', () => {
    const view = jwt({}, { iss: 'did:example:good', vc: { issuer: 'did:example:good' } })
    expect(evaluate(view, { path: ['$.iss'], filter: { const: 'did:example:good' } }).satisfied).toBe(false)
    expect(evaluate(view, { path: ['$.vc.issuer'], filter: { const: 'did:example:good' } }).satisfied).toBe(false)
  })

  it('within vc, by an issuer that is not iss', () => {
    const named = jwt({}, { issuer: 'did:example:good' })
    expect(evaluate(named, { path: ['$.issuer'], filter: { const: 'did:example:good' } }).satisfied).toBe(false)
    const object = jwt({}, { issuer: { id: 'did:example:good' } })
    expect(evaluate(object, { path: ['$.issuer.id'], filter: { const: 'did:example:good' } }).satisfied).toBe(false)
  })

  it('by a claim in both places: both values must satisfy the filter', () => {
    expect(evaluate(jwt({ level: 20 }, { level: 17 }), adult('$.level'))).toEqual(unsatisfied('$.level', failed))
    expect(evaluate(jwt({ level: 17 }, { level: 20 }), adult('$.level'))).toEqual(unsatisfied('$.level', failed))
    expect(evaluate(jwt({ level: 20 }, { level: 18 }), adult('$.level'))).toEqual(satisfied)
  })

  it('by claims of an SD-JWT VC with the names of members of a credential', () => {
    const view = sdJwt({
      age: 17,
      credentialSubject: { age: 20 },
      vc: { credentialSubject: { age: 20 }, type: ['Good'] },
      type: ['Good'],
      issuer: 'did:example:good',
    })
    for (const path of ['$.credentialSubject.age', '$.vc.credentialSubject.age']) {
      expect(evaluate(view, adult(path))).toEqual(unsatisfied(path, failed))
    }
    for (const path of ['$.type', '$.vc.type'])
      expect(evaluate(view, { path: [path], filter: { const: 'Good' } }).satisfied).toBe(false)
    for (const path of ['$.issuer', '$.vc.issuer']) {
      expect(evaluate(view, { path: [path], filter: { const: 'did:example:good' } }).satisfied).toBe(false)
    }
  })

  it('by one satisfying and one failing element: every selected element must satisfy the filter', () => {
    const view = sdJwt({ ages: [20, 17] })
    expect(evaluate(view, adult('$.ages[*]'))).toEqual(unsatisfied('$.ages[*]', failed))
    expect(evaluate(view, adult('$.ages[1, 0]'))).toEqual(unsatisfied('$.ages[1, 0]', failed))
    expect(evaluate(view, adult('$.ages[0]'))).toEqual(satisfied)
    expect(evaluate(view, { path: ['$.ages'], filter: { contains: { minimum: 18 } } })).toEqual(satisfied)
  })
})

describe('attack: names of Object.prototype', () => {
  it('does not find inherited members', () => {
    for (const view of [jwt(), sdJwt()]) {
      expect(evaluate(view, { path: ['$.credentialSubject.constructor'] }).satisfied).toBe(false)
      expect(evaluate(view, { path: ['$.__proto__'] }).satisfied).toBe(false)
    }
  })

  it('treats __proto__ as a claim', () => {
    const claims: Record<string, unknown> = JSON.parse('{"__proto__": {"age": 20}}')
    const polluted = sdJwtView(claims)
    expect(evaluate(polluted, adult('$.age'))).toEqual(unsatisfied('$.age', 'is not in the credential'))
    expect(evaluate(polluted, adult('$.__proto__.age'))).toEqual(satisfied)
    expect(evaluate(jwtVcView({ vc: claims }), adult('$.age')).satisfied).toBe(false)
  })
})

describe('attack: evaluation that would not end', () => {
  it('stops at paths that read too much', () => {
    const wide = sdJwt({ a: Array.from({ length: 300 }, () => Array(10).fill(0)) })
    expect(evaluate(wide, { path: ['$..[?$..[?@ == 1]]'] })).toEqual(
      unsatisfied('$..[?$..[?@ == 1]]', 'is too much to evaluate on this credential'),
    )
  })

  it('stops at filters that read too much, over all fields of an item together', () => {
    const text = sdJwt({ texts: Array.from({ length: 40 }, (_, i) => `${i}${'ab z'.repeat(5_000)}`) })
    const filter = { pattern: '(?:\\w{1,50}\\b.{1,50}){1,9}q$|z$' }
    expect(evaluate(text, { path: ['$.texts[*]'], filter })).toEqual(
      unsatisfied('$.texts[*]', 'is too large to be checked by its filter'),
    )
  })

  it('does not read a credential deeper than filters may', () => {
    let deep: unknown = 1
    for (let level = 0; level < 70; level++) deep = [deep]
    expect(evaluate(sdJwt({ deep }), { path: ['$.deep'], filter: { type: 'array' } })).toEqual(
      unsatisfied('$.deep', 'is too large to be checked by its filter'),
    )
  })
})

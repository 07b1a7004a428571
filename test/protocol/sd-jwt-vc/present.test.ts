import { beforeAll, describe, expect, it } from 'vitest'
import { CredentialError } from '../../../server/protocol/credential/verification.js'
import { issueSdJwtVc } from '../../../server/protocol/sd-jwt-vc/issue.js'
import { type ClaimsPathPointer, presentSdJwtVc } from '../../../server/protocol/sd-jwt-vc/present.js'
import { verifySdJwtVc } from '../../../server/protocol/sd-jwt-vc/verify.js'
import { type Actor, actor, countingBytes, NOW, VCT } from './actors.js'

let issuer: Actor
let credential: string

beforeAll(async () => {
  issuer = await actor('did:example:issuer')
  credential = await issueSdJwtVc({
    signer: issuer.signer,
    issuer: issuer.id,
    vct: VCT,
    claims: {
      plain: true,
      name: 'Ada',
      age: 36,
      address: { city: 'Turin', street: 'Via Po', geo: { lat: 1 } },
      nationalities: ['IT', 'CH', 'FR'],
      orders: [
        { id: 1, total: 5 },
        { id: 2, total: 6 },
      ],
    },
    selectivelyDisclosable: [
      'name',
      'age',
      'address',
      'address.city',
      'address.street',
      'address.geo.lat',
      'nationalities.*',
      'orders.*.total',
    ],
    issuedAt: NOW,
    randomBytes: countingBytes(),
  })
})

async function claimsShown(select: Parameters<typeof presentSdJwtVc>[1]) {
  const presented = presentSdJwtVc(credential, select)
  expect(presented.endsWith('~')).toBe(true)
  const { prettyClaims } = await verifySdJwtVc(presented, { resolveIssuerKey: issuer.resolveIssuerKey, now: NOW })
  const { iss, iat, vct, ...claims } = prettyClaims
  return claims
}

const NOTHING = { plain: true, nationalities: [], orders: [{ id: 1 }, { id: 2 }] }

describe('Presenting an SD-JWT VC (RFC 9901 §7.2, OpenID4VP 1.0 §6.4.1 and §7)', () => {
  const cases: [string, ClaimsPathPointer[], object][] = [
    ['nothing that can be withheld', [], NOTHING],
    ['a claim that is always disclosed', [['plain']], NOTHING],
    ['one claim', [['name']], { ...NOTHING, name: 'Ada' }],
    [
      'a nested claim with its parent, but without its siblings',
      [['address', 'city']],
      { ...NOTHING, address: { city: 'Turin', geo: {} } },
    ],
    ['a claim two levels down', [['address', 'geo', 'lat']], { ...NOTHING, address: { geo: { lat: 1 } } }],
    [
      'a parent with all its claims',
      [['address']],
      { ...NOTHING, address: { city: 'Turin', street: 'Via Po', geo: { lat: 1 } } },
    ],
    ['an array element by its position', [['nationalities', 1]], { ...NOTHING, nationalities: ['CH'] }],
    ['all elements of an array', [['nationalities', null]], { ...NOTHING, nationalities: ['IT', 'CH', 'FR'] }],
    [
      'a member of every element',
      [['orders', null, 'total']],
      {
        ...NOTHING,
        orders: [
          { id: 1, total: 5 },
          { id: 2, total: 6 },
        ],
      },
    ],
    [
      'several claims, once each',
      [['name'], ['age'], ['name'], ['orders', 1, 'total']],
      { ...NOTHING, name: 'Ada', age: 36, orders: [{ id: 1 }, { id: 2, total: 6 }] },
    ],
  ]
  it.each(cases)('discloses %s', async (_, pointers, expected) => {
    expect(await claimsShown(pointers)).toEqual(expected)
  })

  it('lists the disclosable claims for a choice, and also discloses the parents of chosen claims', async () => {
    expect(await claimsShown((claim) => claim.path.join('.') === 'address.street')).toEqual({
      ...NOTHING,
      address: { street: 'Via Po', geo: {} },
    })
    expect(await claimsShown((claim) => claim.value === 'Ada')).toEqual({ ...NOTHING, name: 'Ada' })
    expect(await claimsShown(() => false)).toEqual(NOTHING)
  })

  it.each<[ClaimsPathPointer]>([
    [['surname']],
    [['address', 'zip']],
    [['name', 'first']],
    [['nationalities', 3]],
    [['nationalities', 'IT']],
    [['address', null]],
    [['toString']],
  ])('refuses %j, which finds no claim, instead of disclosing its parent', (pointer) => {
    expect(() => presentSdJwtVc(credential, [pointer])).toThrow(
      new CredentialError(`Credential has no claim at ${JSON.stringify(pointer)}.`),
    )
  })

  it('refuses a credential that has key binding already (RFC 9901 §7.2)', () => {
    expect(() => presentSdJwtVc(`${credential}a.b.c`, [])).toThrow(
      new CredentialError('Credential has a Key Binding JWT already.'),
    )
  })
})

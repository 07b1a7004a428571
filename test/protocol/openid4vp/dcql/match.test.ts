import { describe, expect, it } from 'vitest'
import { jwtVcView } from '../../../../server/formats/jwt-vc-json/view.js'
import type { DcqlQuery } from '../../../../server/protocol/openid4vp/dcql/dcql-query.js'
import {
  checkVpTokenIds,
  type DcqlPresentation,
  missingCredentials,
} from '../../../../server/protocol/openid4vp/dcql/match.js'
import { requestWork } from '../../request-work.js'
import { sdJwtView, zDcqlQuery } from '../formats.js'
import { matchDcql } from './match-dcql.js'

const VCT = 'https://issuer.example/vct/Person'
const claims = {
  iss: 'did:example:issuer',
  vct: VCT,
  name: 'Ada',
  age: 20,
  address: { country: 'DE' },
  nationalities: ['DE', 'FR'],
}
const vc = {
  '@context': ['https://www.w3.org/2018/credentials/v1'],
  type: ['VerifiableCredential', 'Person'],
  issuer: 'did:example:issuer',
  credentialSubject: { name: 'Ada', age: 20, nationalities: ['DE', 'FR'] },
}
const sdJwt = (changed: object = {}): DcqlPresentation => ({
  view: sdJwtView({ ...claims, ...changed }),
  holderBound: true,
})
const jwtVc = (changed: object = {}): DcqlPresentation => ({
  view: jwtVcView({ iss: 'did:example:issuer', vc: { ...vc, ...changed } }),
  holderBound: true,
})

const personQuery = { id: 'person', format: 'dc+sd-jwt', meta: { vct_values: [VCT] } }
const vcQuery = { id: 'person', format: 'jwt_vc_json', meta: { type_values: [['Person']] } }
const query = (...credentials: object[]): DcqlQuery => zDcqlQuery.parse({ credentials })
const mismatch = (credential: object, presentation: DcqlPresentation) =>
  matchDcql(query(credential), { person: [presentation] }, requestWork())

describe('the entries of a vp_token (§8.1, §6.4.2)', () => {
  const two = query(personQuery, { ...personQuery, id: 'other' })

  it('must include all that the query asks for', () => {
    expect(matchDcql(two, { person: [sdJwt()], other: [sdJwt()] }, requestWork())).toEqual([])
    expect(matchDcql(two, { other: [sdJwt()] }, requestWork())).toEqual([
      { credentialId: 'person', check: 'credentials', message: 'Credential person is missing.' },
    ])
    expect(matchDcql(two, {}, requestWork()).map(({ credentialId }) => credentialId)).toEqual(['person', 'other'])
  })

  it('must not include anything else', () => {
    const stranger = [{ check: 'credentials', message: 'vp_token has an entry that the query does not ask for.' }]
    expect(matchDcql(query(personQuery), { person: [sdJwt()], '<script>': [sdJwt()] }, requestWork())).toEqual(stranger)
    const entries = JSON.parse('{"__proto__": []}') as Record<string, []>
    expect(matchDcql(query(personQuery), { person: [sdJwt()], ...entries }, requestWork())).toEqual(stranger)
    expect(matchDcql(query(personQuery), { constructor: [] }, requestWork())).toHaveLength(2)
  })

  it('have one presentation, or several if multiple is set', () => {
    expect(matchDcql(query(personQuery), { person: [sdJwt(), sdJwt()] }, requestWork())).toEqual([
      { credentialId: 'person', check: 'multiple', message: 'Credential person has more than one presentation.' },
    ])
    expect(matchDcql(query({ ...personQuery, multiple: true }), { person: [sdJwt(), sdJwt()] }, requestWork())).toEqual(
      [],
    )
    expect(matchDcql(query(personQuery), { person: [] }, requestWork())).toEqual([
      { credentialId: 'person', check: 'credentials', message: 'Credential person has no presentation.' },
    ])
  })

  it('can be checked before any credential is decoded', () => {
    expect(
      checkVpTokenIds(two, [
        ['person', 1],
        ['other', 2],
      ]),
    ).toEqual([
      { credentialId: 'other', check: 'multiple', message: 'Credential other has more than one presentation.' },
    ])
  })

  it('satisfy one option of each required credential set', () => {
    const sets = zDcqlQuery.parse({
      credentials: ['a', 'b', 'c', 'd'].map((id) => ({ ...personQuery, id })),
      credential_sets: [{ options: [['a'], ['b', 'c']] }, { options: [['d']], required: false }],
    })
    const check = (...ids: string[]) =>
      matchDcql(sets, Object.fromEntries(ids.map((id) => [id, [sdJwt()]])), requestWork())
    expect(check('a')).toEqual([])
    expect(check('b', 'c')).toEqual([])
    expect(check('a', 'd')).toEqual([])
    const lacking = (...ids: string[]) => missingCredentials(sets, new Set(ids))
    expect([lacking('a'), lacking('b', 'c', 'd'), lacking('b', 'd'), lacking('d')]).toEqual([
      [],
      [],
      ['a', 'c'],
      ['a', 'b', 'c'],
    ])
    expect(missingCredentials(two, new Set(['other']))).toEqual(['person'])
    expect(check('b', 'd')).toEqual([
      { check: 'credential_sets', message: 'Credential set 0 is not satisfied: it needs a, or b and c.' },
    ])
  })

  it('attack: an optional credential must also match its query', () => {
    const sets = zDcqlQuery.parse({
      credentials: [personQuery, { ...personQuery, id: 'other' }],
      credential_sets: [{ options: [['person']] }],
    })
    expect(
      matchDcql(sets, { person: [sdJwt()], other: [sdJwt({ vct: 'https://evil.example' })] }, requestWork()),
    ).toEqual([
      {
        credentialId: 'other',
        check: 'vct_values',
        path: 'vct',
        message: 'Credential other is of none of the vct_values.',
      },
    ])
  })
})

describe('a presentation (§6.1)', () => {
  it('has the requested format', () => {
    expect(mismatch(personQuery, jwtVc())).toEqual([
      { credentialId: 'person', check: 'format', message: 'Credential person is not of format dc+sd-jwt.' },
    ])
  })

  it('has a proof of holder binding unless the query says otherwise', () => {
    const unbound = { ...sdJwt(), holderBound: false }
    expect(mismatch(personQuery, unbound)).toEqual([
      { credentialId: 'person', check: 'holder_binding', message: 'Credential person has no proof of holder binding.' },
    ])
    expect(mismatch({ ...personQuery, require_cryptographic_holder_binding: true }, unbound)).toHaveLength(1)
    expect(mismatch({ ...personQuery, require_cryptographic_holder_binding: false }, unbound)).toEqual([])
  })

  it('comes from a trusted authority, by any of the entries (§6.1.1)', () => {
    const trusting = {
      ...personQuery,
      trusted_authorities: [
        { type: 'aki', values: ['AAAA'] },
        { type: 'aki', values: ['BBBB', 'CCCC'] },
      ],
    }
    expect(mismatch(trusting, { ...sdJwt(), authorityKeyIdentifiers: ['XXXX', 'CCCC'] })).toEqual([])
    const refused = [
      {
        credentialId: 'person',
        check: 'trusted_authorities',
        message: 'Credential person comes from none of the trusted_authorities.',
      },
    ]
    expect(mismatch(trusting, { ...sdJwt(), authorityKeyIdentifiers: ['XXXX'] })).toEqual(refused)
    expect(mismatch(trusting, sdJwt())).toEqual(refused)
    const listed = { ...personQuery, trusted_authorities: [{ type: 'etsi_tl', values: ['urn:a', 'urn:b'] }] }
    expect(mismatch(listed, { ...sdJwt(), isOnList: (address) => address === 'urn:b' })).toEqual([])
    expect(mismatch(listed, { ...sdJwt(), isOnList: () => false })).toEqual(refused)
    expect(mismatch(listed, { ...sdJwt(), authorityKeyIdentifiers: ['urn:a'] })).toEqual(refused)
  })

  it('is of one of the vct_values (Appendix B.3.5)', () => {
    const refused = [
      {
        credentialId: 'person',
        check: 'vct_values',
        path: 'vct',
        message: 'Credential person is of none of the vct_values.',
      },
    ]
    expect(mismatch(personQuery, sdJwt({ vct: `${VCT}/x` }))).toEqual(refused)
    expect(mismatch(personQuery, sdJwt({ vct: [VCT] }))).toEqual(refused)
  })

  it.each([
    ['a short name', [['Person']], true],
    ['several, in any order', [['Person', 'VerifiableCredential']], true],
    ['expanded by the W3C context', [['https://www.w3.org/2018/credentials#VerifiableCredential', 'Person']], true],
    ['one of the alternatives', [['Other'], ['Person']], true],
    ['a part of an alternative', [['Person', 'Other']], false],
    ['expanded by no present context', [['https://example.org#Person']], false],
    ['an inherited name', [['constructor']], false],
  ])('has all types of one of the type_values (Appendix B.1.1): %s', (_, type_values, matches) => {
    expect(mismatch({ ...vcQuery, meta: { type_values } }, jwtVc())).toEqual(
      matches
        ? []
        : [
            {
              credentialId: 'person',
              check: 'type_values',
              path: 'type',
              message: 'Credential person is of none of the type_values.',
            },
          ],
    )
  })

  it('expands VerifiableCredential by the contexts of the W3C only', () => {
    const expanded = {
      ...vcQuery,
      meta: { type_values: [['https://www.w3.org/2018/credentials#VerifiableCredential']] },
    }
    expect(mismatch(expanded, jwtVc({ '@context': 'https://www.w3.org/ns/credentials/v2' }))).toEqual([])
    expect(mismatch(expanded, jwtVc({ '@context': ['https://example.org'] }))).toHaveLength(1)
    expect(mismatch(expanded, jwtVc({ '@context': undefined }))).toHaveLength(1)
  })
})

describe('its claims (§6.3, §6.4.1)', () => {
  const withClaims = (...list: object[]) => ({ ...personQuery, claims: list })

  it('must be complete', () => {
    expect(mismatch(withClaims({ path: ['name'] }, { path: ['address', 'country'] }), sdJwt())).toEqual([])
    expect(
      mismatch(
        withClaims({ path: ['name'] }, { path: ['address', 'street'] }, { path: ['degrees', null, 'type'] }),
        sdJwt(),
      ),
    ).toEqual([
      {
        credentialId: 'person',
        check: 'claims',
        path: 'address.street',
        message: 'Credential person does not hold the claim address.street.',
      },
      {
        credentialId: 'person',
        check: 'claims',
        path: 'degrees.*.type',
        message: 'Credential person does not hold the claim degrees.*.type.',
      },
    ])
  })

  it('must have one of the values, with the same type', () => {
    expect(mismatch(withClaims({ path: ['age'], values: [19, 20] }), sdJwt())).toEqual([])
    expect(mismatch(withClaims({ path: ['age'], values: ['20', true] }), sdJwt())).toEqual([
      {
        credentialId: 'person',
        check: 'values',
        path: 'age',
        message: 'Credential person holds none of the values asked for in the claim age.',
      },
    ])
    expect(mismatch(withClaims({ path: ['nationalities', null], values: ['FR'] }), sdJwt())).toEqual([])
    expect(mismatch(withClaims({ path: ['nationalities', null], values: ['IT'] }), sdJwt())).toHaveLength(1)
    expect(mismatch(withClaims({ path: ['nationalities'], values: ['FR'] }), sdJwt())).toHaveLength(1)
  })

  it('are named in errors without values', () => {
    const secret = JSON.stringify(
      mismatch(withClaims({ path: ['name'], values: ['Bob'] }, { path: ['name', 'x'] }), sdJwt()),
    )
    expect(secret).not.toContain('Ada')
    expect(secret).not.toContain('Bob')
  })

  it('of a JWT VC start at the credential, with iss as its issuer', () => {
    expect(mismatch({ ...vcQuery, claims: [{ path: ['credentialSubject', 'age'], values: [20] }] }, jwtVc())).toEqual(
      [],
    )
    expect(mismatch({ ...vcQuery, claims: [{ path: ['age'] }] }, jwtVc())).toHaveLength(1)
    const pinned = { ...vcQuery, claims: [{ path: ['issuer'], values: ['did:example:good'] }] }
    expect(mismatch(pinned, jwtVc({ issuer: 'did:example:good' }))).toHaveLength(1)
  })

  it('at an index: exactly at this position, including undisclosed elements of an SD-JWT', () => {
    const second = withClaims({ path: ['nationalities', 1], values: ['FR'] })
    expect(mismatch(second, sdJwt({ nationalities: [undefined, 'FR'] }))).toEqual([])
    expect(mismatch(second, sdJwt({ nationalities: ['FR'] }))).toHaveLength(1)
    expect(mismatch(second, sdJwt({ nationalities: ['FR', undefined] }))).toHaveLength(1)
    expect(mismatch(withClaims({ path: ['nationalities', null] }), sdJwt({ nationalities: [undefined] }))).toHaveLength(
      1,
    )
    const exact = { ...vcQuery, claims: [{ path: ['credentialSubject', 'nationalities', 1], values: ['FR'] }] }
    expect(mismatch(exact, jwtVc())).toEqual([])
    expect(mismatch(exact, jwtVc({ credentialSubject: { nationalities: ['FR'] } }))).toHaveLength(1)
  })

  it('are the claims of one claim set; the refusal names the closest claim set', () => {
    const sets = {
      ...withClaims({ id: 'a', path: ['a'] }, { id: 'b', path: ['b'] }, { id: 'name', path: ['name'] }),
      claim_sets: [
        ['a', 'b'],
        ['a', 'name'],
      ],
    }
    expect(mismatch(sets, sdJwt({ a: 1 }))).toEqual([])
    expect(mismatch(sets, sdJwt({ a: 1, b: 1 }))).toEqual([])
    expect(mismatch(sets, sdJwt())).toEqual([
      { credentialId: 'person', check: 'claims', path: 'a', message: 'Credential person does not hold the claim a.' },
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { zDcqlQuery } from '../formats.js'
import { queryOfLibrary } from './library-query.js'

const sdJwt = { id: 'person', format: 'dc+sd-jwt', meta: { vct_values: ['https://issuer.example/vct/Person'] } }
const jwtVc = { id: 'degree', format: 'jwt_vc_json', meta: { type_values: [['VerifiableCredential', 'Degree']] } }
const whole = {
  credentials: [
    {
      ...sdJwt,
      multiple: true,
      require_cryptographic_holder_binding: false,
      trusted_authorities: [{ type: 'aki', values: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] }],
      claims: [
        { id: 'a', path: ['address', 'street'], values: ['x', 1, true] },
        { id: 'b', path: ['nationalities', null] },
        { id: 'c', path: ['degrees', 0, 'type'] },
      ],
      claim_sets: [['a', 'c'], ['b']],
    },
    jwtVc,
  ],
  credential_sets: [{ options: [['person'], ['degree', 'person']], required: false }, { options: [['degree']] }],
}

const faults = (query: unknown) =>
  (zDcqlQuery.safeParse(query).error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`)
const faultsOf = (credential: object) => faults({ credentials: [{ ...sdJwt, ...credential }] })

describe('a DCQL query (OpenID4VP 1.0 §6)', () => {
  it('accepts every member of the standard, and keeps it unchanged', () => {
    expect(zDcqlQuery.parse(whole)).toEqual(whole)
    expect(() => queryOfLibrary(zDcqlQuery.parse(whole))).not.toThrow()
  })

  it('needs credentials, a non-empty array (§6)', () => {
    expect(faults({})).toEqual(['credentials must be defined'])
    expect(faults({ credentials: [] })).toEqual(['credentials must not be empty'])
    expect(faults({ credentials: [sdJwt], credential_sets: [] })).toEqual(['credential_sets must not be empty'])
  })

  it('has no unknown members', () => {
    const keys = (query: unknown) =>
      zDcqlQuery
        .safeParse(query)
        .error?.issues.map((issue) => [issue.code, issue.path.join('.'), 'keys' in issue && issue.keys])
    expect(keys({ ...whole, purpose: 'x' })).toEqual([['unrecognized_keys', '', ['purpose']]])
    expect(keys({ credentials: [{ ...sdJwt, foo: 1 }] })).toEqual([['unrecognized_keys', 'credentials.0', ['foo']]])
    expect(keys({ credentials: [{ ...sdJwt, meta: { ...sdJwt.meta, doctype_value: 'x' } }] })).toEqual([
      ['unrecognized_keys', 'credentials.0.meta', ['doctype_value']],
    ])
    expect(keys({ credentials: [{ ...sdJwt, claims: [{ path: ['a'], namespace: 'x' }] }] })).toEqual([
      ['unrecognized_keys', 'credentials.0.claims.0', ['namespace']],
    ])
  })
})

describe('a credential query (§6.1)', () => {
  it.each(['', 'a b', 'ä', 'a.b', '__proto__!'])('has an id of letters, digits, _ and -: not %j', (id) => {
    expect(faultsOf({ id })).toEqual(['credentials.0.id must consist of letters, digits, _ and -'])
  })

  it('has a unique id', () => {
    expect(faults({ credentials: [sdJwt, { ...jwtVc, id: 'person' }] })).toEqual(['credentials.1.id must be unique'])
  })

  it.each(['ldp_vc', 'vc+sd-jwt', 'jwt_vc', '', 7])('has a supported format: not %j', (format) => {
    expect(faultsOf({ format })).toEqual(['credentials.0.format must be dc+sd-jwt, jwt_vc_json or mso_mdoc'])
  })

  it('has the meta of its format, never empty (Appendices B.1.1, B.3.5)', () => {
    expect(faultsOf({ meta: undefined })).toEqual(['credentials.0.meta must be defined'])
    expect(faultsOf({ meta: {} })).toEqual(['credentials.0.meta.vct_values must be defined'])
    expect(faultsOf({ meta: { vct_values: [] } })).toEqual(['credentials.0.meta.vct_values must not be empty'])
    expect(faults({ credentials: [{ ...jwtVc, meta: sdJwt.meta }] })).toContain(
      'credentials.0.meta.type_values must be defined',
    )
    expect(faults({ credentials: [{ ...jwtVc, meta: { type_values: [[]] } }] })).toEqual([
      'credentials.0.meta.type_values.0 must not be empty',
    ])
    expect(faults({ credentials: [{ ...jwtVc, meta: { type_values: ['Degree'] } }] })).toEqual([
      'credentials.0.meta.type_values.0 must be an array',
    ])
  })

  it('names trusted authorities of type aki or etsi_tl (§6.1.1)', () => {
    for (const type of ['openid_federation', 'other', undefined])
      expect(faultsOf({ trusted_authorities: [{ type, values: ['x'] }] })).toEqual([
        'credentials.0.trusted_authorities.0.type must be aki or etsi_tl; openid_federation and other types are not supported',
      ])
    expect(faultsOf({ trusted_authorities: [{ type: 'etsi_tl', values: ['https://lists.example/pid.jwt'] }] })).toEqual(
      [],
    )
    expect(faultsOf({ trusted_authorities: [{ type: 'etsi_tl', values: ['x'] }] })).toEqual([
      'credentials.0.trusted_authorities.0.values.0 must be the address of a trusted list',
    ])
    expect(faultsOf({ trusted_authorities: [{ type: 'aki', values: [] }] })).toEqual([
      'credentials.0.trusted_authorities.0.values must not be empty',
    ])
    expect(faultsOf({ trusted_authorities: [{ type: 'aki', values: ['a=b'] }] })).toEqual([
      'credentials.0.trusted_authorities.0.values.0 must be base64url',
    ])
  })
})

describe('claims and claim sets (§6.3, §6.4.1)', () => {
  it('must not be empty', () => {
    expect(faultsOf({ claims: [] })).toEqual(['credentials.0.claims must not be empty'])
    expect(faultsOf({ claims: [{ path: [] }] })).toEqual(['credentials.0.claims.0.path must not be empty'])
    expect(faultsOf({ claims: [{ path: ['a'], values: [] }] })).toEqual([
      'credentials.0.claims.0.values must not be empty',
    ])
    expect(faultsOf({ claims: [{ id: 'a', path: ['a'] }], claim_sets: [] })).toEqual([
      'credentials.0.claim_sets must not be empty',
    ])
    expect(faultsOf({ claims: [{ id: 'a', path: ['a'] }], claim_sets: [[]] })).toEqual([
      'credentials.0.claim_sets.0 must not be empty',
    ])
  })

  it.each([-1, 1.5, true, {}, undefined])(
    'have paths of strings, non-negative integers and null (§7): not %j',
    (component) => {
      expect(faultsOf({ claims: [{ path: ['a', component] }] })).toEqual([
        'credentials.0.claims.0.path.1 must be a string, a non-negative integer or null',
      ])
    },
  )

  it.each([null, 1.5, [], {}])('have values of strings, integers and booleans: not %j', (value) => {
    expect(faultsOf({ claims: [{ path: ['a'], values: [value] }] })).toEqual([
      'credentials.0.claims.0.values.0 must be a string, an integer or a boolean',
    ])
  })

  it('start at the root of the credential, which is an object (§7.1.1)', () => {
    expect(faultsOf({ claims: [{ path: [0, 'a'] }] })).toEqual(['credentials.0.claims.0.path.0 must be a string'])
    expect(faultsOf({ claims: [{ path: [null] }] })).toEqual(['credentials.0.claims.0.path.0 must be a string'])
  })

  it('of a JWT VC start at the credential, not at the JWT (Appendix B.1.2)', () => {
    expect(faults({ credentials: [{ ...jwtVc, claims: [{ path: ['vc', 'credentialSubject', 'a'] }] }] })).toEqual([
      'credentials.0.claims.0.path.0 must be a member of the credential, such as credentialSubject, not vc',
    ])
    expect(faultsOf({ claims: [{ path: ['vc', 'a'] }] })).toEqual([])
  })

  it('name each claim once and have unique ids', () => {
    expect(faultsOf({ claims: [{ path: ['a', 0] }, { path: ['a', '0'] }, { path: ['a', 0], values: ['x'] }] })).toEqual(
      ['credentials.0.claims.2.path must not point to a claim that another one points to'],
    )
    expect(
      faultsOf({
        claims: [
          { id: 'a', path: ['a'] },
          { id: 'a', path: ['b'] },
        ],
      }),
    ).toEqual(['credentials.0.claims.1.id must be unique'])
  })

  it('claim_sets need claims, each with an id, and refer to these', () => {
    expect(faultsOf({ claim_sets: [['a']] })).toEqual([
      'credentials.0.claim_sets must not be present without claims',
      'credentials.0.claim_sets.0.0 must be the id of a claim',
    ])
    expect(faultsOf({ claims: [{ id: 'a', path: ['a'] }, { path: ['b'] }], claim_sets: [['a', 'b']] })).toEqual([
      'credentials.0.claims.1.id must be present where claim_sets is',
      'credentials.0.claim_sets.0.1 must be the id of a claim',
    ])
  })
})

describe('credential sets (§6.2)', () => {
  it('have options that refer to credential queries', () => {
    expect(faults({ credentials: [sdJwt], credential_sets: [{ options: [['person'], ['person', 'other']] }] })).toEqual(
      ['credential_sets.0.options.1.1 must be the id of a credential query'],
    )
    expect(faults({ credentials: [sdJwt], credential_sets: [{ options: [] }] })).toEqual([
      'credential_sets.0.options must not be empty',
    ])
    expect(faults({ credentials: [sdJwt], credential_sets: [{ options: [[]] }] })).toEqual([
      'credential_sets.0.options.0 must not be empty',
    ])
  })
})

describe('attack: a query too large', () => {
  it('is refused', () => {
    expect(faults({ credentials: Array.from({ length: 33 }, (_, i) => ({ ...sdJwt, id: `c${i}` })) })).toEqual([
      'credentials must not hold more than 32 elements',
    ])
    expect(faultsOf({ claims: [{ path: Array(33).fill('a') }] })).toEqual([
      'credentials.0.claims.0.path must not hold more than 32 elements',
    ])
    expect(faultsOf({ id: 'a'.repeat(65) })).toHaveLength(1)
  })
})

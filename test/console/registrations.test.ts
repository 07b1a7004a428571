import { describe, expect, it } from 'vitest'
import { sortMessages } from '../../client/console/problems.js'
import type { Registration } from '../../client/console/queries/trust.js'
import { claimNamesOf } from '../../client/console/screens/requests/asks.js'
import {
  chosenUse,
  intendedUses,
  isAboutRegistration,
  namedInQuery,
} from '../../client/console/screens/requests/intended-uses.js'
import { fieldOfPath, requestDefaults } from '../../client/console/screens/requests/request-form.js'
import {
  askOf,
  nameOfRegistration,
  needsPerson,
  queriedCredentials,
  textIn,
} from '../../client/console/ui/registered.js'

const registration = (more: Partial<Registration> = {}): Registration => ({
  id: 'one',
  form: 'jwt',
  subject: { identifier: 'VATDE-1', name: 'Shop' },
  intermediary: null,
  intendedUse: 'age-check',
  purposes: [{ lang: 'en', value: 'Check the age' }],
  credentials: [],
  providesAttestations: [],
  entitlements: [],
  privacyPolicy: null,
  registryUri: null,
  supervisoryAuthority: null,
  issuedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: null,
  state: 'usable',
  reason: null,
  checkedAt: null,
  fromFile: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
})

describe('what a registration certificate covers (ETSI TS 119 475 §5.2.4)', () => {
  const NAMESPACE = 'eu.europa.ec.eudi.pid.1'
  it.each([
    [
      'an SD-JWT VC',
      {
        format: 'dc+sd-jwt',
        meta: { vct_values: ['urn:a', 'urn:b'] },
        claims: [
          ['address', 'city'],
          ['list', null],
        ],
      },
      {
        format: 'dc+sd-jwt',
        types: ['urn:a', 'urn:b'],
        claims: [
          ['address', 'city'],
          ['list', null],
        ],
      },
    ],
    [
      'a mobile document, without the namespace of its elements',
      { format: 'mso_mdoc', meta: { doctype_value: NAMESPACE }, claims: [[NAMESPACE, 'birth_date'], [NAMESPACE]] },
      { format: 'mso_mdoc', types: [NAMESPACE], claims: [['birth_date'], [NAMESPACE]] },
    ],
    [
      'a W3C credential, by its most specific type',
      {
        format: 'jwt_vc_json',
        meta: { type_values: [['VerifiableCredential', 'Diploma'], ['Degree']] },
        claims: [['credentialSubject', 'degree'], ['credentialSubject']],
      },
      { format: 'jwt_vc_json', types: ['Diploma', 'Degree'], claims: [['degree'], ['credentialSubject']] },
    ],
    [
      'a type without claims, and an unknown format',
      { format: 'other', meta: { vct_values: 'no list', other: 1 }, claims: null },
      { format: 'other', types: ['no list'], claims: [] },
    ],
  ])('is read as a query: %s', (_, given, ask) => {
    expect(askOf(given)).toEqual(ask)
  })

  it('names a claim once, also if two paths have the same name', () => {
    const ask = { format: 'dc+sd-jwt', types: [], claims: [['name'], ['name'], ['list', null]] }
    expect(claimNamesOf(ask, [], 'en')).toEqual(['name', 'list.*'])
  })

  it('is compared with the credentials of a DCQL query; other members are ignored', () => {
    const query = {
      credentials: [
        { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: ['urn:a'] }, claims: [{ path: ['name'], values: [1] }] },
        { id: 'all', format: 'mso_mdoc', meta: { doctype_value: 'doc' } },
        'text',
      ],
      credential_sets: [],
    }
    expect(queriedCredentials(query)).toEqual([
      { format: 'dc+sd-jwt', meta: { vct_values: ['urn:a'] }, claims: [['name']] },
      { format: 'mso_mdoc', meta: { doctype_value: 'doc' }, claims: [] },
    ])
    expect(queriedCredentials({})).toEqual([])
  })
})

describe('the name of a registration certificate', () => {
  it('is its purpose in the language of the console, else in English, else the first purpose', () => {
    const purposes = [
      { lang: 'fr', value: 'Âge' },
      { lang: 'en-GB', value: 'Age' },
      { lang: 'de-AT', value: 'Alter' },
    ]
    expect(textIn(purposes, 'de')).toEqual({ text: 'Alter', lang: undefined })
    expect(textIn(purposes, 'es')).toEqual({ text: 'Age', lang: 'en-GB' })
    expect(textIn(purposes.slice(0, 1), 'es')).toEqual({ text: 'Âge', lang: 'fr' })
    expect(textIn([], 'de')).toBeUndefined()
  })

  it('is the intended use, or the party, without a purpose', () => {
    expect(nameOfRegistration(registration({ purposes: [] }), 'en').text).toBe('age-check')
    expect(nameOfRegistration(registration({ purposes: [], intendedUse: null }), 'en').text).toBe('Shop')
  })
})

describe('the intended uses of a verifier', () => {
  it('are one for each party and name: a renewed certificate adds no choice', () => {
    const uses = intendedUses(
      [
        registration({ id: 'new', state: 'revoked' }),
        registration({ id: 'old' }),
        registration({ id: 'other', intendedUse: 'delivery', state: 'expired' }),
      ],
      'en',
    )
    expect(uses.map(({ value, state }) => [value, state])).toEqual([
      ['age-check', 'usable'],
      ['delivery', 'expired'],
    ])
    expect(chosenUse('delivery', uses)).toBe('delivery')
    expect(chosenUse('removed meanwhile', uses)).toBeUndefined()
    expect(chosenUse('age-check', uses.slice(0, 1))).toBeUndefined()
  })

  it('without a unique name are chosen by the id of their certificate', () => {
    const intermediary = { identifier: 'VATDE-2' }
    const uses = intendedUses(
      [registration(), registration({ id: 'two', intermediary }), registration({ id: 'three', intendedUse: null })],
      'en',
    )
    expect(uses.map(({ value }) => value)).toEqual(['one', 'two', 'three'])
    expect(uses.map(({ name }) => name)).toEqual([
      'Check the age (age-check)',
      'Check the age (age-check)',
      'Check the age',
    ])
  })
})

describe('a refusal of a request', () => {
  const form = { ...requestDefaults(undefined) }
  const fieldOf = (message: string, ids: readonly string[]) =>
    sortMessages([namedInQuery(message, ids)], (path) => fieldOfPath(path, form))

  it('for a claim beyond the certificate is shown at the credential', () => {
    const sentence =
      'goes beyond the registration certificate a: b: credential pid asks for the claim x, which the certificate does not have'
    const { byField, others } = fieldOf(`dcqlQuery ${sentence}`, ['pid'])
    expect([...byField]).toEqual([['credentials.0.type', sentence]])
    expect(others).toEqual([])
    // A credential that the form does not have.
    expect(fieldOf(`dcqlQuery ${sentence}`, ['other']).others).toEqual([`dcqlQuery ${sentence}`])
  })

  it('for a missing choice is shown at the intended use', () => {
    expect([...fieldOf('intendedUse must be given', []).byField]).toEqual([['intendedUse', 'must be given']])
  })

  it('is about the registration certificate only if its sentence says so', () => {
    expect(isAboutRegistration('The status of the registration certificate was never read.')).toBe(true)
    expect(isAboutRegistration('Certificate of the verifier has expired.')).toBe(false)
  })
})

it.each([
  ['none', [], false],
  ['none', [{ type: 'payment' }], true],
  ['registered', [], true],
  ['beyond', [], true],
  ['invalid', [], true],
] as const)(
  'a person sees a request with the registration %s and the transactions %j: %s',
  (state, transactionData, seen) => {
    expect(needsPerson({ registration: { state }, transactionData })).toBe(seen)
  },
)

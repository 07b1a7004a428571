import { describe, expect, it } from 'vitest'
import { givenIn } from '../../client/console/screens/trust/explain/given.js'
import { EMPTY_LIST, listField, listInput } from '../../client/console/screens/trust/lists/list-form.js'
import { nameIn, shownUrl } from '../../client/console/screens/trust/lists/names.js'
import { entitySearch } from '../../client/console/screens/trust/lists/search.js'
import { serviceState } from '../../client/console/screens/trust/lists/service-state.js'
import { pemOf, textOfBytes } from '../../client/console/ui/file-text.js'
import { forgetDrafts } from '../../client/console/ui/kept/drafts.js'
import { handedOver, handOver } from '../../client/console/ui/kept/handed-over.js'
import { makeRoot } from '../verifier/certified.js'

const { certificate } = makeRoot('Authority')
const pem = certificate.toString()
const NOW = new Date('2026-06-01T00:00:00Z')

describe('the form of a new list', () => {
  const filled = { ...EMPTY_LIST, url: ' https://lists.example/pid.jwt ', pem, sha256: 'unused' }

  it('sends the members that the user gave, and no empty ones', () => {
    expect(listInput(filled)).toEqual({
      url: 'https://lists.example/pid.jwt',
      kind: 'lote',
      purpose: 'credentials',
      signer: { pem: pem.trim() },
    })
    expect(
      listInput({ ...filled, profile: 'pid', types: ' a \n\nb', maxAgeHours: '48', territory: 'de', note: ' PID ' }),
    ).toMatchObject({ profile: 'pid', types: ['a', 'b'], maxAgeHours: 48, territory: 'DE', note: 'PID' })
  })

  it('leaves out what the kind or the purpose does not allow, and the hidden field of the signer', () => {
    const input = listInput({ ...filled, kind: 'vical', profile: 'mdl', purpose: 'verifiers', types: 'a' })
    expect(Object.keys(input).sort()).toEqual(['kind', 'purpose', 'signer', 'url'])
  })

  it('sends the types of services for a list in XML alone (ETSI TS 119 612)', () => {
    const named = { ...filled, serviceTypes: ' http://a.example/type\n\nhttp://b.example/type ' }
    expect(listInput({ ...named, kind: 'tsl' }).serviceTypes).toEqual([
      'http://a.example/type',
      'http://b.example/type',
    ])
    expect(listInput(named).serviceTypes).toBeUndefined()
    expect(listInput({ ...named, kind: 'vical' }).serviceTypes).toBeUndefined()
    expect(listInput({ ...filled, kind: 'tsl' }).serviceTypes).toBeUndefined()
  })

  it.each([
    ['as openssl writes it', `sha256 Fingerprint=${certificate.fingerprint256}`],
    ['with spaces and a line break', `${certificate.fingerprint256.replaceAll(':', ' ')}\n`],
  ])('takes the hash %s', (_, sha256) => {
    expect(listInput({ ...filled, signerBy: 'sha256', sha256 }).signer).toEqual({
      sha256: certificate.fingerprint256.replaceAll(':', ''),
    })
  })

  it.each(['1.5', '-1', '1e3', 'two days'])('makes no number of %s', (maxAgeHours) => {
    expect(listInput({ ...filled, maxAgeHours }).maxAgeHours).toBeNaN()
  })

  it('finds the field of each message of the service', () => {
    const at = { signerBy: 'pem' } as const
    const paths = [
      'url',
      'types.3',
      'serviceTypes.0',
      'signer.pem',
      'signer.sha256',
      'signer',
      'maxAgeHours',
      'territory',
      'other',
    ]
    expect(paths.map((path) => listField(path, at))).toEqual([
      'url',
      'types',
      'serviceTypes',
      'pem',
      'sha256',
      'pem',
      'maxAgeHours',
      'territory',
      undefined,
    ])
  })
})

describe('the state of a service', () => {
  const service = { status: 'granted', trustedFor: ['issuance'], isTrusted: false } as const
  it.each([
    ['trusted', { ...service, isTrusted: true }],
    ['trusted', { ...service, status: 'withdrawn', isTrusted: true, endsAt: '2026-07-01T00:00:00Z' }],
    ['withdrawn', { ...service, status: 'withdrawn', endsAt: '2026-05-01T00:00:00Z' }],
    ['ended', { ...service, endsAt: '2026-05-01T00:00:00Z' }],
    ['later', { ...service, startsAt: '2026-07-01T00:00:00Z' }],
    ['unknown', { ...service, status: 'unknown' }],
    ['untrusted', { ...service, trustedFor: [] }],
    // The list itself cannot be used.
    ['untrusted', service],
  ] as const)('is %s for %j', (state, given) => {
    expect(serviceState(given, NOW)).toBe(state)
  })
})

describe('a name of a list', () => {
  it('is in the language of the console, else in English, else the first', () => {
    expect(nameIn({ en: 'Ministry', 'de-DE': 'Ministerium' }, 'de')).toEqual({ name: 'Ministerium', lang: undefined })
    expect(nameIn({ fr: 'Ministère', en: 'Ministry' }, 'de')).toEqual({ name: 'Ministry', lang: 'en' })
    expect(nameIn({ pl: 'Ministerstwo', fr: ' ' }, 'fr')).toEqual({ name: 'Ministerstwo', lang: 'pl' })
    expect(nameIn({}, 'en')).toBeUndefined()
    expect(nameIn(undefined, 'en')).toBeUndefined()
  })

  it('shows no query of an address, which may hold a token', () => {
    expect(shownUrl('https://lists.example/pid.jwt?token=secret')).toBe('https://lists.example/pid.jwt')
  })
})

it('the search of entities keeps digits as text, and has the bound of the service', () => {
  expect(entitySearch({ name: 42 })).toEqual({ name: '42' })
  expect(entitySearch({ name: '  ' })).toEqual({})
  expect(entitySearch({ name: 'x'.repeat(300) }).name).toHaveLength(200)
})

describe('what is explained', () => {
  it.each([
    ['PEM', pem],
    ['base64 of DER', certificate.raw.toString('base64')],
    ['a file of DER', textOfBytes(certificate.raw)],
  ])('is a certificate for %s', (_, text) => {
    expect(givenIn(`\n${text}\n`)).toEqual({ certificate: text.trim() })
  })

  it('is a credential otherwise, without the line breaks of an e-mail', () => {
    expect(givenIn('eyJhbGciOiJFUzI1NiJ9.e30\n .c2ln~')).toEqual({ credential: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln~' })
    expect(givenIn(textOfBytes(Buffer.from('a26affff00', 'hex')))).toEqual({ credential: 'omr__wA' })
  })

  it('is forgotten with every other input at the end of a session', () => {
    const handed = { given: 'a credential', purpose: 'credentials', type: '' } as const
    handOver(handed)
    expect(handedOver()).toBe(handed)
    forgetDrafts()
    expect(handedOver()).toBeUndefined()
  })
})

it('a certificate file in DER becomes PEM', () => {
  expect(pemOf(textOfBytes(certificate.raw))).toBe(pem.trim())
  expect(pemOf(textOfBytes(Buffer.from(pem)))).toBe(pem.trim())
})

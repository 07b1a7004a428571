import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config/config.js'
import { makeRoot } from '../verifier/certified.js'
import { COMPLETE, refusalWith } from './environment.js'

const LIST = {
  url: 'https://lists.example/pid.jwt',
  kind: 'lote',
  profile: 'pid',
  purpose: 'credentials',
  types: ['urn:eudi:pid:1'],
  signer: { sha256: 'a'.repeat(64) },
  maxAgeHours: 48,
  territory: 'EU',
}

const XML = {
  url: 'https://lists.example/tsl.xml',
  kind: 'tsl',
  purpose: 'credentials',
  serviceTypes: ['http://uri.etsi.org/TrstSvc/Svctype/CA/QC'],
  signer: { sha256: 'a'.repeat(64) },
}

function fileOf(content: unknown): string {
  const path = join(mkdtempSync(join(tmpdir(), 'credence-lists-')), 'lists.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const configured = (content: unknown, more: NodeJS.ProcessEnv = {}) =>
  readConfig({ ...COMPLETE, TRUST_LISTS: fileOf(content), ...more })

/** Returns the problems of the configuration; undefined if it is accepted. */
const refusalOf = (content: unknown, more: NodeJS.ProcessEnv = {}) =>
  refusalWith({ TRUST_LISTS: fileOf(content), ...more })?.replace('Invalid environment variables:\n', '')

const FILE = '- TRUST_LISTS must name a JSON file of trusted lists:'

describe('TRUST_LISTS', () => {
  it('may have the hash of a signer with colons, as OpenSSL prints it', () => {
    const signer = { sha256: `AB${':AB'.repeat(31)}` }
    expect(configured([{ ...LIST, signer }]).trustLists).toEqual([{ ...LIST, signer: { sha256: 'AB'.repeat(32) } }])
  })

  it('is a file with all members of each list', () => {
    const pem = makeRoot().certificate.toString()
    const other = { url: 'https://lists.example/wallets.jwt', kind: 'lote', purpose: 'wallets', signer: { pem } }
    expect(configured([LIST, other, XML]).trustLists).toEqual([LIST, other, XML])
    expect(readConfig(COMPLETE).trustLists).toEqual([])
  })

  it.each([
    ['{', 'it is no JSON.'],
    [LIST, 'it must be an array.'],
    [[{ ...LIST, url: 'lists.example/pid.jwt' }], '0.url must be an https URL without user name and fragment.'],
    [
      [{ ...LIST, url: 'https://me:secret@lists.example' }],
      '0.url must be an https URL without user name and fragment.',
    ],
    [[{ ...LIST, kind: 'xml' }], '0.kind must be lote, vical, tsl.'],
    [[{ ...LIST, profile: 'pub' }], '0.profile must be pid, wallet, wrpac, wrprc, pub-eaa, mdl.'],
    [[{ ...LIST, purpose: 'all' }], '0.purpose must be credentials, status, verifiers, registrars, wallets.'],
    [[{ ...LIST, types: 'urn:eudi:pid:1' }], '0.types must be an array of texts.'],
    [[{ ...LIST, types: [] }], '0.types must not be empty.'],
    [[{ ...LIST, purpose: 'wallets' }], '0.types must not be set where purpose is wallets.'],
    [[{ ...LIST, signer: { sha256: 'a'.repeat(63) } }], '0.signer.sha256 must be 64 hexadecimal digits.'],
    [[{ ...LIST, signer: { pem: 'certificate' } }], '0.signer.pem must be 1 to 10 certificates in PEM form.'],
    [[{ ...LIST, signer: undefined }], '0.signer must be an object with pem or sha256.'],
    [[{ ...LIST, maxAgeHours: 0 }], '0.maxAgeHours must be an integer from 1 to 8760.'],
    [[{ ...LIST, territory: 'Germany' }], '0.territory must be a country code of two capital letters.'],
    [[LIST, { ...LIST, types: undefined }], '1.url must not stand there twice with the purpose credentials.'],
    [[{ ...LIST, kind: 'pem', profile: undefined }], '0.kind must be lote, vical, tsl.'],
    [[{ ...LIST, kind: 'tsl' }], '0.profile must not be set where kind is tsl.'],
    [[{ ...LIST, serviceTypes: ['https://types.example/a'] }], '0.serviceTypes must not be set beside profile.'],
    [[{ ...XML, serviceTypes: [] }], '0.serviceTypes must not be empty.'],
    [[{ ...XML, serviceTypes: ['CA'] }], '0.serviceTypes.0 must be a URI.'],
    [
      [{ ...XML, kind: 'vical', serviceTypes: XML.serviceTypes }],
      '0.serviceTypes must not be set where kind is vical.',
    ],
    [[{ ...LIST, kind: 'vical' }], '0.profile must not be set where kind is vical.'],
    [[{ ...LIST, pem: 'x' }], '0 Unrecognized key: "pem".'],
  ])('%j is refused: %s', (content, reason) => {
    expect(refusalOf(content)).toBe(`${FILE} ${reason}`)
  })

  it('has plain http only with ALLOW_INSECURE_HTTP', () => {
    const plain = [{ ...LIST, url: 'http://lists.example/pid.jwt' }]
    expect(refusalOf(plain)).toBe(
      '- TRUST_LISTS must list https URLs unless ALLOW_INSECURE_HTTP is true: 0.url is none.',
    )
    expect(refusalOf(plain, { ALLOW_INSECURE_HTTP: 'true' })).toBeUndefined()
  })

  it('satisfies x5c in TRUSTED_ISSUERS if a list is for credentials', () => {
    expect(refusalOf([LIST], { TRUSTED_ISSUERS: 'self,x5c' })).toBeUndefined()
    const { types: _types, ...untyped } = LIST
    expect(refusalOf([{ ...untyped, purpose: 'wallets' }], { TRUSTED_ISSUERS: 'self,x5c' })).toBe(
      '- TRUST_LISTS must have a list with the purpose credentials, or TRUST_ANCHORS must be defined.',
    )
  })
})

describe('PUBLISHED_TRUST_LISTS', () => {
  const ENTITY = {
    name: { en: 'Ministry' },
    issuers: ['default'],
    address: { street: 'S', locality: 'T', postalCode: '1', country: 'DE', electronic: ['mailto:a@b.example'] },
    informationUri: 'https://ministry.example',
  }
  const PUBLISHED = {
    name: 'issuers',
    kind: 'lote',
    signer: 'default',
    operator: { en: 'Ministry' },
    entities: [ENTITY],
  }
  const { address: _, ...withoutAddress } = ENTITY
  const PID = {
    ...PUBLISHED,
    profile: 'pid',
    territory: 'EU',
    operatorAddress: ENTITY.address,
    schemeName: { en: 'Issuers' },
    informationUri: 'https://ministry.example/list',
    policyUri: 'https://ministry.example/list/policy',
  }

  const problemOf = (content: unknown): string | undefined => {
    try {
      readConfig({ ...COMPLETE, PUBLISHED_TRUST_LISTS: fileOf(content) })
      return undefined
    } catch (error) {
      return (error as Error).message.replace('Invalid environment variables:\n', '')
    }
  }

  it('is a file of lists, which are valid for 30 days by default', () => {
    const { publishedLists } = readConfig({ ...COMPLETE, PUBLISHED_TRUST_LISTS: fileOf([PUBLISHED]) })
    expect(publishedLists).toEqual([{ ...PUBLISHED, validityDays: 30 }])
    expect(readConfig(COMPLETE).publishedLists).toEqual([])
  })

  it('describes its scheme, which a profile demands', () => {
    const { publishedLists } = readConfig({ ...COMPLETE, PUBLISHED_TRUST_LISTS: fileOf([PID]) })
    expect(publishedLists).toEqual([{ ...PID, validityDays: 30 }])
  })

  it.each([
    ['{', 'it is no JSON.'],
    [[{ ...PID, operatorAddress: undefined }], '0.operatorAddress must be set where profile is pid.'],
    [[{ ...PID, schemeName: undefined }], '0.schemeName must be set where profile is pid.'],
    [[{ ...PID, informationUri: undefined }], '0.informationUri must be set where profile is pid.'],
    [[{ ...PID, policyUri: undefined }], '0.policyUri must be set where profile is pid.'],
    [[{ ...PID, policyUri: 'our policy' }], '0.policyUri must be an address.'],
    [[{ ...PUBLISHED, kind: 'vical', policyUri: PID.policyUri }], '0.policyUri must not be set where kind is vical.'],
    [[{ ...PUBLISHED, operator: { en: ' ' } }], '0.operator.en must not be empty.'],
    [[{ ...PUBLISHED, operator: { en: 'A\nministry' } }], '0.operator.en must not have control characters or mark-up.'],
    [
      [{ ...PUBLISHED, operator: { en: '<b>Ministry</b>' } }],
      '0.operator.en must not have control characters or mark-up.',
    ],
    [[{ ...PUBLISHED, name: 'My list' }], '0.name must be small letters, digits and hyphens.'],
    [[{ ...PUBLISHED, kind: 'tsl' }], '0.kind must be lote or vical.'],
    [[{ ...PUBLISHED, profile: 'wallet' }], '0.profile must be pid.'],
    [[{ ...PUBLISHED, profile: 'pid' }], '0.territory must be EU where profile is pid.'],
    [[{ ...PUBLISHED, operator: {} }], '0.operator must have 1 to 40 languages.'],
    [[{ ...PUBLISHED, validityDays: 181 }], '0.validityDays must be an integer from 2 to 180.'],
    [[PUBLISHED, PUBLISHED], '1.name must not stand there twice.'],
    [[{ ...PUBLISHED, entities: [{ ...ENTITY, issuers: [] }] }], '0.entities.0 must have issuers or certificates.'],
    [[{ ...PUBLISHED, entities: [withoutAddress] }], '0.entities.0.address must be set where kind is lote.'],
    [[{ ...PUBLISHED, kind: 'vical' }], '0.entities.0.docTypes must be set where kind is vical.'],
    [
      [{ ...PUBLISHED, entities: [{ ...ENTITY, certificates: 'none' }] }],
      '0.entities.0.certificates must be 1 to 20 certificates in PEM form.',
    ],
  ])('%j is refused: %s', (content, reason) => {
    expect(problemOf(content)).toBe(`- PUBLISHED_TRUST_LISTS must name a JSON file of lists to publish: ${reason}`)
  })
})

import { writeFileSync } from 'node:fs'
import { validateLoTE } from '@owf/eudi-lote'
import { decode } from 'cbor-x'
import { coseVerify } from 'cose-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeCompact, verifyCompact } from '../../server/protocol/jose/jws.js'
import { readLote } from '../../server/protocol/trust-lists/lote/read-lote.js'
import { readVical } from '../../server/protocol/trust-lists/vical/read-vical.js'
import { makeCertificate } from '../protocol/issuer-keys/certificates.js'
import { ISSUANCE, listOf, REVOCATION, sha256Of } from '../protocol/trust-lists/world.js'
import { createTestDatabase } from '../support/postgres.js'
import { type ServiceOptions, startService } from '../support/service.js'
import { newWallet } from '../support/wallet-actor.js'
import { makeLeaf, makeRoot, membership, YEARS } from '../verifier/certified.js'
import { keyRefusalOf, listsFile, refreshed } from './lists.js'

const DAY = 86_400_000
const DOCTYPE = 'org.example.pass'

const root = makeRoot('C=DE/Root of the ministry')
const between = makeCertificate({ subject: 'C=DE/Between', issuer: root, ca: true, keyUsage: 0x04, ...YEARS })
const own = makeLeaf(between, { subject: 'Own issuer', dns: ['127.0.0.1'] })

const ADDRESS = {
  street: 'Street 1',
  locality: 'Town',
  postalCode: '1',
  country: 'DE',
  electronic: ['mailto:trust@ministry.example'],
}
const ENTITY = {
  name: { en: 'Ministry', de: 'Ministerium' },
  issuers: ['default'],
  address: ADDRESS,
  informationUri: 'http://uri.etsi.org/19602/ListOfTrustedEntities/PIDProvider/DE',
}
const LOTE = {
  name: 'issuers',
  kind: 'lote',
  profile: 'pid',
  signer: 'default',
  operator: { en: 'Ministry' },
  operatorAddress: ADDRESS,
  schemeName: { en: 'Issuers of the ministry' },
  informationUri: 'https://ministry.example/list',
  policyUri: 'https://ministry.example/list/policy',
  territory: 'EU',
  validityDays: 10,
  entities: [ENTITY],
}
const VICAL = {
  name: 'documents',
  kind: 'vical',
  signer: 'default',
  operator: { en: 'Ministry' },
  entities: [
    {
      name: { en: 'Ministry' },
      issuers: ['default'],
      certificates: root.certificate.toString(),
      docTypes: [DOCTYPE],
    },
  ],
}

let keyFile: string
let database: Awaited<ReturnType<typeof createTestDatabase>>

beforeAll(async () => {
  database = await createTestDatabase()
  keyFile = await listsFile()
  const chain = [own, between].map(({ certificate }) => certificate.toString()).join('')
  writeFileSync(keyFile, `${own.privateKey.export({ type: 'pkcs8', format: 'pem' })}${chain}`)
})
afterAll(() => database.drop())

const start = async (lists: readonly unknown[], options: ServiceOptions = {}) =>
  startService({
    maintenance: false,
    ...options,
    env: { ISSUER_X509: keyFile, PUBLISHED_TRUST_LISTS: await listsFile(...lists) },
  })

const get = (url: string, name: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${url}/trust-lists/${name}`, { headers })

describe('GET /trust-lists/{name}', () => {
  it('publishes the issuers as a list of trusted entities, which other code finds valid (ETSI TS 119 602)', async () => {
    await using service = await start([LOTE])
    const response = await get(service.url, 'issuers')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/jose')
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=60, stale-if-error=\d+$/)
    const jws = await response.text()
    const { header, payload } = await verifyCompact(jws, own.certificate.publicKey.export({ format: 'jwk' }))
    expect(header.x5c).toEqual([own.x5c, between.x5c])
    // JAdES baseline B (TS 119 182-1 §6.3).
    expect(header['x5t#S256']).toBe(Buffer.from(sha256Of(own), 'hex').toString('base64url'))
    // The library types what it validates, hence the cast.
    expect(validateLoTE(payload as never)).toEqual({ valid: true, errors: [] })
    const pin = { signer: { sha256: sha256Of(own) }, now: new Date(), profile: 'pid', territory: 'EU' } as const
    expect(listOf(await readLote(Buffer.from(jws), pin))).toMatchObject({
      sequenceNumber: 1,
      operator: { en: 'Ministry' },
      entities: [
        {
          names: { en: 'Ministry', de: 'Ministerium' },
          services: [
            { type: ISSUANCE, uses: ['issuance'], certificates: [own.certificate.raw] },
            { type: REVOCATION, uses: ['status'], certificates: [own.certificate.raw] },
          ],
        },
      ],
    })
  })

  it('describes its scheme, its entities and their services as the profile demands (TS 119 602 §6.3, §6.5, §6.6)', async () => {
    await using service = await start([LOTE])
    const { payload } = decodeCompact(await (await get(service.url, 'issuers')).text())
    const uri = (uriValue: string) => ({ lang: 'en', uriValue })
    const postal = { lang: 'en', StreetAddress: 'Street 1', Locality: 'Town', PostalCode: '1', Country: 'DE' }
    const electronic = [uri('mailto:trust@ministry.example')]
    const name = [
      { lang: 'en', value: 'Ministry' },
      { lang: 'de', value: 'Ministerium' },
    ]
    const certificates = { X509Certificates: [{ val: own.x5c }] }
    const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/)
    expect(payload).toEqual({
      LoTE: {
        ListAndSchemeInformation: {
          LoTEVersionIdentifier: 1,
          LoTESequenceNumber: 1,
          LoTEType: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList',
          SchemeOperatorName: [{ lang: 'en', value: 'Ministry' }],
          SchemeOperatorAddress: { SchemeOperatorPostalAddress: [postal], SchemeOperatorElectronicAddress: electronic },
          SchemeName: [{ lang: 'en', value: 'Issuers of the ministry' }],
          SchemeInformationURI: [uri('https://ministry.example/list')],
          StatusDeterminationApproach: 'http://uri.etsi.org/19602/PIDProvidersList/StatusDetn/EU',
          SchemeTypeCommunityRules: [uri('http://uri.etsi.org/19602/PIDProviders/schemerules/EU')],
          SchemeTerritory: 'EU',
          PolicyOrLegalNotice: [{ LoTEPolicy: uri('https://ministry.example/list/policy') }],
          ListIssueDateTime: time,
          NextUpdate: time,
        },
        TrustedEntitiesList: [
          {
            TrustedEntityInformation: {
              TEName: name,
              TEAddress: { TEPostalAddress: [postal], TEElectronicAddress: electronic },
              TEInformationURI: [uri(ENTITY.informationUri)],
            },
            TrustedEntityServices: [ISSUANCE, REVOCATION].map((type) => ({
              ServiceInformation: {
                ServiceName: name,
                ServiceTypeIdentifier: type,
                ServiceDigitalIdentity: certificates,
              },
            })),
          },
        ],
      },
    })
  })

  it('is read by another installation, which then trusts these issuers', async () => {
    await using service = await start([{ ...LOTE, profile: undefined, territory: 'DE' }])
    const url = `${service.url}/trust-lists/issuers`
    const list = { url, kind: 'lote', purpose: 'credentials', signer: { sha256: sha256Of(own) }, territory: 'DE' }
    await using other = await startService({
      maintenance: false,
      env: { TRUST_LISTS: await listsFile(list), TRUSTED_ISSUERS: 'x5c', OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
    })
    const credential = await membership(own, await newWallet())
    expect(await keyRefusalOf(other, credential)).toContain('list has not been read yet')
    expect(await refreshed(other)).toBe('changed')
    expect(await keyRefusalOf(other, credential)).toBeUndefined()
    expect(await refreshed(other)).toBe('unchanged')
    const stranger = makeLeaf(makeRoot('Stranger'))
    expect(await keyRefusalOf(other, await membership(stranger, await newWallet()))).toContain('is not on the list')
  })

  it('publishes authorities of mobile documents as a VICAL, which other code verifies (ISO/IEC 18013-5 Annex C)', async () => {
    await using service = await start([VICAL])
    const response = await get(service.url, 'documents')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/cbor'])
    const bytes = Buffer.from(await response.arrayBuffer())
    // The library has the key type of another version of jose, hence the cast.
    await expect(coseVerify(bytes, own.certificate.publicKey as never)).resolves.toMatchObject({ isValid: true })
    const [, , payload] = decode(bytes)
    expect(decode(payload)).toMatchObject({ vicalProvider: 'Ministry', vicalIssueID: 1 })
    const read = listOf(await readVical(bytes, { signer: { sha256: sha256Of(own) }, now: new Date() }))
    const services = read.entities.flatMap((entity) => entity.services)
    // The certificate of the signer is no authority, so it is not there.
    expect(services.flatMap(({ certificates }) => certificates.map((der) => Buffer.from(der)))).toEqual([
      between.certificate.raw,
      root.certificate.raw,
    ])
    expect(services[0]?.types).toEqual([DOCTYPE])
  })

  it('has a number that grows with each change and after half of its validity, and never else', async () => {
    let now = new Date()
    const options = { databaseUrl: database.url, clock: () => now }
    const numberOf = async (url: string) => {
      const { payload } = decodeCompact(await (await get(url, 'issuers')).text())
      const { LoTE } = payload as { LoTE: { ListAndSchemeInformation: { LoTESequenceNumber: number } } }
      return LoTE.ListAndSchemeInformation.LoTESequenceNumber
    }
    {
      await using first = await start([LOTE], options)
      await using second = await start([LOTE], options)
      const numbers = await Promise.all([first, second, first, second].map(({ url }) => numberOf(url)))
      expect(numbers).toEqual([1, 1, 1, 1])
      const etag = (await get(first.url, 'issuers')).headers.get('etag') ?? ''
      expect((await get(second.url, 'issuers', { 'if-none-match': etag })).status).toBe(304)
      expect((await get(second.url, 'issuers', { 'if-none-match': '"0"' })).status).toBe(200)
    }
    const changed = { ...LOTE, policyUri: 'https://ministry.example/list/new-policy' }
    const later = async (days: number) => {
      now = new Date(now.getTime() + days * DAY)
      await using service = await start([changed], options)
      return await numberOf(service.url)
    }
    expect(await later(0)).toBe(2)
    expect(await later(4)).toBe(2)
    expect(await later(2)).toBe(3)
  })

  it('is signed again by the maintenance job, and never published after its end', async () => {
    let now = new Date()
    const clock = () => now
    await using service = await start([LOTE], { maintenance: true, maintenanceEveryMs: 50, clock })
    expect((await get(service.url, 'issuers')).headers.get('etag')).toBe('"1"')
    now = new Date(now.getTime() + 6 * DAY)
    await expect
      .poll(
        async () => {
          now = new Date(now.getTime() + 60_000)
          return (await get(service.url, 'issuers')).headers.get('etag')
        },
        { interval: 500 },
      )
      .toBe('"2"')
    await using idle = await start([LOTE], { clock })
    now = new Date(now.getTime() + 10 * DAY)
    expect((await get(idle.url, 'issuers')).status).toBe(503)
  })

  it('is 404 for an unknown name, and 503 if the signer has no certificate', async () => {
    await using service = await start([{ ...LOTE, signer: 'unknown' }])
    const unknown = await get(service.url, 'unknown')
    expect([unknown.status, (await unknown.json()).message]).toEqual([404, 'Trusted list not found.'])
    const unsigned = await get(service.url, 'issuers')
    expect([unsigned.status, (await unsigned.json()).message]).toEqual([
      503,
      'Trusted list is not signed: its signer has no certificate.',
    ])
  })
})

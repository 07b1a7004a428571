import { ES256 } from '@owf/crypto'
import {
  createLoTE,
  LoTEDocumentSchema,
  LoTEProfile,
  service as owfService,
  signLoTE,
  trustedEntity,
  validateLoTE,
  validateLoTEProfile,
} from '@owf/eudi-lote'
import { describe, expect, it } from 'vitest'
import { decodeCompact, verifyCompact } from '../../../server/protocol/jose/jws.js'
import { readLote } from '../../../server/protocol/trust-lists/lote/read-lote.js'
import { writeLote } from '../../../server/protocol/trust-lists/lote/write-lote.js'
import {
  authority,
  entity,
  ISSUANCE,
  listOf,
  NOW,
  operator,
  options,
  PID_LIST,
  REVOCATION,
  refusalOf,
  service,
  sha256Of,
  signerWith,
  stranger,
} from './world.js'

const issuer = authority('C=EU/Issuing authority')

describe('@owf/eudi-lote, another code base', () => {
  const owfEntity = trustedEntity()
    .name('Ministry of the Interior')
    .name('Ministerium des Innern', 'de')
    .postalAddress({ StreetAddress: 'Street 1', Locality: 'Town', PostalCode: '1', Country: 'DE' })
    .email('trust@ministry.example')
    .infoUri('http://uri.etsi.org/19602/ListOfTrustedEntities/PIDProvider/DE')
    .addService(owfService().name('PID').type(ISSUANCE).addCertificate(issuer.x5c).build())
    .addService(owfService().name('PID status').type(REVOCATION).addCertificate(issuer.x5c).build())
    .build()
  const document = createLoTE(
    {
      LoTEType: PID_LIST,
      LoTESequenceNumber: 3,
      SchemeOperatorName: [{ lang: 'en', value: 'European Commission' }],
      SchemeTerritory: 'EU',
      ListIssueDateTime: '2026-05-01T00:00:00.000Z',
      NextUpdate: '2026-08-01T00:00:00.000Z',
    },
    [owfEntity],
  )
  const signed = async (by = operator, certificates: string[] | undefined = [String(by.certificate)]) => {
    const signer = await ES256.getSigner(by.privateKey.export({ format: 'jwk' }))
    return Buffer.from((await signLoTE({ lote: document, keyId: 'key-1', signer, certificates })).jws)
  }

  it('signs lists that are read', async () => {
    const read = await readLote(await signed(), options({ profile: 'pid', territory: 'EU' }))
    expect(listOf(read)).toMatchObject({
      sequenceNumber: 3,
      operator: { en: 'European Commission' },
      entities: [
        {
          names: { en: 'Ministry of the Interior', de: 'Ministerium des Innern' },
          services: [
            { uses: ['issuance'], status: 'granted', certificates: [issuer.certificate.raw] },
            { uses: ['status'], status: 'granted', certificates: [issuer.certificate.raw] },
          ],
        },
      ],
    })
  })

  it('signs lists without a certificate, which the pinned certificate verifies', async () => {
    expect(await readLote(await signed(operator, []), options())).toMatchObject({ accepted: true })
    expect(refusalOf(await readLote(await signed(stranger, []), options())).check).toBe('signature')
  })

  it('signs lists of a signer who is not pinned', async () => {
    expect(refusalOf(await readLote(await signed(stranger), options()))).toMatchObject({
      check: 'signer',
      signature: 'valid',
    })
  })

  const published = {
    profile: 'pid',
    sequenceNumber: 12,
    issuedAt: new Date('2026-05-31T10:20:30.400Z'),
    nextUpdate: new Date('2026-06-30T00:00:00Z'),
    territory: 'EU',
    operator: { en: 'Credence', de: 'Credence' },
    operatorAddress: {
      street: 'Street 2',
      locality: 'Town',
      country: 'DE',
      electronic: ['mailto:lists@ministry.example'],
    },
    schemeName: { en: 'Issuers of this installation' },
    informationUri: 'https://ministry.example/list',
    policyUri: 'https://ministry.example/list/policy',
    entities: [
      {
        ...entity('Ministry', [service([issuer]), service([issuer], { type: REVOCATION, uses: ['status'] })]),
        address: { street: 'Street 1', locality: 'Town', country: 'DE', electronic: ['mailto:trust@ministry.example'] },
        informationUri: 'http://uri.etsi.org/19602/ListOfTrustedEntities/PIDProvider/DE',
      },
    ],
  } as const

  it('finds published lists valid, and so does this reader', async () => {
    const jws = await writeLote(published, await signerWith(operator), [operator.x5c])
    const { header, payload } = await verifyCompact(jws, operator.certificate.publicKey.export({ format: 'jwk' }))
    const thumbprint = Buffer.from(sha256Of(operator), 'hex').toString('base64url')
    expect(header).toMatchObject({ alg: 'ES256', x5c: [operator.x5c], 'x5t#S256': thumbprint, iat: 1780222830 })
    // PostalCode is optional in the standard's schema, but not in this library.
    const withCode = JSON.parse(JSON.stringify(payload).replaceAll('"Locality"', '"PostalCode":"1","Locality"'))
    expect(validateLoTE(withCode)).toEqual({ valid: true, errors: [] })
    expect(LoTEDocumentSchema.parse(withCode)).toEqual(withCode)
    const read = listOf(await readLote(Buffer.from(jws), options({ profile: 'pid', territory: 'EU', now: NOW })))
    expect(read).toMatchObject({ sequenceNumber: 12, issuedAt: new Date('2026-05-31T10:20:30Z') })
    expect(read.entities[0]?.services).toEqual(published.entities[0].services)
  })

  it('finds that published lists keep to the profile', async () => {
    const jws = await writeLote(published, await signerWith(operator), [operator.x5c])
    // The library types what it validates, hence the cast.
    const { errors } = validateLoTEProfile(decodeCompact(jws).payload as never, LoTEProfile.EUPIDProvidersList)
    // LoTEType is the path of the summary.
    expect(errors.map(({ path }) => path)).toEqual([
      'LoTEType',
      'LoTE.ListAndSchemeInformation.SchemeOperatorAddress.SchemeOperatorPostalAddress.0.PostalCode',
      'LoTE.TrustedEntitiesList.0.TrustedEntityInformation.TEAddress.TEPostalAddress.0.PostalCode',
    ])
  })

  it('reads a published list without entities', async () => {
    const jws = await writeLote({ ...published, entities: [] }, await signerWith(operator), [operator.x5c])
    expect(listOf(await readLote(Buffer.from(jws), options())).entities).toEqual([])
  })

  it('writes the state of services, which is read again', async () => {
    const statusUri = 'http://uri.etsi.org/19602/PubEAAProvidersList/SvcStatus/withdrawn'
    const gone = service([issuer], { status: 'withdrawn', statusUri, endsAt: new Date('2026-02-01T00:00:00Z') })
    const [first] = published.entities
    const list = { ...published, entities: [{ ...first, services: [gone] }] }
    const jws = await writeLote(list, await signerWith(operator), [operator.x5c])
    expect(listOf(await readLote(Buffer.from(jws), options())).entities[0]?.services).toEqual([gone])
  })
})

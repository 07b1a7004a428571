import { decode, encode, Tag } from 'cbor-x'
import { coseVerify, Sign1 } from 'cose-kit'
import { describe, expect, it } from 'vitest'
import { readVical } from '../../../server/protocol/trust-lists/vical/read-vical.js'
import { writeVical } from '../../../server/protocol/trust-lists/vical/write-vical.js'
import { authority, entity, listOf, operator, options, refusalOf, service, signerWith, stranger } from './world.js'

const MDL = 'org.iso.18013.5.1.mDL'
const iaca = authority('C=DE/IACA')

describe('cose-kit and cbor-x, other code bases', () => {
  const signed = async (by = operator) => {
    const content = encode({
      version: '1.0',
      vicalProvider: 'Provider',
      date: new Tag('2026-05-01T00:00:00Z', 0),
      vicalIssueID: 3,
      nextUpdate: new Tag('2026-07-01T00:00:00Z', 0),
      certificateInfos: [
        {
          certificate: iaca.certificate.raw,
          serialNumber: 12345678901234567890n,
          ski: Buffer.from('0102', 'hex'),
          docType: [MDL],
          issuingAuthority: 'Authority',
        },
      ],
    })
    // The library has the key type of another version of jose, hence the casts here and below.
    const key = by.privateKey as never
    const sign1 = await Sign1.sign({ alg: 'ES256' }, { x5chain: by.certificate.raw }, content, key)
    return sign1.encode()
  }

  it('sign a VICAL that is read', async () => {
    expect(listOf(await readVical(await signed(), options()))).toMatchObject({
      sequenceNumber: 3,
      entities: [{ names: { en: 'Authority' }, services: [{ types: [MDL] }] }],
    })
    expect(refusalOf(await readVical(await signed(stranger), options())).check).toBe('signer')
  })

  it('verify and read a published VICAL', async () => {
    const written = await writeVical(
      {
        provider: 'Credence',
        issuedAt: new Date('2026-05-01T00:00:00Z'),
        nextUpdate: new Date('2026-06-10T00:00:00Z'),
        sequenceNumber: 9,
        entities: [{ ...entity('Authority', [service([iaca], { types: [MDL] })]), territory: 'DE' }],
      },
      await signerWith(operator),
      [operator.certificate.raw],
    )
    await expect(coseVerify(written, operator.certificate.publicKey as never)).resolves.toMatchObject({ isValid: true })
    const [, unprotected, payload] = decode(written)
    expect(Buffer.from(unprotected[33])).toEqual(operator.certificate.raw)
    const content = decode(payload)
    expect(content).toMatchObject({ version: '1.0', vicalProvider: 'Credence', vicalIssueID: 9 })
    const [info] = content.certificateInfos
    expect(info).toMatchObject({ docType: [MDL], issuingAuthority: 'Authority', issuingCountry: 'DE' })
    expect(Buffer.from(info.certificate)).toEqual(iaca.certificate.raw)
    expect(BigInt(info.serialNumber)).toBe(BigInt(`0x${iaca.certificate.serialNumber}`))
    expect(info.notAfter).toEqual(new Date(iaca.certificate.validTo))
  })
})

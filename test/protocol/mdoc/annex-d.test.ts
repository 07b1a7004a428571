import { createHmac, X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { VerifyOptions } from '../../../server/protocol/credential/verification.js'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { type Encodable, Encoded } from '../../../server/protocol/mdoc/cbor/values.js'
import { deviceAuthenticationOf } from '../../../server/protocol/mdoc/device-response.js'
import { verifyDeviceResponse, verifyIssuerSigned } from '../../../server/protocol/mdoc/mdoc.js'
import { DOCTYPE, NAMESPACE } from './actors.js'
import { DEVICE_SIGNED, ISSUER_AUTH, ITEMS, MAC, MAC_KEY, SESSION_TRANSCRIPT } from './annex-d.js'

const encoded = (hex: string) => new Encoded(Buffer.from(hex, 'hex'))
const text = (value: Encodable) => Buffer.from(encodeCbor(value)).toString('base64url')

const issuerSigned = (items: readonly string[] = ITEMS) =>
  new Map<string, Encodable>([
    ['nameSpaces', new Map([[NAMESPACE, items.map(encoded)]])],
    ['issuerAuth', encoded(ISSUER_AUTH)],
  ])

/** The standard has no certificate of the authority. This test therefore trusts the issuer's own certificate. */
const options: VerifyOptions = {
  now: new Date('2021-01-01T00:00:00Z'),
  resolveIssuerKey: async ({ x5c }) => {
    const leaf = new X509Certificate(Buffer.from((x5c as string[])[0] ?? '', 'base64'))
    return { jwk: leaf.publicKey.export({ format: 'jwk' }), issuer: leaf.subject, certificate: leaf }
  },
}

describe('The example of ISO/IEC 18013-5:2021 Annex D', () => {
  it('is verified: IssuerAuth of D.5.2, and the digests of the items of D.4.1.2', async () => {
    const verified = await verifyIssuerSigned(text(issuerSigned()), options)
    expect(verified).toMatchObject({
      doctype: DOCTYPE,
      claims: {
        [NAMESPACE]: {
          family_name: 'Doe',
          issue_date: '2019-10-20',
          expiry_date: '2024-10-20',
          document_number: '123456789',
          driving_privileges: [
            { vehicle_category_code: 'A', issue_date: '2018-08-09', expiry_date: '2024-10-20' },
            { vehicle_category_code: 'B', issue_date: '2017-02-23', expiry_date: '2024-10-20' },
          ],
        },
      },
      status: undefined,
      validityInfo: { signed: new Date('2020-10-01T13:30:02Z'), validUntil: new Date('2021-10-01T13:30:02Z') },
      deviceKey: {
        kty: 'EC',
        crv: 'P-256',
        x: Buffer.from('96313d6c63e24e3372742bfdb1a33ba2c897dcd68ab8c753e4fbd48dca6b7f9a', 'hex').toString('base64url'),
      },
      issuer: 'CN=utopia ds\nC=US',
    })
  })

  it.each(ITEMS.map((_, position) => position))('is refused with one digit of item %i changed', async (position) => {
    const items = ITEMS.map((item, at) =>
      at === position ? `${item.slice(0, -1)}${item.endsWith('0') ? '1' : '0'}` : item,
    )
    await expect(verifyIssuerSigned(text(issuerSigned(items)), options)).rejects.toThrow(
      'Credential has an item that its issuer did not sign in that namespace.',
    )
  })

  it('has the same DeviceAuthentication as this service makes: the MAC of D.5.3 fits it', () => {
    const authentication = deviceAuthenticationOf(
      Buffer.from(SESSION_TRANSCRIPT, 'hex'),
      DOCTYPE,
      Buffer.from('d81841a0', 'hex'),
    )
    // RFC 9052 §6.3: the MAC_structure, alg HMAC 256/256.
    const structure = encodeCbor(['MAC0', Buffer.from('a10105', 'hex'), Buffer.alloc(0), authentication])
    expect(createHmac('sha256', Buffer.from(MAC_KEY, 'hex')).update(structure).digest('hex')).toBe(MAC)
  })

  it('is refused as a presentation, because it is authenticated by MAC', async () => {
    const document = new Map<string, Encodable>([
      ['docType', DOCTYPE],
      ['issuerSigned', issuerSigned()],
      ['deviceSigned', encoded(DEVICE_SIGNED)],
    ])
    const response = new Map<string, Encodable>([
      ['version', '1.0'],
      ['documents', [document]],
      ['status', 0],
    ])
    const sessionTranscript = Buffer.from(SESSION_TRANSCRIPT, 'hex')
    await expect(verifyDeviceResponse(text(response), { ...options, sessionTranscript })).rejects.toThrow(
      'Device authentication by MAC is not supported.',
    )
  })
})

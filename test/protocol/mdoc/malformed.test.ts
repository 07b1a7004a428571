import { beforeAll, describe, expect, it } from 'vitest'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { type Encodable, Encoded, Tagged } from '../../../server/protocol/mdoc/cbor/values.js'
import { createSign1 } from '../../../server/protocol/mdoc/cose/sign1.js'
import { deviceAuthenticationOf } from '../../../server/protocol/mdoc/device-response.js'
import {
  coseKeyOf,
  presentMdoc,
  readMdoc,
  redirectTranscript,
  verifyDeviceResponse,
  verifyIssuerSigned,
} from '../../../server/protocol/mdoc/mdoc.js'
import { type Actor, DOCTYPE, issue, makeAuthority, makeHolder, makeIssuer, NAMESPACE, trusting } from './actors.js'
import { changed, changedItem, encodedItem, listAt, mapAt, resigned, treeOf } from './tampering.js'

const authority = makeAuthority()
let issuer: Actor
let issued: string
beforeAll(async () => {
  issuer = await makeIssuer(authority)
  issued = await issue(issuer, await makeHolder())
})

const verify = (document: string) => verifyIssuerSigned(document, trusting(authority))
const refused = (verification: Promise<unknown>, message: string) =>
  expect(verification).rejects.toMatchObject({ name: 'CredentialError', message })

describe('A COSE_Sign1 (RFC 9052 §3, §4.2)', () => {
  const withAuth = (change: (auth: Encodable[]) => unknown) =>
    verify(changed(issued, (root) => change(listAt(root, 'issuerAuth'))))

  it.each<[string, (auth: Encodable[]) => unknown, string]>([
    ['has four elements', (auth) => auth.push(new Map()), 'is no COSE_Sign1.'],
    [
      'has a label in one of its headers',
      ([, unprotected]) => treeOf(unprotected).set(1, -7),
      'has a header parameter twice.',
    ],
    [
      'has its algorithm in the header that is protected, whatever the other one says',
      (auth) => {
        auth[0] = Buffer.alloc(0)
        treeOf(auth[1]).set(1, -7)
      },
      'is made with no supported algorithm.',
    ],
    [
      'has no critical parameter in the header that is not protected either',
      ([, unprotected]) => treeOf(unprotected).set(2, [33]),
      'has a critical header parameter that is not known.',
    ],
  ])('%s', (_, change, verdict) => refused(withAuth(change), `Issuer signature ${verdict}`))
})

describe('An IssuerSigned (ISO/IEC 18013-5 §8.3.2.1.2.2)', () => {
  it('has no namespace without items, because no digest would prove its name', () =>
    refused(
      verify(changed(issued, (root) => mapAt(root, 'nameSpaces').set('org.example.unsigned', []))),
      'Credential has a namespace without items.',
    ))

  it('attack: has no namespace __proto__, which readers of JSON would drop', () =>
    refused(
      verify(
        changed(issued, (root) => {
          const namespaces = mapAt(root, 'nameSpaces')
          namespaces.set('__proto__', listAt(root, 'nameSpaces', NAMESPACE))
        }),
      ),
      'Credential has a namespace __proto__, which is not supported.',
    ))

  it.each(['digestID', 'random', 'elementIdentifier', 'elementValue'])('has no item without %s', (member) =>
    refused(
      verify(
        changed(issued, (root) => {
          const items = listAt(root, 'nameSpaces', NAMESPACE)
          items[0] = changedItem(items[0], (item) => item.delete(member))
        }),
      ),
      'Credential has an item that is no encoded IssuerSignedItem.',
    ),
  )

  it.each<[string, (item: Tagged<Uint8Array>) => Encodable]>([
    ['under another tag', ({ value }) => new Tagged(23, value)],
    ['without a tag', ({ value }) => value],
    ['that is not encoded', ({ value }) => new Encoded(Buffer.concat([Buffer.from('d818', 'hex'), value]))],
    ['under two tags', (item) => new Tagged(24, encodeCbor(item))],
  ])('has no item %s', (_, change) =>
    refused(
      verify(
        changed(issued, (root) => {
          const items = listAt(root, 'nameSpaces', NAMESPACE)
          items[0] = change(items[0] as Tagged<Uint8Array>)
        }),
      ),
      'Credential has an item that is no encoded IssuerSignedItem.',
    ),
  )

  it.each<[string, Encodable]>([
    ['negative', -1],
    ['a fraction', 1.5],
    ['beyond 2^53', 2n ** 60n],
    ['text', '1'],
  ])('has no item whose digest id is %s', (_, id) =>
    refused(
      verify(
        changed(issued, (root) => {
          const items = listAt(root, 'nameSpaces', NAMESPACE)
          items[0] = changedItem(items[0], (item) => item.set('digestID', id))
        }),
      ),
      'Credential has an item that is no encoded IssuerSignedItem.',
    ),
  )
})

it.each<[string, Encodable]>([
  ['negative', -1],
  ['a fraction', 0.5],
  ['beyond 2^53', 2n ** 60n],
  ['text', '7'],
])('An index into a status list is not %s', async (_, idx) => {
  const list = new Map<string, Encodable>([
    ['idx', idx],
    ['uri', 'https://issuer.example/1'],
  ])
  await refused(
    verify(await resigned(issued, issuer, (object) => object.set('status', new Map([['status_list', list]])))),
    'Credential status holds no status_list with uri and idx.',
  )
})

it.each<[string, Encodable]>([
  ['null', null],
  ['an empty map', new Map()],
  ['text', 'https://issuer.example/1'],
])('A status that is %s does not count as a missing status', async (_, status) =>
  refused(
    verify(await resigned(issued, issuer, (object) => object.set('status', status))),
    'Credential status holds no status_list with uri and idx.',
  ),
)

describe('Elements that a device signs itself (ISO/IEC 18013-5 §9.1.2.4, §9.1.3.4)', () => {
  const sessionTranscript = redirectTranscript({ clientId: 'c', nonce: 'n', responseUri: 'https://v.example' })

  /**
   * Makes a presentation of elements that only the device has signed. The issuer has authorized the device's key with
   * the given authorizations.
   */
  async function selfSigned(namespace: string, elements: readonly string[], authorizations: Map<string, Encodable>) {
    const holder = await makeHolder()
    const issuerSigned = await resigned(await issue(issuer, holder), issuer, (object) =>
      mapAt(object, 'deviceKeyInfo').set('keyAuthorizations', authorizations),
    )
    const said = new Map(elements.map((element) => [element, true]))
    const own = encodeCbor(encodedItem(new Map([[namespace, said]])))
    const signed = deviceAuthenticationOf(sessionTranscript, DOCTYPE, own)
    const deviceSignature = await createSign1(holder, signed, { detached: true })
    const presented = await presentMdoc({ issuerSigned, disclose: [], sessionTranscript, signer: holder })
    const response = changed(presented, (root) => {
      const device = mapAt(root, 'documents', 0, 'deviceSigned')
      device.set('nameSpaces', new Encoded(own))
      device.set('deviceAuth', new Map([['deviceSignature', deviceSignature]]))
    })
    return verifyDeviceResponse(response, { ...trusting(authority), sessionTranscript })
  }
  const NONE = new Map<string, Encodable>()
  const NOT_AUTHORIZED = 'Presentation has an element that the device may not sign.'
  const of = (namespace: string) => new Map([['dataElements', new Map([[namespace, ['nickname']]])]])

  it('is authorized for its namespace', async () => {
    expect((await selfSigned('own', ['nickname'], of('own'))).claims).toEqual({ own: { nickname: true } })
    await refused(selfSigned('own', ['nickname'], of('other')), NOT_AUTHORIZED)
    await refused(selfSigned('own', ['nickname'], new Map([['nameSpaces', ['other']]])), NOT_AUTHORIZED)
    await refused(selfSigned('own', ['nickname'], NONE), NOT_AUTHORIZED)
  })

  it('is signed by a requested algorithm', async () => {
    const holder = await makeHolder()
    const issuerSigned = await issue(issuer, holder)
    const response = await presentMdoc({ issuerSigned, disclose: [], sessionTranscript, signer: holder })
    const options = { ...trusting(authority), sessionTranscript, deviceAlgorithms: ['ES384', 'EdDSA'] }
    await refused(verifyDeviceResponse(response, options), 'Device signature algorithm ES256 was not asked for.')
  })

  it('names no namespace without elements, because no authorization would be checked for its name', () =>
    refused(selfSigned('own', [], NONE), 'Presentation has a device-signed namespace without elements.'))

  it('attack: names no namespace __proto__, even if authorized for it', () =>
    refused(
      selfSigned('__proto__', ['nickname'], of('__proto__')),
      'Credential has a namespace __proto__, which is not supported.',
    ))

  it.each<[string, Encodable]>([
    ['are no map', []],
    ['name namespaces by no array', new Map([['nameSpaces', 'own']])],
    ['name elements by no map', new Map([['dataElements', ['nickname']]])],
  ])('attack: authorizations that %s', (_, authorizations) =>
    refused(
      selfSigned('own', ['nickname'], authorizations as Map<string, Encodable>),
      'Credential has a mobile security object with malformed keyAuthorizations.',
    ),
  )
})

it.each([
  ['too short', { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }],
  ['without y', { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43) }],
  ['of another type than its curve', { kty: 'OKP', crv: 'P-256', x: 'A'.repeat(43) }],
])('A key %s is refused in an mdoc', (_, jwk) => {
  expect(() => coseKeyOf(jwk)).toThrow('Holder key cannot stand in an mdoc: it must be of P-256, P-384 or Ed25519.')
})

it('A time may have fractions of a second and an offset, and no other form (RFC 3339; §9.1.2.4)', async () => {
  const until = (text: string) =>
    resigned(issued, issuer, (object) => mapAt(object, 'validityInfo').set('validUntil', new Tagged(0, text)))
  expect(readMdoc(await until('2026-09-01T10:00:00.250+02:00')).validityInfo.validUntil).toEqual(
    new Date('2026-09-01T08:00:00.250Z'),
  )
  const tagged = (tag: number) =>
    resigned(issued, issuer, (object) =>
      mapAt(object, 'validityInfo').set('validUntil', new Tagged(tag, '2026-09-01T10:00:00Z')),
    )
  await refused(
    verify(await tagged(1004)),
    'Credential has a mobile security object whose validityInfo has no validUntil.',
  )
  for (const text of ['2026-09-01', '1 September 2026', '2026-13-01T00:00:00Z', '2026-09-01T10:00:00'])
    await refused(
      verify(await until(text)),
      'Credential has a mobile security object whose validityInfo has no validUntil.',
    )
})

it.each<[string, string, string, string, string?]>([
  ['valid from tomorrow', 'validFrom', '2026-06-02T12:00:00Z', 'is not valid yet: its validityInfo lies in the future'],
  ['signed tomorrow', 'signed', '2026-06-02T12:00:00Z', 'is not valid yet: its validityInfo lies in the future'],
  ['valid from before it was signed', 'validFrom', '2026-06-01T09:59:59Z', 'is valid from before it was signed'],
  [
    'signed after the end of its certificate',
    'signed',
    '2026-12-31T23:59:59.500Z',
    'was signed when the certificate of its issuer was not valid',
    '2026-12-31T23:59:59Z',
  ],
])('A document that is %s is refused (ISO/IEC 18013-5 §9.3.1)', async (_, name, time, verdict, now) => {
  const document = await resigned(issued, issuer, (object) => {
    const validity = mapAt(object, 'validityInfo').set(name, new Tagged(0, time))
    if (now === undefined) return
    validity.set('validFrom', new Tagged(0, time))
    validity.set('validUntil', new Tagged(0, '2027-06-01T00:00:00Z'))
  })
  await refused(
    verifyIssuerSigned(document, trusting(authority, now === undefined ? undefined : new Date(now))),
    `Credential ${verdict}.`,
  )
})

import { beforeAll, describe, expect, it } from 'vitest'
import type { Signer } from '../../../server/protocol/jose/jws.js'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { type Encodable, Tagged } from '../../../server/protocol/mdoc/cbor/values.js'
import { createSign1 } from '../../../server/protocol/mdoc/cose/sign1.js'
import { deviceAuthenticationOf } from '../../../server/protocol/mdoc/device-response.js'
import {
  dcApiTranscript,
  presentMdoc,
  redirectTranscript,
  verifyDeviceResponse,
  verifyIssuerSigned,
} from '../../../server/protocol/mdoc/mdoc.js'
import { type Actor, issue, MORE, makeAuthority, makeHolder, makeIssuer, NAMESPACE, NOW, trusting } from './actors.js'
import { at, bytesOf, changed, changedItem, encodedItem, listAt, mapAt, resigned, type Tree } from './tampering.js'

const REQUEST = {
  clientId: 'x509_san_dns:verifier.example',
  nonce: 'n-1',
  responseUri: 'https://verifier.example/response',
}
const DC_API = { origin: 'https://verifier.example', nonce: 'n-1' }
const authority = makeAuthority()
let issuer: Actor
let holder: Signer
let issued: string
let presented: string

const present = (issuerSigned: string, changes: Partial<Parameters<typeof presentMdoc>[0]> = {}) =>
  presentMdoc({
    issuerSigned,
    disclose: [
      [NAMESPACE, 'family_name'],
      [NAMESPACE, 'given_name'],
      [MORE, 'organ_donor'],
    ],
    sessionTranscript: redirectTranscript(REQUEST),
    signer: holder,
    ...changes,
  })

const verify = (response: string, sessionTranscript: Uint8Array | Uint8Array[] = redirectTranscript(REQUEST)) =>
  verifyDeviceResponse(response, { ...trusting(authority), sessionTranscript })

const refused = (verification: Promise<unknown>, message: string) =>
  expect(verification).rejects.toMatchObject({ name: 'CredentialError', message })

beforeAll(async () => {
  issuer = await makeIssuer(authority)
  holder = await makeHolder()
  issued = await issue(issuer, holder)
  presented = await present(issued)
})

const DOCUMENT = ['documents', 0] as const
const ITEMS = [...DOCUMENT, 'issuerSigned', 'nameSpaces'] as const
const NOT_SIGNED = 'Credential has an item that its issuer did not sign in that namespace.'

it('An unchanged presentation is accepted', async () => {
  expect((await verify(changed(presented, () => undefined))).claims).toEqual({
    [NAMESPACE]: { family_name: 'Möbius', given_name: 'Ada' },
    [MORE]: { organ_donor: true },
  })
})

describe('A holder cannot change data that the issuer has signed (ISO/IEC 18013-5 §9.1.2)', () => {
  const withItem = (change: (item: Tree) => void) =>
    changed(presented, (root) => {
      const items = listAt(root, ...ITEMS, NAMESPACE)
      items[0] = changedItem(items[0], change)
    })

  it('an item with another value', () =>
    refused(verify(withItem((item) => item.set('elementValue', 'Other'))), NOT_SIGNED))
  it('an item with other random bytes', () =>
    refused(verify(withItem((item) => item.set('random', Buffer.alloc(32)))), NOT_SIGNED))
  it('an item with an unused digest id', () => refused(verify(withItem((item) => item.set('digestID', 1))), NOT_SIGNED))
  it('an item with an additional member', () => refused(verify(withItem((item) => item.set('more', 1))), NOT_SIGNED))

  it('the same item, encoded in another way', () => {
    const longer = changed(presented, (root) => {
      const items = listAt(root, ...ITEMS, NAMESPACE)
      // The members of the map are in a different order.
      const item = items[0] as Tagged<Uint8Array>
      items[0] = changedItem(item, (map) => {
        const id = map.get('digestID')
        map.delete('digestID')
        map.set('digestID', id)
      })
    })
    return refused(verify(longer), NOT_SIGNED)
  })

  it('an added item', () => {
    const item = new Map<string, Encodable>([
      ['digestID', 5],
      ['random', Buffer.alloc(32)],
      ['elementIdentifier', 'age_over_18'],
      ['elementValue', true],
    ])
    const added = changed(presented, (root) => listAt(root, ...ITEMS, NAMESPACE).push(encodedItem(item)))
    return refused(verify(added), NOT_SIGNED)
  })

  it('an item in another namespace', () =>
    refused(
      verify(
        changed(presented, (root) =>
          listAt(root, ...ITEMS, MORE).push(...listAt(root, ...ITEMS, NAMESPACE).splice(0, 1)),
        ),
      ),
      NOT_SIGNED,
    ))

  it('a namespace that the issuer does not know', () =>
    refused(
      verify(
        changed(presented, (root) => {
          const namespaces = mapAt(root, ...ITEMS)
          namespaces.set('other', namespaces.get(MORE))
          namespaces.delete(MORE)
        }),
      ),
      NOT_SIGNED,
    ))

  it('one item twice', () =>
    refused(
      verify(changed(presented, (root) => listAt(root, ...ITEMS, MORE).push(at(root, ...ITEMS, MORE, 0)))),
      'Credential has two items of one digest id in a namespace.',
    ))

  it('one element twice, under two digest ids', async () => {
    const twice = changed(presented, (root) => {
      const items = listAt(root, ...ITEMS, MORE)
      items.push(changedItem(items[0], (item) => item.set('digestID', 9)))
    })
    await refused(verify(twice), 'Credential has two items of one element identifier in a namespace.')
  })

  it('another docType around it', () =>
    refused(
      verify(changed(presented, (root) => mapAt(root, ...DOCUMENT).set('docType', 'org.iso.23220.photoid.1'))),
      'Presentation has another docType than its issuer has signed.',
    ))

  it('a mobile security object that is changed', () =>
    refused(
      verifyIssuerSigned(
        changed(issued, (root) => {
          const auth = listAt(root, 'issuerAuth')
          const payload = Buffer.from(bytesOf(auth[2]))
          payload.set(Buffer.from('2027'), payload.indexOf('2026-09-01'))
          auth[2] = payload
        }),
        trusting(authority),
      ),
      'Issuer signature is invalid.',
    ))
})

describe('Only the issuer issues in its own name', () => {
  it("by another key, beside the issuer's certificate", async () => {
    const impostor = { ...(await makeIssuer(authority)), x5c: issuer.x5c }
    await refused(
      verifyIssuerSigned(await issue(impostor, holder), trusting(authority)),
      'Issuer signature is invalid.',
    )
  })

  it('under another root', async () => {
    const issuedElsewhere = await issue(await makeIssuer(makeAuthority()), holder)
    await refused(
      verifyIssuerSigned(issuedElsewhere, trusting(authority)),
      'Credential issuer key could not be resolved: The certificate chain does not lead to a trust anchor.',
    )
  })

  it('with a chain that includes its root', async () => {
    const withRoot = changed(issued, (root) => {
      mapAt(root, 'issuerAuth', 1).set(33, [issuer.certificate.raw, authority.certificate.raw])
    })
    await refused(
      verifyIssuerSigned(withRoot, trusting(authority)),
      'Credential issuer key could not be resolved: The certificate chain holds a trust anchor, which must be left out.',
    )
  })

  it('without a certificate', () =>
    refused(
      verifyIssuerSigned(
        changed(issued, (root) => mapAt(root, 'issuerAuth', 1).delete(33)),
        trusting(authority),
      ),
      'Issuer signature has no x5chain.',
    ))

  it('by a DID: only certificates identify the issuer', async () => {
    const asked: unknown[] = []
    const named = changed(issued, (root) => mapAt(root, 'issuerAuth', 1).set(4, Buffer.from('did:example:issuer#key')))
    const options = trusting(authority)
    await verifyIssuerSigned(named, {
      ...options,
      resolveIssuerKey: (...args) => {
        asked.push(args)
        return options.resolveIssuerKey(...args)
      },
    })
    expect(asked).toEqual([[{ x5c: [issuer.x5c] }, { docType: 'org.iso.18013.5.1.mDL' }, expect.any(String)]])
  })

  it.each([
    ['an algorithm that is not protected', Buffer.from('a0', 'hex'), 'is made with no supported algorithm.'],
    ['HMAC', Buffer.from('a10105', 'hex'), 'is made with no supported algorithm.'],
    ['an algorithm of another curve', Buffer.from('a1013822', 'hex'), 'algorithm ES384 does not fit the key.'],
    [
      'a critical header parameter',
      Buffer.from('a20126028103', 'hex'),
      'has a critical header parameter that is not known.',
    ],
    ['a header that is not a map', Buffer.from('80', 'hex'), 'has a protected header that is no map.'],
  ])('with %s', (_, header, verdict) =>
    refused(
      verifyIssuerSigned(
        changed(issued, (root) => {
          listAt(root, 'issuerAuth')[0] = header
        }),
        trusting(authority),
      ),
      `Issuer signature ${verdict}`,
    ),
  )

  it('with an algorithm that was not asked for', () =>
    refused(
      verifyIssuerSigned(issued, { ...trusting(authority), algorithms: ['ES384', 'EdDSA'] }),
      'Issuer signature algorithm ES256 was not asked for.',
    ))
})

describe('A document is accepted only while it is valid (ISO/IEC 18013-5 §9.3.1)', () => {
  it.each([
    ['after its end', '2026-09-01T10:00:00Z', 'Credential has expired.'],
    [
      'before its beginning',
      '2026-06-01T09:58:59Z',
      'Credential is not valid yet: its validityInfo lies in the future.',
    ],
    [
      'after the end of its certificate',
      '2027-01-01T00:00:00Z',
      'Credential issuer key could not be resolved: A certificate of the chain has expired or is not yet valid.',
    ],
  ])('not %s', (_, now, message) => refused(verifyIssuerSigned(issued, trusting(authority, new Date(now))), message))

  it('not if it was signed before its certificate', async () => {
    const early = await resigned(issued, issuer, (object) =>
      mapAt(object, 'validityInfo').set('signed', new Tagged(0, '2024-12-31T23:59:59Z')),
    )
    await refused(
      verifyIssuerSigned(early, trusting(authority)),
      'Credential was signed when the certificate of its issuer was not valid.',
    )
  })

  it.each<[string, Encodable]>([
    ['validUntil', new Tagged(0, '2026-02-30')],
    ['validUntil', '2027-01-01T00:00:00Z'],
    ['validFrom', undefined],
  ])('not if %s is not a tdate', async (name, value) => {
    const broken = await resigned(issued, issuer, (object) => mapAt(object, 'validityInfo').set(name, value))
    await refused(
      verifyIssuerSigned(broken, trusting(authority)),
      `Credential has a mobile security object whose validityInfo has no ${name}.`,
    )
  })

  it.each<[string, Encodable, string]>([
    ['version', '2.0', 'Credential has a mobile security object of an unknown version.'],
    ['digestAlgorithm', 'MD5', 'Credential has a mobile security object with an unknown digest algorithm.'],
    ['status', new Map([['identifier_list', new Map()]]), 'Credential status holds no status_list with uri and idx.'],
    ['deviceKeyInfo', new Map(), 'Credential device key is no public key of a supported type.'],
  ])('not with another %s', async (name, value, message) => {
    const other = await resigned(issued, issuer, (object) => object.set(name, value))
    await refused(verifyIssuerSigned(other, trusting(authority)), message)
  })

  it('and a document that its issuer signs again unchanged is accepted', async () => {
    const again = await resigned(issued, issuer, () => undefined)
    expect((await verifyIssuerSigned(again, trusting(authority))).validityInfo.signed < NOW).toBe(true)
  })
})

describe('A presentation is made by its holder for one request (ISO/IEC 18013-5 §9.1.3; OpenID4VP 1.0 Appendix B.2.6)', () => {
  const INVALID = 'Device signature is invalid.'

  it('not signed by another key', async () =>
    refused(verify(await present(issued, { signer: await makeHolder() })), INVALID))

  it.each([
    ['nonce', { nonce: 'n-2' }],
    ['client_id', { clientId: 'x509_san_dns:other.example' }],
    ['response_uri', { responseUri: 'https://other.example/response' }],
    ['key of the answer', { encryptionKey: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' } }],
  ])('not over another %s', async (_, change) => {
    const sessionTranscript = redirectTranscript({ ...REQUEST, ...change })
    await refused(verify(await present(issued, { sessionTranscript })), INVALID)
  })

  it.each([
    ['nonce', { nonce: 'n-2' }],
    ['origin', { origin: 'https://other.example' }],
    ['key of the answer', { encryptionKey: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' } }],
  ])('not over another %s of the Digital Credentials API', async (_, change) => {
    const sessionTranscript = dcApiTranscript({ ...DC_API, ...change })
    await refused(verify(await present(issued, { sessionTranscript }), dcApiTranscript(DC_API)), INVALID)
  })

  it('not over the transcript of a redirect if the Digital Credentials API was used', () =>
    refused(verify(presented, dcApiTranscript(DC_API)), INVALID))

  it('but over any of the accepted transcripts', async () => {
    const transcripts = [dcApiTranscript({ ...DC_API, origin: 'https://other.example' }), redirectTranscript(REQUEST)]
    expect(await verify(presented, transcripts)).toMatchObject({ issuer: 'https://issuer.example' })
    await refused(verify(presented, []), INVALID)
  })

  it('not authenticated by MAC', () =>
    refused(
      verify(
        changed(presented, (root) => {
          const auth = mapAt(root, ...DOCUMENT, 'deviceSigned', 'deviceAuth')
          auth.set('deviceMac', auth.get('deviceSignature'))
          auth.delete('deviceSignature')
        }),
      ),
      'Device authentication by MAC is not supported.',
    ))

  it('not with a payload of its own', () =>
    refused(
      verify(
        changed(presented, (root) => {
          listAt(root, ...DOCUMENT, 'deviceSigned', 'deviceAuth', 'deviceSignature')[2] = Buffer.from('payload')
        }),
      ),
      'Device signature has a payload, which must be detached.',
    ))

  it.each<[string, (root: Tree) => unknown, string]>([
    [
      'with two documents',
      (root: Tree) => listAt(root, 'documents').push(at(root, 'documents', 0)),
      'with more than one document',
    ],
    ['without a document', (root: Tree) => root.set('documents', []), 'without a document'],
    ['of another version', (root: Tree) => root.set('version', '1.1'), 'of an unknown version'],
    ['of another status', (root: Tree) => root.set('status', 10), 'whose status is not 0'],
  ])('not in a response %s', (_, change, verdict) =>
    refused(verify(changed(presented, change)), `Presentation is a DeviceResponse ${verdict}.`),
  )
})

describe('Elements that the device signs itself (KeyAuthorizations; ISO/IEC 18013-5 §9.1.2.4)', () => {
  /** Makes a presentation in which the device has signed an element. */
  async function selfSigned(issuerSigned: string, identifier: string): Promise<string> {
    const nameSpaces = encodedItem(new Map([[NAMESPACE, new Map([[identifier, 'mine']])]]))
    const authentication = deviceAuthenticationOf(
      redirectTranscript(REQUEST),
      'org.iso.18013.5.1.mDL',
      encodeCbor(nameSpaces),
    )
    const deviceSignature = await createSign1(holder, authentication, { detached: true })
    return changed(await present(issuerSigned), (root) => {
      mapAt(root, ...DOCUMENT).set(
        'deviceSigned',
        new Map<string, Encodable>([
          ['nameSpaces', nameSpaces],
          ['deviceAuth', new Map([['deviceSignature', deviceSignature]])],
        ]),
      )
    })
  }
  const authorizing = (authorizations: Map<string, Encodable>) =>
    resigned(issued, issuer, (object) => mapAt(object, 'deviceKeyInfo').set('keyAuthorizations', authorizations))

  it('are refused without its authorization', async () =>
    refused(verify(await selfSigned(issued, 'nickname')), 'Presentation has an element that the device may not sign.'))

  it.each<[string, Map<string, Encodable>]>([
    ['namespace', new Map([['nameSpaces', [NAMESPACE]]])],
    ['element', new Map([['dataElements', new Map([[NAMESPACE, ['nickname']]])]])],
  ])('are listed among the claims if their %s is authorized', async (_, authorizations) => {
    const verified = await verify(await selfSigned(await authorizing(authorizations), 'nickname'))
    expect(verified.claims[NAMESPACE]).toMatchObject({ family_name: 'Möbius', nickname: 'mine' })
  })

  it('are refused if another element is authorized', async () => {
    const other = await authorizing(new Map([['dataElements', new Map([[NAMESPACE, ['other']]])]]))
    await refused(
      verify(await selfSigned(other, 'nickname')),
      'Presentation has an element that the device may not sign.',
    )
  })

  it('never replace elements that the issuer has signed', async () => {
    const authorized = await authorizing(new Map([['nameSpaces', [NAMESPACE]]]))
    await refused(
      verify(await selfSigned(authorized, 'family_name')),
      'Presentation has an element that both issuer and device have signed.',
    )
  })
})

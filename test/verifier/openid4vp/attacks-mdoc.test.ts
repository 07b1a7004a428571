import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeCbor } from '../../../server/protocol/mdoc/cbor/decode.js'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { type Encodable, Encoded } from '../../../server/protocol/mdoc/cbor/values.js'
import { createSign1 } from '../../../server/protocol/mdoc/cose/sign1.js'
import { deviceAuthenticationOf } from '../../../server/protocol/mdoc/device-response.js'
import {
  createStatusListCwt,
  dcApiTranscript,
  redirectTranscript,
  STATUS_LIST_CWT_MEDIA_TYPE,
} from '../../../server/protocol/mdoc/mdoc.js'
import { type Actor, MORE, makeHolder, makeIssuer } from '../../protocol/mdoc/actors.js'
import {
  at,
  changed,
  changedItem,
  encodedItem,
  listAt,
  mapAt,
  resigned,
  type Tree,
} from '../../protocol/mdoc/tampering.js'
import type { RequestPayload } from '../actors.js'
import { askBrowser, SHOP } from '../browser.js'
import { certifiedStatusList, makeRoot, YEARS } from '../certified.js'
import { DOCTYPE, dcApiOf, FOR_LICENCE, LICENCE, licence, NAMESPACE, redirectOf, useMdocVerifier } from '../mdoc.js'
import { startWebServer, type WebServer } from '../web-server.js'

const world = useMdocVerifier()

const DOCUMENT = ['documents', 0] as const
const ITEMS = [...DOCUMENT, 'issuerSigned', 'nameSpaces'] as const

const refused = async (refusal: Promise<string | undefined>, sentence: string) =>
  expect(await refusal).toBe(`${FOR_LICENCE} ${sentence}`)

/** A presentation that its holder changes before it is sent. */
const tampered = (change: (root: Tree) => unknown, disclose?: readonly (readonly [string, string])[]) =>
  world.refusalOf(async (payload) =>
    changed(await world.present(world.redirect(payload), disclose === undefined ? {} : { disclose }), change),
  )

/** A document that its holder presents correctly. */
const presented = async (issuerSigned: string | Promise<string>) => {
  const document = await issuerSigned
  return world.refusalOf((payload) => world.present(world.redirect(payload), { issuerSigned: document }))
}

it('an unchanged presentation is accepted', async () => {
  expect(await tampered(() => undefined)).toBeUndefined()
})

describe('data that the issuer has signed (ISO/IEC 18013-5 §9.1.2)', () => {
  const NOT_SIGNED = 'Credential has an item that its issuer did not sign in that namespace.'
  const BOTH = [
    [NAMESPACE, 'family_name'],
    [NAMESPACE, 'birth_date'],
    [MORE, 'organ_donor'],
  ] as const
  const added = () =>
    encodedItem(
      new Map<string, Encodable>([
        ['digestID', 5],
        ['random', Buffer.alloc(32)],
        ['elementIdentifier', 'age_over_18'],
        ['elementValue', true],
      ]),
    )

  it.each<[string, (items: (namespace: string) => Encodable[]) => unknown]>([
    [
      'an item is changed',
      (items) =>
        items(NAMESPACE).splice(
          0,
          1,
          changedItem(items(NAMESPACE)[0], (item) => item.set('elementValue', 'X')),
        ),
    ],
    ['an item is added', (items) => items(NAMESPACE).push(added())],
    ['an item has the digest of another namespace', (items) => items(MORE).push(...items(NAMESPACE).splice(0, 1))],
  ])('%s', (_, change) =>
    refused(
      tampered((root) => change((namespace) => listAt(root, ...ITEMS, namespace)), BOTH),
      NOT_SIGNED,
    ),
  )

  it('a digest is present twice', () =>
    refused(
      tampered((root) => listAt(root, ...ITEMS, NAMESPACE).push(at(root, ...ITEMS, NAMESPACE, 0))),
      'Credential has two items of one digest id in a namespace.',
    ))

  it('another docType around it', () =>
    refused(
      tampered((root) => mapAt(root, ...DOCUMENT).set('docType', 'org.iso.23220.photoid.1')),
      'Presentation has another docType than its issuer has signed.',
    ))

  it('no value is revealed, neither to the wallet nor in the session', async () => {
    const sentence = await tampered((root) => listAt(root, ...ITEMS, NAMESPACE).push(added()))
    expect(sentence).not.toMatch(/Möbius|1990|age_over_18/)
  })
})

describe('the issuer (§9.3.1; OpenID4VP 1.0 Appendix B.2)', () => {
  it('a mobile security object of another key', async () => {
    const impostor = { ...(await makeIssuer(world.authority, YEARS)), x5c: world.issuer.x5c }
    await refused(presented(licence(impostor, world.holder)), 'Issuer signature is invalid.')
  })

  it('a chain to another root', async () => {
    const stranger = await makeIssuer(makeRoot('Stranger'), YEARS)
    await refused(
      presented(licence(stranger, world.holder)),
      'Issuer key cannot be resolved: The certificate chain does not lead to a trust anchor.',
    )
  })

  it('no chain, but the DID of a trusted issuer', async () => {
    const did = (await world.service.request('GET', '/agent')).json?.did ?? 'did:example:issuer'
    const named = changed(world.issued, (root) => {
      const unprotected = mapAt(root, 'issuerAuth', 1)
      unprotected.delete(33)
      unprotected.set(4, Buffer.from(`${did}#key-1`))
    })
    await refused(presented(named), 'Issuer signature has no x5chain.')
  })

  it('an issuer with a certificate that the request does not trust', async () => {
    const body = { trustedIssuers: ['https://other.example'] }
    const refusal = world.refusalOf((payload) => world.present(world.redirect(payload)), { body })
    await refused(refusal, 'Issuer https://issuer.example is not trusted.')
    const named = { trustedIssuers: ['https://issuer.example'] }
    expect(await world.refusalOf((payload) => world.present(world.redirect(payload)), { body: named })).toBeUndefined()
  })

  it.each([
    [
      'an expired document',
      { issuedAt: -7_200_000, validFrom: -7_200_000, expiresAt: -3_600_000 },
      'Credential has expired.',
    ],
    [
      'a document of tomorrow',
      { issuedAt: 86_400_000, validFrom: 86_400_000, expiresAt: 172_800_000 },
      'Credential is not valid yet: its validityInfo lies in the future.',
    ],
    [
      'a document that was signed today and is valid from tomorrow',
      { issuedAt: -3_600_000, validFrom: 86_400_000, expiresAt: 172_800_000 },
      'Credential is not valid yet: its validityInfo lies in the future.',
    ],
  ])('%s', async (_, { issuedAt, validFrom, expiresAt }, sentence) => {
    const from = (milliseconds: number) => new Date(Date.now() + milliseconds)
    const times = { issuedAt: from(issuedAt), validFrom: from(validFrom), expiresAt: from(expiresAt) }
    await refused(presented(licence(world.issuer, world.holder, times)), sentence)
  })

  it('an expired certificate', async () => {
    const { privateKey, certificate } = world.issuer
    const expired = await makeIssuer(world.authority, {
      notBefore: '2020-01-01T00:00:00Z',
      notAfter: '2021-01-01T00:00:00Z',
      keyPair: { privateKey, publicKey: certificate.publicKey },
    })
    await refused(
      presented(changed(world.issued, (root) => mapAt(root, 'issuerAuth', 1).set(33, expired.certificate.raw))),
      'Issuer key cannot be resolved: A certificate of the chain has expired or is not yet valid.',
    )
  })
})

describe('the presenter and the request (§9.1.3; OpenID4VP 1.0 Appendix B.2.6)', () => {
  const INVALID = 'Device signature is invalid.'

  it('a device signature by another key', async () => {
    const signer = await makeHolder()
    await refused(
      world.refusalOf((payload) => world.present(world.redirect(payload), { signer })),
      INVALID,
    )
  })

  const other = { encryptionKey: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' } }
  it.each<[string, (request: ReturnType<typeof redirectOf>) => object, string]>([
    ['nonce', () => ({ nonce: 'n-2' }), 'direct_post'],
    ['client_id', () => ({ clientId: 'x509_san_dns:other.example' }), 'direct_post'],
    ['response_uri', ({ responseUri }) => ({ responseUri: `${responseUri}/` }), 'direct_post'],
    ['thumbprint, although there is none', () => other, 'direct_post'],
    ['thumbprint', () => other, 'direct_post.jwt'],
    ['thumbprint, which is missing', () => ({ encryptionKey: undefined }), 'direct_post.jwt'],
  ])('a device signature over another %s', async (_, change, responseMode) => {
    const present = (payload: RequestPayload) => {
      const request = redirectOf(payload)
      return world.present(redirectTranscript({ ...request, ...change(request) }))
    }
    await refused(world.refusalOf(present, { body: { responseMode } }), INVALID)
  })

  it('the presentation of another request', async () => {
    const first = await world.asked()
    const shown = await world.present(world.redirect(first.payload))
    await refused(
      world.refusalOf(async () => shown),
      INVALID,
    )
  })

  it.each<[string, (payload: RequestPayload) => Uint8Array, string]>([
    ['another nonce', (payload) => dcApiTranscript({ ...dcApiOf(payload), nonce: 'n-2' }), 'dc_api'],
    ['another origin', (payload) => world.dcApi(payload, 'https://evil.example'), 'dc_api'],
    ['an origin with its prefix', (payload) => world.dcApi(payload, `origin:${SHOP}`), 'dc_api'],
    ['another thumbprint', (payload) => dcApiTranscript({ ...dcApiOf(payload), ...other }), 'dc_api.jwt'],
    [
      'the transcript of a redirect',
      ({ nonce }) => redirectTranscript({ clientId: `origin:${SHOP}`, nonce, responseUri: SHOP }),
      'dc_api',
    ],
  ])('over the Digital Credentials API, %s', async (_, transcript, responseMode) => {
    const dcqlQuery = { credentials: [LICENCE] }
    const asked = await askBrowser(world.service, { dcqlQuery, responseMode, signed: false })
    await refused(
      world.refusalInBrowser(asked, (payload) => world.present(transcript(payload))),
      INVALID,
    )
  })

  it('the transcript of the Digital Credentials API in an answer by redirect', () =>
    refused(
      world.refusalOf((payload) => world.present(world.dcApi(payload))),
      INVALID,
    ))

  it('deviceMac', () =>
    refused(
      tampered((root) => mapAt(root, ...DOCUMENT, 'deviceSigned').set('deviceAuth', new Map([['deviceMac', []]]))),
      'Device authentication by MAC is not supported.',
    ))

  it('an element that the device signs without an authorization', async () => {
    const present = async (payload: RequestPayload) => {
      const transcript = world.redirect(payload)
      const own = encodeCbor(encodedItem(new Map([[NAMESPACE, new Map([['age_over_21', true]])]])))
      const signed = deviceAuthenticationOf(transcript, DOCTYPE, own)
      const signature = await createSign1(world.holder, signed, { detached: true })
      return changed(await world.present(transcript), (root) => {
        const device = mapAt(root, ...DOCUMENT, 'deviceSigned')
        device.set('nameSpaces', new Encoded(own))
        device.set('deviceAuth', new Map([['deviceSignature', signature]]))
      })
    }
    await refused(world.refusalOf(present), 'Presentation has an element that the device may not sign.')
  })
})

describe('the shape of an answer (HAIP 1.0 §5.3.1; ISO/IEC 18013-5 §8.3.2.1.2.2)', () => {
  it.each<[string, (root: Tree) => unknown, string]>([
    [
      'two documents in one response',
      (root) => listAt(root, 'documents').push(at(root, ...DOCUMENT)),
      'Presentation is a DeviceResponse with more than one document.',
    ],
    ['no document', (root) => root.set('documents', []), 'Presentation is a DeviceResponse without a document.'],
  ])('%s', (_, change, sentence) => refused(tampered(change), sentence))

  it.each<[string, (root: Tree) => unknown]>([
    ['an unknown version', (root) => root.set('version', '2.0')],
    ['a status that is not 0', (root) => root.set('status', 10)],
    ['no deviceSigned', (root) => mapAt(root, ...DOCUMENT).delete('deviceSigned')],
    [
      'an IssuerSigned of the wrong tag',
      (root) => mapAt(root, ...DOCUMENT).set('issuerSigned', new Encoded(Buffer.from('d818a0', 'hex'))),
    ],
  ])('%s', async (_, change) =>
    expect(await tampered(change)).toMatch(new RegExp(`^${FOR_LICENCE} (Presentation|Credential) `)),
  )

  const bombs: [string, Buffer | string][] = [
    ['depth', Buffer.concat([Buffer.alloc(100_000, 0x81), Buffer.from([0])])],
    ['length', Buffer.from('9b7fffffffffffffff', 'hex')],
    ['a long string', Buffer.from('5b00000fffffffffff', 'hex')],
    ['indefinite lengths', Buffer.from('bf6776657273696f6e63312e30ff', 'hex')],
    ['duplicate keys', Buffer.from('a26776657273696f6e63312e306776657273696f6e63312e30', 'hex')],
    ['many elements', Buffer.concat([Buffer.from('9a00010000', 'hex'), Buffer.alloc(0x10000)])],
    ['what is no CBOR', Buffer.from('ff', 'hex')],
    ['bytes behind it', Buffer.from('a000', 'hex')],
    ['nothing', ''],
    ['what is not base64url', '§§§'],
    ['padding', 'oA=='],
    ['a JWT', 'eyJhbGciOiJFUzI1NiJ9.e30.AAAA'],
  ]
  it.each(bombs)('CBOR: %s', async (_, bytes) => {
    const text = typeof bytes === 'string' ? bytes : bytes.toString('base64url')
    expect(await world.refusalOf(async () => text)).toMatch(new RegExp(`^${FOR_LICENCE} (Presentation|Credential) `))
  })

  it('an answer that is not a text', async () => {
    expect(await world.refusalOf(async () => ({ documents: [] }))).toBe(
      `${FOR_LICENCE} Presentation is not of format mso_mdoc.`,
    )
  })
})

describe('its status (Token Status List §6, §8.3; fetched in CWT format)', () => {
  let web: WebServer
  let lists: Actor
  beforeAll(async () => {
    web = await startWebServer()
    lists = await makeIssuer(makeRoot('Lists of a stranger'), YEARS)
  })
  afterAll(() => web[Symbol.asyncDispose]())

  const uriOf = (path: string) => `http://127.0.0.1:${web.port}${path}`

  async function listed(path: string, body: unknown, type = STATUS_LIST_CWT_MEDIA_TYPE) {
    web.documents.set(path, { body, type })
    return presented(licence(world.issuer, world.holder, { status: { uri: uriOf(path), idx: 7 } }))
  }

  const cwt = (path: string, by: Actor, revokedIndices: readonly number[], uri = uriOf(path)) =>
    createStatusListCwt({
      signer: by.signer,
      x5c: [by.x5c],
      issuer: 'https://issuer.example',
      uri,
      revokedIndices,
      size: 1_024,
      issuedAt: new Date(Date.now() - 60_000),
      expiresAt: new Date(Date.now() + 60_000),
      ttlSeconds: 60,
    })

  it('the status of a credential that is not revoked is accepted, and its list is fetched as a CWT', async () => {
    expect(await listed('/good', await cwt('/good', world.issuer, [6, 8]))).toBeUndefined()
    expect([web.requests.at(-1), web.accepts.at(-1)]).toEqual(['/good', 'application/statuslist+cwt'])
  })

  it('revoked', async () => {
    await refused(listed('/revoked', await cwt('/revoked', world.issuer, [7])), 'Credential has been revoked.')
  })

  it('a list in JWT format is accepted too', async () => {
    const type = 'application/statuslist+jwt'
    const jwt = (revoked: number[]) => certifiedStatusList(world.issuer, uriOf('/jwt'), revoked)
    expect(await listed('/jwt', await jwt([]), type)).toBeUndefined()
    await refused(listed('/jwt', await jwt([7]), type), 'Credential has been revoked.')
  })

  it('a status list of another issuer', async () => {
    const sentence = await listed('/other', await cwt('/other', lists, []))
    expect(sentence).toMatch(new RegExp(`^${FOR_LICENCE} .*(trust anchor|another issuer)`))
  })

  it('another list than the document names', async () => {
    const body = await cwt('/moved', world.issuer, [], uriOf('/elsewhere'))
    await refused(listed('/moved', body), 'Status list is not the one that the credential names.')
  })

  it.each([
    ['no list', Buffer.from('a0', 'hex'), 'Status list is no tagged COSE_Sign1.'],
    ['a bomb', Buffer.alloc(10_000, 0x81), /^Status list /],
    ['a broken JWT', 'nothing', /^Status list is not a well-formed JWT/],
  ])('%s instead of the list', async (_, body, sentence) => {
    const said = (await listed('/broken', body))?.slice(FOR_LICENCE.length + 1)
    expect(said).toEqual(typeof sentence === 'string' ? sentence : expect.stringMatching(sentence))
  })

  it('a list that is not available', async () => {
    const status = { uri: uriOf('/missing'), idx: 7 }
    const sentence = await presented(licence(world.issuer, world.holder, { status }))
    expect(sentence).toMatch(/Status list could not be fetched: .*404/)
  })

  it('an identifier list, which is not supported', async () => {
    const identifiers = new Map([['identifier_list', new Map([['uri', uriOf('/identifiers')]])]])
    const document = await resigned(world.issued, world.issuer, (object) => object.set('status', identifiers))
    const issuerAuth = at(decodeCbor(Buffer.from(document, 'base64url'), { what: 'Test' }), 'issuerAuth')
    await refused(
      tampered((root) => mapAt(root, ...DOCUMENT, 'issuerSigned').set('issuerAuth', issuerAuth)),
      'Credential status holds no status_list with uri and idx.',
    )
  })
})

it('POST /credentials/verify does not support mobile documents', async () => {
  const { payload } = await world.asked()
  for (const credential of [world.issued, await world.present(world.redirect(payload))]) {
    const reply = await world.service.request('POST', '/credentials/verify', {
      authorization: await world.service.bearer('verifier'),
      body: { credential },
    })
    expect([reply.status, reply.json]).toEqual([
      200,
      {
        isValid: false,
        error: 'Unsupported credential format. Expected compact JWT (x.y.z) or SD-JWT.',
      },
    ])
  }
})

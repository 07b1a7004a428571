import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { encodeBase64url } from '../../../server/protocol/jose/base64url.js'
import { readLote } from '../../../server/protocol/trust-lists/lote/read-lote.js'
import type { ListCheck } from '../../../server/protocol/trust-lists/read-list.js'
import { makeCertificate } from '../issuer-keys/certificates.js'
import {
  authority,
  ISSUANCE,
  LIST_SIGNING,
  listOf,
  lote,
  loteEntity,
  loteService,
  NOW,
  operator,
  options,
  REVOCATION,
  refusalOf,
  SIGN,
  sha256Of,
  signedList,
  strangeKey,
  stranger,
} from './world.js'

const issuer = authority('C=EU/Issuing authority')
const entities = [loteEntity('Ministry', [loteService(ISSUANCE, [issuer]), loteService(REVOCATION, [issuer])])]
const good = lote(entities)

describe('a list of trusted entities (TS 119 602)', () => {
  it('is read with its entities, services and certificates', async () => {
    const read = await readLote(await signedList(good), options({ profile: 'pid', territory: 'EU' }))
    expect(read).toMatchObject({ accepted: true, signature: 'valid', trust: 'certificate' })
    expect(read.signer?.sha256).toBe(sha256Of(operator))
    expect(listOf(read)).toEqual({
      kind: 'lote',
      profile: 'pid',
      type: 'http://uri.etsi.org/19602/LoTEType/EUPIDProvidersList',
      sequenceNumber: 7,
      issuedAt: new Date('2026-05-01T00:00:00Z'),
      nextUpdate: new Date('2026-08-01T00:00:00Z'),
      territory: 'EU',
      operator: { en: 'The operator' },
      entities: [
        {
          names: { en: 'Ministry' },
          services: [
            expect.objectContaining({ type: ISSUANCE, uses: ['issuance'], status: 'granted', keys: [] }),
            expect.objectContaining({ type: REVOCATION, uses: ['status'], certificates: [issuer.certificate.raw] }),
          ],
        },
      ],
    })
  })

  it('may have its signer pinned by hash, and with colons', async () => {
    const sha256 = sha256Of(operator)
      .toUpperCase()
      .replace(/(..)(?=.)/g, '$1:')
    expect(await readLote(await signedList(good), options({ signer: { sha256 } }))).toMatchObject({ accepted: true })
  })

  it('may have several signers pinned, so that it can change its signer', async () => {
    const pinned = options({ signer: { pem: `${operator.certificate}${stranger.certificate}` } })
    for (const by of [operator, stranger]) {
      expect(await readLote(await signedList(good, { by }), pinned)).toMatchObject({ accepted: true })
    }
    const third = makeCertificate({ subject: 'C=EU/Operator', keyUsage: SIGN })
    expect(refusalOf(await readLote(await signedList(good, { by: third }), pinned)).check).toBe('signer')
    const bare = await signedList(good, { header: { x5c: undefined } })
    expect(refusalOf(await readLote(bare, pinned)).check).toBe('no-signer')
    const tooMany = options({ signer: { pem: String(operator.certificate).repeat(17) } })
    expect(refusalOf(await readLote(bare, tooMany)).check).toBe('pin')
  })

  it('may name no certificate if the certificate itself is pinned', async () => {
    const bytes = await signedList(good, { header: { x5c: undefined } })
    expect(await readLote(bytes, options())).toMatchObject({ accepted: true, trust: 'certificate' })
    expect(refusalOf(await readLote(bytes, options({ signer: { sha256: sha256Of(operator) } })))).toMatchObject({
      check: 'no-signer',
    })
  })

  it('may be signed by a list signer of a pinned authority, and by no other certificate of it', async () => {
    const root = authority('C=EU/List authority')
    const listSigner = makeCertificate({ subject: 'Signer', issuer: root, keyUsage: SIGN, purposes: [LIST_SIGNING] })
    const pinned = options({ signer: { pem: String(root.certificate) } })
    expect(await readLote(await signedList(good, { by: listSigner }), pinned)).toMatchObject({
      accepted: true,
      trust: 'authority',
    })
    const documentSigner = makeCertificate({ subject: 'Signer', issuer: root, keyUsage: SIGN })
    expect(refusalOf(await readLote(await signedList(good, { by: documentSigner }), pinned))).toMatchObject({
      check: 'signer',
      signature: 'valid',
      trust: 'other',
      sentence: expect.stringMatching(/It is not of the pinned authority either: The certificate is not meant for/),
    })
    const byHash = options({ signer: { sha256: sha256Of(root) } })
    expect(refusalOf(await readLote(await signedList(good, { by: listSigner }), byHash)).check).toBe('signer')
  })

  it('may have the signing time of JAdES among its critical parameters', async () => {
    const header = { crit: ['sigT'], sigT: '2026-05-01T00:00:00Z' }
    expect(await readLote(await signedList(good, { header }), options())).toMatchObject({ accepted: true })
  })

  it('may come in JSON serialization with one signature', async () => {
    const [header, payload, signature] = Buffer.from(await signedList(good))
      .toString()
      .split('.')
    const general = { payload, signatures: [{ protected: header, signature }] }
    const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
    expect(await readLote(bytes(general), options())).toMatchObject({ accepted: true })
    const twice = { payload, signatures: [...general.signatures, ...general.signatures] }
    expect(refusalOf(await readLote(bytes(twice), options())).check).toBe('several-signatures')
  })

  it('lists keys without certificates, and refuses private ones', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const withKey = (key: object) =>
      lote([
        loteEntity('Gym', [
          loteService('https://gym.example/Issuance', [], { ServiceDigitalIdentity: { PublicKeyValues: [key] } }),
        ]),
      ])
    const jwk = publicKey.export({ format: 'jwk' })
    const read = await readLote(await signedList(withKey(jwk)), options())
    expect(listOf(read).entities[0]?.services[0]).toMatchObject({ keys: [jwk], uses: ['issuance'] })
    const secret = withKey(privateKey.export({ format: 'jwk' }))
    expect(refusalOf(await readLote(await signedList(secret), options())).sentence).toContain('is a private key')
  })

  it('trusts no service of a foreign type or state, and ends a withdrawn one', async () => {
    const status = (uri: string) => ({ ServiceStatus: uri, StatusStartingTime: '2026-03-01T00:00:00Z' })
    const of = 'http://uri.etsi.org/19602/PubEAAProvidersList/SvcStatus'
    const services = [
      loteService('http://uri.etsi.org/19602/SvcType/WRPAC/Issuance', [issuer]),
      loteService(ISSUANCE, [issuer], status(`${of}/notified`)),
      loteService(ISSUANCE, [issuer], status(`${of}/withdrawn`)),
      loteService(ISSUANCE, [issuer], status('https://strange.example/status')),
      loteService(ISSUANCE, [issuer], { ServiceInformationExtensions: [{ critical: true }] }),
      loteService(ISSUANCE, [issuer], { ServiceStatus: `${of}/withdrawn` }),
    ]
    const read = await readLote(await signedList(lote([loteEntity('A', services)])), options({ profile: 'pid' }))
    const since = new Date('2026-03-01T00:00:00Z')
    expect(listOf(read).entities[0]?.services).toMatchObject([
      { uses: [], status: 'granted' },
      { status: 'granted', startsAt: since },
      { status: 'withdrawn', endsAt: since },
      { status: 'unknown' },
      { status: 'unknown' },
      { status: 'withdrawn', endsAt: new Date(0) },
    ])
  })

  it('trusts no service of an entity with a critical extension, which may limit the trust in the entity', async () => {
    const entityWith = (name: string, TEInformationExtensions: readonly object[]) => {
      const made = loteEntity(name, [loteService(ISSUANCE, [issuer])])
      return { ...made, TrustedEntityInformation: { ...made.TrustedEntityInformation, TEInformationExtensions } }
    }
    const listed = [entityWith('A', [{ critical: true }]), entityWith('B', [{ critical: false }])]
    const { entities: read } = listOf(await readLote(await signedList(lote(listed)), options({ profile: 'pid' })))
    expect(read.map(({ services }) => services.map(({ status }) => status))).toEqual([['unknown'], ['granted']])
  })
})

describe('a list that is refused', () => {
  const encode = (value: unknown) => encodeBase64url(JSON.stringify(value))
  const signed = (more: object) => signedList(lote(entities, more))
  const withEntity = (entity: unknown) => signedList({ LoTE: { ...good.LoTE, TrustedEntitiesList: [entity] } })
  const certificateOf = (val: unknown) =>
    loteEntity('A', [loteService(ISSUANCE, [], { ServiceDigitalIdentity: { X509Certificates: [{ val }] } })])
  const expired = makeCertificate({
    subject: 'Old',
    keyUsage: SIGN,
    notBefore: '2020-01-01T00:00:00Z',
    notAfter: '2021-01-01T00:00:00Z',
  })
  const tampered = async (change: (payload: string) => string) => {
    const [header, payload = '', signature] = Buffer.from(await signedList(good))
      .toString()
      .split('.')
    return Buffer.from([header, change(payload), signature].join('.'))
  }
  const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

  const cases: readonly [ListCheck, string, () => Promise<Uint8Array> | Uint8Array, object?][] = [
    ['too-large', 'of more than 16 MiB', () => new Uint8Array(16 * 1024 * 1024 + 1)],
    ['malformed', 'that is not text', () => Uint8Array.of(0xff, 0xfe)],
    ['malformed', 'that is nothing', () => new Uint8Array(0)],
    ['malformed', 'that is a page', () => Buffer.from('<html></html>')],
    ['malformed', 'that is other JSON', () => Buffer.from('{"a":1}')],
    ['malformed', 'that is broken JSON', () => Buffer.from('{"a":')],
    ['malformed', 'with a payload that is no JSON', () => tampered(() => encodeBase64url('no JSON'))],
    ['unsigned', 'in plain JSON', () => Buffer.from(JSON.stringify(good))],
    ['unsigned', 'with the algorithm none', () => Buffer.from(`${encode({ alg: 'none' })}.${encode(good)}.`)],
    [
      'unsigned',
      'with an empty signature',
      () => Buffer.from(`${encode({ alg: 'ES256', x5c: [operator.x5c] })}.${encode(good)}.`),
    ],
    [
      'algorithm',
      'with an algorithm that is not allowed',
      () => Buffer.from(`${encode({ alg: 'HS256', x5c: [operator.x5c] })}.${encode(good)}.AAAA`),
    ],
    [
      'algorithm',
      'with an algorithm that does not fit the key',
      () => Buffer.from(`${encode({ alg: 'RS256', x5c: [operator.x5c] })}.${encode(good)}.AAAA`),
    ],
    ['header', 'with an unknown critical parameter', () => signedList(good, { header: { crit: ['b65'], b65: 1 } })],
    ['header', 'with a critical parameter that is missing', () => signedList(good, { header: { crit: ['sigT'] } })],
    ['header', 'with an empty list of critical parameters', () => signedList(good, { header: { crit: [] } })],
    ['header', 'with an unencoded payload', () => signedList(good, { header: { b64: false } })],
    ['header', 'with a detached object', () => signedList(good, { header: { sigD: {} } })],
    ['header', 'of another type', () => signedList(good, { header: { typ: 'statuslist+jwt' } })],
    ['header', 'signed in the future', () => signedList(good, { header: { iat: NOW.getTime() / 1000 + 3600 } })],
    ['header', 'with a broken signing time', () => signedList(good, { header: { crit: ['sigT'], sigT: 'today' } })],
    ['header', 'with the hash of another certificate', () => signedList(good, { header: { 'x5t#S256': 'AAAA' } })],
    ['header', 'with a broken chain', () => signedList(good, { header: { x5c: ['!'] } })],
    ['signature', 'with other content', () => tampered((payload) => encode({ ...good, more: payload.length }))],
    [
      'signature',
      'signed with another key than its certificate has',
      () => signedList(good, { by: stranger, header: { x5c: [operator.x5c] } }),
    ],
    ['signer', 'of somebody else', () => signedList(good, { by: stranger })],
    [
      'signer-expired',
      'of a signer whose certificate has expired',
      () => signedList(good, { by: expired }),
      {
        signer: { pem: String(expired.certificate) },
      },
    ],
    ['pin', 'with a pin that is no hash', () => signedList(good), { signer: { sha256: 'abc' } }],
    ['pin', 'with a pin that is no certificate', () => signedList(good), { signer: { pem: 'abc' } }],
    ['type', 'of another version', () => signed({ LoTEVersionIdentifier: 2 })],
    ['type', 'of another type', () => signed({}), { profile: 'wallet' }],
    ['type', 'of no type, if a profile is wanted', () => signed({ LoTEType: undefined }), { profile: 'pid' }],
    ['profile', 'that is valid for too long', () => signed({ NextUpdate: '2027-01-01T00:00:00Z' }), { profile: 'pid' }],
    ['territory', 'of another territory', () => signed({}), { territory: 'DE' }],
    ['not-yet-issued', 'issued in the future', () => signed({ ListIssueDateTime: '2026-07-01T00:00:00Z' })],
    ['out-of-date', 'after its next update', () => signed({ NextUpdate: '2026-06-01T00:00:00Z' })],
    [
      'sequence-went-back',
      'with a smaller number',
      () => signed({}),
      {
        previous: { sequenceNumber: 8, issuedAt: new Date(0) },
      },
    ],
    [
      'sequence-went-back',
      'with the same number and an earlier date',
      () => signed({}),
      {
        previous: { sequenceNumber: 7, issuedAt: new Date('2026-05-02T00:00:00Z') },
      },
    ],
    [
      'critical-extension',
      'with an unknown critical extension',
      () => signed({ SchemeExtensions: [{ critical: true }] }),
    ],
    ['nested-too-deep', 'that is nested too deep', () => signed({ SchemeExtensions: nested(200) })],
    [
      'too-many-entities',
      'with too many entities',
      () => signedList({ LoTE: { ...good.LoTE, TrustedEntitiesList: new Array(5_001).fill(1) } }),
    ],
    ['too-many-services', 'with too many services', () => withEntity(loteEntity('A', new Array(1_001).fill({})))],
    [
      'too-many-certificates',
      'with too many certificates of a service',
      () => withEntity(loteEntity('A', [loteService(ISSUANCE, new Array(65).fill(issuer))])),
    ],
    [
      'too-many-certificates',
      'with too many certificates',
      () =>
        signedList(
          lote(
            new Array(16).fill(
              loteEntity('A', new Array(64).fill(loteService(ISSUANCE, new Array(64).fill({ x5c: 'MAA=' })))),
            ),
          ),
        ),
    ],
    ['malformed', 'without a scheme', () => signedList({ LoTE: {} })],
    ['malformed', 'without LoTE', () => signedList({})],
    ['malformed', 'with a number that is none', () => signed({ LoTESequenceNumber: '7' })],
    ['malformed', 'with a fraction as its number', () => signed({ LoTESequenceNumber: 7.5 })],
    ['malformed', 'without an operator', () => signed({ SchemeOperatorName: [] })],
    ['malformed', 'with a name without a language', () => signed({ SchemeOperatorName: [{ value: 'A' }] })],
    ['malformed', 'with a broken date', () => signed({ NextUpdate: '2026-08-01' })],
    [
      'malformed',
      'with an entity without services',
      () => withEntity({ ...entities[0], TrustedEntityServices: undefined }),
    ],
    ['malformed', 'with a certificate that is no base64', () => withEntity(certificateOf('!'))],
    ['malformed', 'with a certificate that is none', () => withEntity(certificateOf('AAAA'))],
    [
      'malformed',
      'with a certificate with octets behind it',
      () => withEntity(certificateOf(Buffer.concat([issuer.certificate.raw, Buffer.from([0])]).toString('base64'))),
    ],
    [
      'malformed',
      'with entities that are no array',
      () => signedList({ LoTE: { ...good.LoTE, TrustedEntitiesList: {} } }),
    ],
  ]

  it.each(cases)('%s: %s', async (check, _name, bytes, more = {}) => {
    const refusal = refusalOf(await readLote(await bytes(), options(more)))
    expect(refusal).toMatchObject({ accepted: false, check })
    expect(refusal.sentence).toMatch(/^[A-Z].*\.$/)
  })

  it('has a signer whose key is of an unknown kind', async () => {
    const strange = strangeKey({ subject: 'C=EU/Strange', keyUsage: SIGN })
    const bytes = await signedList(good, { header: { x5c: [strange.x5c] } })
    expect(refusalOf(await readLote(bytes, options())).check).toBe('algorithm')
    expect(refusalOf(await readLote(bytes, options({ signer: { pem: String(strange.certificate) } }))).check).toBe(
      'algorithm',
    )
    const issuer = strangeKey({ subject: 'C=EU/Strange', ca: true, keyUsage: 4 })
    const pinned = options({ signer: { pem: String(issuer.certificate) } })
    expect(refusalOf(await readLote(await signedList(good), pinned)).check).toBe('signer')
    const below = makeCertificate({ subject: 'Below', issuer, keyUsage: SIGN, purposes: [LIST_SIGNING] })
    expect(refusalOf(await readLote(await signedList(good, { by: below }), pinned)).check).toBe('signer')
  })

  it('names the member that is malformed', async () => {
    const bytes = await withEntity(loteEntity('A', [loteService(ISSUANCE, [], { ServiceName: 'A' })]))
    expect(refusalOf(await readLote(bytes, options())).sentence).toBe(
      'The list is malformed: LoTE.TrustedEntitiesList[0].TrustedEntityServices[0].ServiceInformation.ServiceName ' +
        'must be an array.',
    )
  })

  it('answers about the signature and about the signer separately', async () => {
    expect(refusalOf(await readLote(await signedList(good, { by: stranger }), options()))).toMatchObject({
      signature: 'valid',
      trust: 'other',
      sentence: expect.stringContaining(sha256Of(stranger)),
    })
    const forged = await signedList(good, { by: stranger, header: { x5c: [operator.x5c] } })
    expect(refusalOf(await readLote(forged, options()))).toMatchObject({ signature: 'invalid', trust: 'certificate' })
    expect(refusalOf(await readLote(await signed({ NextUpdate: '2026-05-02T00:00:00Z' }), options()))).toMatchObject({
      check: 'out-of-date',
      signature: 'valid',
      trust: 'certificate',
    })
  })

  it('is never trusted by a key in its own header', async () => {
    const jwk = stranger.certificate.publicKey.export({ format: 'jwk' })
    const bytes = await signedList(good, { by: stranger, header: { x5c: undefined, jwk } })
    expect(refusalOf(await readLote(bytes, options())).check).toBe('signature')
  })

  it('does not accept a pinned authority as an authority of its own name only', async () => {
    const root = authority('C=EU/List authority')
    const twin = authority('C=EU/List authority')
    const forged = makeCertificate({ subject: 'Signer', issuer: twin, keyUsage: SIGN, purposes: [LIST_SIGNING] })
    const pinned = options({ signer: { pem: String(root.certificate) } })
    expect(refusalOf(await readLote(await signedList(good, { by: forged }), pinned)).check).toBe('signer')
  })

  it('takes the same number again, if the date is not earlier', async () => {
    const previous = { sequenceNumber: 7, issuedAt: new Date('2026-05-01T00:00:00Z') }
    expect(await readLote(await signedList(good), options({ previous }))).toMatchObject({ accepted: true })
  })
})

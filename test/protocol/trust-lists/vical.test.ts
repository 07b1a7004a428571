import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { encodeCbor } from '../../../server/protocol/mdoc/cbor/encode.js'
import { type CborKey, type Encodable, Encoded, Tagged } from '../../../server/protocol/mdoc/cbor/values.js'
import { createSign1, x5chainHeader } from '../../../server/protocol/mdoc/cose/sign1.js'
import { tdateOf } from '../../../server/protocol/mdoc/values.js'
import { compileAnchors } from '../../../server/protocol/trust-lists/match/anchors.js'
import { matchChain } from '../../../server/protocol/trust-lists/match/match.js'
import type { ListCheck } from '../../../server/protocol/trust-lists/read-list.js'
import { readVical } from '../../../server/protocol/trust-lists/vical/read-vical.js'
import { writeVical } from '../../../server/protocol/trust-lists/vical/write-vical.js'
import { makeCertificate, type TestCertificate } from '../issuer-keys/certificates.js'
import {
  authority,
  entity,
  leafOf,
  listOf,
  NOW,
  operator,
  options,
  refusalOf,
  SIGN,
  service,
  sha256Of,
  signerWith,
  strangeKey,
  stranger,
} from './world.js'

const MDL = 'org.iso.18013.5.1.mDL'
const iaca = authority('C=DE/IACA')

const info = (more: Record<string, Encodable> = {}): Encodable =>
  new Map<CborKey, Encodable>(
    Object.entries({
      certificate: iaca.certificate.raw,
      serialNumber: new Tagged(2, Buffer.from('01', 'hex')),
      ski: Buffer.from('01', 'hex'),
      docType: [MDL],
      issuingAuthority: 'Authority',
      issuingCountry: 'DE',
      ...more,
    }).filter(([, value]) => value !== undefined),
  )

const vical = (more: Record<string, Encodable> = {}): Encodable =>
  new Map<CborKey, Encodable>(
    Object.entries({
      version: '1.0',
      vicalProvider: 'Provider',
      date: tdateOf(Date.parse('2026-05-01T00:00:00Z')),
      vicalIssueID: 5,
      nextUpdate: tdateOf(Date.parse('2026-07-01T00:00:00Z')),
      certificateInfos: [info()],
      ...more,
    }).filter(([, value]) => value !== undefined),
  )

interface Signing {
  readonly by?: TestCertificate
  readonly chain?: readonly TestCertificate[]
  readonly protectedHeader?: ReadonlyMap<CborKey, Encodable>
}

async function parts(content: Encodable, { by = operator, chain = [by], protectedHeader }: Signing = {}) {
  const unprotected = chain.length === 0 ? new Map() : x5chainHeader(chain.map(({ certificate }) => certificate.raw))
  const headers = { unprotected, ...(protectedHeader === undefined ? {} : { protectedHeader }) }
  return createSign1(await signerWith(by), encodeCbor(content), headers)
}

const signed = async (content: Encodable, signing?: Signing) => encodeCbor(await parts(content, signing))

describe('a VICAL (ISO/IEC 18013-5 Annex C)', () => {
  it('is read with its authorities', async () => {
    const read = await readVical(await signed(vical({ certificateInfos: [info(), info()] })), options())
    expect(read).toMatchObject({ accepted: true, signature: 'valid', trust: 'certificate' })
    const { certificates: _, ...rest } = service([], { types: [MDL] })
    const expected = { ...rest, type: 'urn:iso:std:iso-iec:18013:-5:iaca', uses: ['issuance', 'status'] }
    expect(listOf(read)).toMatchObject({
      kind: 'vical',
      sequenceNumber: 5,
      operator: { en: 'Provider' },
      entities: [
        {
          names: { en: 'Authority' },
          territory: 'DE',
          services: [
            { ...expected, names: { en: 'Authority' } },
            { ...expected, names: { en: 'Authority' } },
          ],
        },
      ],
    })
  })

  it('may have its tag, no chain if the signer is pinned, no number and no next update', async () => {
    const tagged = encodeCbor(new Tagged(18, await parts(vical())))
    expect(await readVical(tagged, options())).toMatchObject({ accepted: true })
    const bare = await signed(vical({ vicalIssueID: undefined, nextUpdate: undefined }), { chain: [] })
    const list = listOf(await readVical(bare, options()))
    expect(list).not.toHaveProperty('sequenceNumber')
    expect(list).not.toHaveProperty('nextUpdate')
  })

  it('may be signed by a VICAL signer of a pinned authority', async () => {
    const root = authority('C=US/Root')
    const by = makeCertificate({ subject: 'Signer', issuer: root, keyUsage: SIGN, purposes: ['1.0.18013.5.1.8'] })
    const pinned = options({ signer: { pem: String(root.certificate) } })
    expect(await readVical(await signed(vical(), { by }), pinned)).toMatchObject({ accepted: true, trust: 'authority' })
  })

  it('limits each authority to its types of documents', async () => {
    const list = listOf(await readVical(await signed(vical()), options()))
    const anchors = compileAnchors([{ id: 'vical', list, until: new Date('2026-07-01T00:00:00Z') }])
    const query = { now: NOW, use: 'issuance', purpose: 'credential' } as const
    const signer = leafOf(iaca)
    expect(matchChain([signer.x5c], anchors, { ...query, type: MDL })).toMatchObject({ trusted: true, by: 'chain' })
    expect(matchChain([signer.x5c], anchors, { ...query, type: 'org.iso.other' })).toMatchObject({
      reason: 'other-type',
    })
  })

  it('is written and read again', async () => {
    const other = authority('C=FR/IACA', { extensions: [{ id: '551d0e', critical: false, value: '0404aabbccdd' }] })
    const entities = [
      { ...entity('Authority of Germany', [service([iaca], { types: [MDL] })]), territory: 'DE' },
      entity('Authority of France', [
        service([other], { types: [MDL, 'eu.europa.ec.eudi.pid.1'] }),
        service([other], { types: [MDL], status: 'withdrawn' }),
        service([other]),
      ]),
    ]
    const written = await writeVical(
      {
        provider: 'Credence',
        issuedAt: new Date('2026-05-01T10:20:30.400Z'),
        nextUpdate: new Date('2026-06-10T00:00:00Z'),
        sequenceNumber: 9,
        entities,
      },
      await signerWith(operator),
      [operator.certificate.raw],
    )
    const list = listOf(await readVical(written, options()))
    expect(list).toMatchObject({ sequenceNumber: 9, issuedAt: new Date('2026-05-01T10:20:30Z') })
    expect(list.entities.map(({ names, territory, services }) => [names.en, territory, services])).toMatchObject([
      ['Authority of Germany', 'DE', [{ types: [MDL] }]],
      ['Authority of France', undefined, [{ types: [MDL, 'eu.europa.ec.eudi.pid.1'] }]],
    ])
    expect(list.entities[0]?.services[0]?.certificates).toEqual([new Uint8Array(iaca.certificate.raw)])
  })
})

/** The list of AAMVA of November 2025 (published as test data of SpruceID's isomdl), and the root of its operator. */
describe('the VICAL of AAMVA', () => {
  const folder = new URL('real/', import.meta.url)
  const bytes = readFileSync(new URL('aamva-vical-227602.cbor', folder))
  const root = readFileSync(new URL('aamva-root.pem', folder), 'utf8')
  const now = new Date('2025-11-19T00:00:00Z')

  it('is read, with the root of AAMVA as the pinned authority', async () => {
    const read = await readVical(bytes, { signer: { pem: root }, now })
    expect(read).toMatchObject({ accepted: true, signature: 'valid', trust: 'authority' })
    const list = listOf(read)
    expect(list).toMatchObject({ sequenceNumber: 227602, operator: { en: 'AAMVA' } })
    expect(list.entities).toHaveLength(11)
    expect(list.entities.flatMap(({ services }) => services)).toHaveLength(14)
    expect(compileAnchors([{ id: 'aamva', list, until: now }]).byFingerprint.size).toBe(14)
  })

  it('is out of date one day later, and of another signer for another pin', async () => {
    const late = await readVical(bytes, { signer: { pem: root }, now: new Date('2025-11-20T00:00:00Z') })
    expect(refusalOf(late)).toMatchObject({ check: 'out-of-date', signature: 'valid', trust: 'authority' })
    expect(refusalOf(await readVical(bytes, { signer: { pem: String(operator.certificate) }, now })).check).toBe(
      'signer',
    )
  })

  it('is refused if one octet of its content is another', async () => {
    const tampered = Buffer.from(bytes)
    const at = tampered.indexOf('US-UT')
    tampered.write('US-VA', at)
    expect(refusalOf(await readVical(tampered, { signer: { pem: root }, now })).check).toBe('signature')
  })
})

describe('a VICAL that is refused', () => {
  const changed = async (change: (elements: Encodable[]) => void) => {
    const elements = [...(await parts(vical()))]
    change(elements)
    return encodeCbor(elements)
  }
  const nest = (depth: number): Encodable => (depth === 0 ? 1 : [nest(depth - 1)])
  const cases: readonly [ListCheck, string, () => Promise<Uint8Array> | Uint8Array, object?][] = [
    ['too-large', 'of more than 16 MiB', () => new Uint8Array(16 * 1024 * 1024 + 1)],
    [
      'too-large',
      'with too many elements',
      () => signed(new Map([['x', new Encoded(Buffer.from('9a000fffff00', 'hex'))]])),
    ],
    ['malformed', 'that is nothing', () => new Uint8Array(0)],
    ['malformed', 'that is text', () => Buffer.from('<html>')],
    ['malformed', 'that is an array of another length', () => encodeCbor([1, 2])],
    ['malformed', 'with octets behind it', async () => Buffer.concat([await signed(vical()), Buffer.from([0])])],
    ['malformed', 'with a detached payload', () => changed((elements) => elements.splice(2, 1, null))],
    ['nested-too-deep', 'that is nested too deep', () => signed(vical({ extensions: nest(40) }))],
    ['unsigned', 'that is a plain map', () => encodeCbor(vical())],
    ['unsigned', 'with an empty signature', () => changed((elements) => elements.splice(3, 1, Buffer.alloc(0)))],
    [
      'algorithm',
      'with another algorithm',
      () => changed((elements) => elements.splice(0, 1, encodeCbor(new Map([[1, -257]])))),
    ],
    [
      'algorithm',
      'with an algorithm that does not fit the key',
      () => changed((elements) => elements.splice(0, 1, encodeCbor(new Map([[1, -8]])))),
    ],
    [
      'header',
      'with a critical header',
      () =>
        signed(vical(), {
          protectedHeader: new Map<CborKey, Encodable>([
            [2, [99]],
            [99, 1],
          ]),
        }),
    ],
    [
      'header',
      'with a chain that holds no certificate',
      () => changed((elements) => elements.splice(1, 1, new Map([[33, Buffer.from('00', 'hex')]]))),
    ],
    [
      'algorithm',
      'with a signer whose key is of an unknown kind',
      () => signed(vical(), { chain: [strangeKey({ subject: 'Strange', keyUsage: SIGN })] }),
    ],
    [
      'no-signer',
      'without a chain, if only a hash is pinned',
      () => signed(vical(), { chain: [] }),
      {
        signer: { sha256: sha256Of(operator) },
      },
    ],
    [
      'signature',
      'with other content',
      () => changed((elements) => elements.splice(2, 1, encodeCbor(vical({ a: 1 })))),
    ],
    ['signature', 'signed with another key', () => signed(vical(), { by: stranger, chain: [operator] })],
    ['signer', 'of somebody else', () => signed(vical(), { by: stranger })],
    ['profile', 'if a profile is wanted', () => signed(vical()), { profile: 'mdl' }],
    ['type', 'of another version', () => signed(vical({ version: '2.0' }))],
    ['malformed', 'that is no map', () => signed([1])],
    ['malformed', 'without a provider', () => signed(vical({ vicalProvider: undefined }))],
    ['malformed', 'without a date', () => signed(vical({ date: undefined }))],
    ['malformed', 'with a date that is none', () => signed(vical({ nextUpdate: 'tomorrow' }))],
    ['malformed', 'with a number that is too large', () => signed(vical({ vicalIssueID: 2n ** 60n }))],
    ['malformed', 'without certificates', () => signed(vical({ certificateInfos: undefined }))],
    [
      'malformed',
      'with a certificate that is none',
      () => signed(vical({ certificateInfos: [info({ certificate: Buffer.from('00', 'hex') })] })),
    ],
    [
      'malformed',
      'with a certificate without types',
      () => signed(vical({ certificateInfos: [info({ docType: [] })] })),
    ],
    ['malformed', 'with a certificate info that is no map', () => signed(vical({ certificateInfos: [1] }))],
    [
      'too-many-entities',
      'with too many certificates',
      () => signed(vical({ certificateInfos: new Array(5_001).fill(1) })),
    ],
    [
      'out-of-date',
      'after its next update',
      () => signed(vical({ nextUpdate: tdateOf(Date.parse('2026-05-02T00:00:00Z')) })),
    ],
    [
      'not-yet-issued',
      'issued in the future',
      () => signed(vical({ date: tdateOf(Date.parse('2026-06-02T00:00:00Z')) })),
    ],
    [
      'sequence-went-back',
      'with a smaller number',
      () => signed(vical()),
      {
        previous: { sequenceNumber: 6, issuedAt: new Date(0) },
      },
    ],
    [
      'sequence-went-back',
      'without a number, after one with a number',
      () => signed(vical({ vicalIssueID: undefined })),
      {
        previous: { sequenceNumber: 5, issuedAt: new Date(0) },
      },
    ],
    [
      'sequence-went-back',
      'without a number, and with an earlier date',
      () => signed(vical({ vicalIssueID: undefined })),
      { previous: { issuedAt: new Date('2026-05-02T00:00:00Z') } },
    ],
  ]

  it.each(cases)('%s: %s', async (check, _name, bytes, more = {}) => {
    const refusal = refusalOf(await readVical(await bytes(), options(more)))
    expect(refusal).toMatchObject({ accepted: false, check })
    expect(refusal.sentence).toMatch(/^[A-Z].*\.$/)
  })
})

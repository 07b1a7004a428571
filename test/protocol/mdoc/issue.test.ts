import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Signer } from '../../../server/protocol/jose/jws.js'
import { createSigner, generateKeyPair } from '../../../server/protocol/jose/jws.js'
import { type CborValue, type Encodable, Tagged } from '../../../server/protocol/mdoc/cbor/values.js'
import type { MdocInput } from '../../../server/protocol/mdoc/mdoc.js'
import { coseAlgorithmsOf } from '../../../server/protocol/mdoc/mdoc.js'
import { makeCertificate } from '../issuer-keys/certificates.js'
import {
  type Actor,
  DOCTYPE,
  issue,
  MAPPING,
  MORE,
  makeAuthority,
  makeHolder,
  makeIssuer,
  NAMESPACE,
} from './actors.js'
import { at, bytesOf, decoded, decodedMap, listAt, mapAt, treeOf } from './tampering.js'

const authority = makeAuthority()
let issuer: Actor
let holder: Signer

beforeAll(async () => {
  issuer = await makeIssuer(authority)
  holder = await makeHolder()
})

async function issued(changes: Partial<MdocInput> = {}) {
  const root = decodedMap(Buffer.from(await issue(issuer, holder, changes), 'base64url'))
  const [protectedHeader, unprotected, payload] = listAt(root, 'issuerAuth')
  const inside = (item: Encodable) => decodedMap(bytesOf(item))
  const itemMaps = (namespace: string) => listAt(root, 'nameSpaces', namespace).map(inside)
  const object = inside(decoded(bytesOf(payload)))
  return { header: decodedMap(bytesOf(protectedHeader)), unprotected: treeOf(unprotected), object, itemMaps }
}

describe('IssuerSigned (ISO/IEC 18013-5 §8.3.2.1.2.2, §9.1.2.4)', () => {
  it('contains a mobile security object with a digest for each item', async () => {
    const { object, itemMaps } = await issued({ status: { idx: 7, uri: 'https://issuer.example/list' } })
    expect([...object.keys()]).toEqual([
      'version',
      'digestAlgorithm',
      'docType',
      'valueDigests',
      'deviceKeyInfo',
      'validityInfo',
      'status',
    ])
    expect(object.get('version')).toBe('1.0')
    expect(object.get('digestAlgorithm')).toBe('SHA-256')
    expect(object.get('docType')).toBe(DOCTYPE)
    expect(object.get('status')).toEqual(
      new Map([
        [
          'status_list',
          new Map<string, CborValue>([
            ['idx', 7],
            ['uri', 'https://issuer.example/list'],
          ]),
        ],
      ]),
    )
    for (const namespace of [NAMESPACE, MORE]) {
      const digests = mapAt(object, 'valueDigests', namespace)
      expect([...digests.keys()]).toEqual(itemMaps(namespace).map((item) => item.get('digestID')))
      expect([...digests.values()].every((digest) => bytesOf(digest).length === 32)).toBe(true)
    }
  })

  it('has 32 random bytes in each item and unique digest ids below 2^31, and the items are in the order of these ids', async () => {
    const { itemMaps } = await issued()
    const items = [...itemMaps(NAMESPACE), ...itemMaps(MORE)]
    expect(new Set(items.map((item) => Buffer.from(bytesOf(item.get('random'))).toString('hex'))).size).toBe(8)
    expect(items.every((item) => bytesOf(item.get('random')).length === 32)).toBe(true)
    const ids = items.map((item) => Number(item.get('digestID')))
    expect(new Set(ids).size).toBe(8)
    expect(ids.every((id) => id >= 0 && id < 2 ** 31)).toBe(true)
    const ofNamespace = ids.slice(0, 7)
    expect(ofNamespace).toEqual([...ofNamespace].sort((one, other) => one - other))
  })

  it('draws a new digest id if one is used already, and uses only 31 bits', async () => {
    const ids = [0xffffffff, 0x7fffffff, 1, 0x80000001, 2, 3, 4, 5]
    const again = [0xffffffff, 6, 0x80000001, 7]
    const drawn = (length: number) => {
      const bytes = randomBytes(length)
      if (length === 4) bytes.writeUInt32BE(again.shift() ?? 0)
      else for (const [position, id] of ids.entries()) bytes.writeUInt32BE(id, position * 36)
      return bytes
    }
    const { itemMaps } = await issued({ randomBytes: drawn })
    const names = itemMaps(NAMESPACE).map((item) => [item.get('digestID'), item.get('elementIdentifier')])
    expect(names.map(([id]) => id)).toEqual([1, 2, 3, 4, 6, 7, 0x7fffffff])
    expect(names.at(-1)).toEqual([0x7fffffff, 'family_name'])
    expect(itemMaps(MORE).map((item) => item.get('digestID'))).toEqual([5])
    expect(again).toEqual([])
  })

  it('asks for random bytes once for all of its items, and shares none of them with a copy', async () => {
    const lengths: number[] = []
    const counted = (length: number) => {
      lengths.push(length)
      return randomBytes(length)
    }
    const salts = (await Promise.all([issued({ randomBytes: counted }), issued({ randomBytes: counted })])).flatMap(
      ({ itemMaps }) => [...itemMaps(NAMESPACE), ...itemMaps(MORE)].map((item) => bytesOf(item.get('random'))),
    )
    expect(lengths).toEqual([288, 288])
    expect(new Set(salts.map((salt) => Buffer.from(salt).toString('hex'))).size).toBe(16)
  })

  it('puts the items of copies in different orders', async () => {
    const orders: string[] = []
    for (let copy = 0; copy < 12; copy += 1) {
      const { itemMaps } = await issued()
      orders.push(
        itemMaps(NAMESPACE)
          .map((item) => item.get('elementIdentifier'))
          .join(),
      )
    }
    expect(new Set(orders).size).toBeGreaterThan(6)
    // By chance, one of 40,320 copies has the order of the type.
    const ofType = Object.keys(MAPPING.namespaces[NAMESPACE]).join()
    expect(orders.filter((order) => order === ofType).length).toBeLessThan(2)
  })

  it('has values as Values says: full-date, tdate, bytes, numbers', async () => {
    const { itemMaps } = await issued()
    const values = new Map(itemMaps(NAMESPACE).map((item) => [item.get('elementIdentifier'), item.get('elementValue')]))
    expect(values.get('birth_date')).toEqual(new Tagged(1004, '1990-12-24'))
    expect(values.get('issue_date')).toEqual(new Tagged(0, '2026-01-02T03:04:05Z'))
    expect(values.get('portrait')).toEqual(Buffer.from('0001feff', 'hex'))
    expect(values.get('height')).toBe(171.5)
    expect(values.get('driving_privileges')).toEqual([
      new Map<string, CborValue>([
        ['code', 'B'],
        ['from', new Tagged(1004, '2010-01-02')],
      ]),
    ])
  })

  it.each([
    ['ES256', -7],
    ['ES384', -35],
    ['EdDSA', -8],
  ] as const)('names the algorithm of a signer of %s as %i, in the protected header', async (alg, number) => {
    const { header, unprotected } = await issued({ signer: await makeHolder(alg) })
    expect(header).toEqual(new Map([[1, number]]))
    expect([...unprotected.keys()]).toEqual([33])
    expect(coseAlgorithmsOf(alg)[0]).toBe(number)
  })

  it.each(['ES256K', 'RS256', 'none'])('has no COSE algorithm for %s', (alg) => {
    expect(coseAlgorithmsOf(alg)).toEqual([])
  })

  it.each([
    ['P-256', 'ES256', 2, 1],
    ['P-384', 'ES384', 2, 2],
    ['Ed25519', 'EdDSA', 1, 6],
  ] as const)('contains a device key of %s as COSE_Key (RFC 9053 §7)', async (_, alg, kty, crv) => {
    const { publicJwk } = await makeHolder(alg)
    const key = mapAt(
      (await issued({ deviceKey: { ...publicJwk, kid: 'x', alg } })).object,
      'deviceKeyInfo',
      'deviceKey',
    )
    expect([key.get(1), key.get(-1)]).toEqual([kty, crv])
    expect(key.get(-2)).toEqual(Buffer.from(publicJwk.x ?? '', 'base64url'))
    expect(key.get(-3)).toEqual(publicJwk.y === undefined ? undefined : Buffer.from(publicJwk.y, 'base64url'))
    expect(key.size).toBe(kty === 2 ? 4 : 3)
  })

  it.each(['ES256K', 'RS256'] as const)('is not issued to a key of %s', async (alg) => {
    const { publicJwk } = await generateKeyPair(alg)
    await expect(issue(issuer, holder, { deviceKey: publicJwk })).rejects.toThrow(
      'Holder key cannot stand in an mdoc: it must be of P-256, P-384 or Ed25519.',
    )
  })

  it('is not signed with ES256K', async () => {
    const signer = await createSigner((await generateKeyPair('ES256K')).privateJwk, 'key')
    await expect(issue(issuer, holder, { signer })).rejects.toThrow(
      'Signature algorithm ES256K is not used in mobile documents.',
    )
  })
})

describe('x5chain (RFC 9360 §2; HAIP 1.0 §6.1.1)', () => {
  it('is the certificate itself if there is only one, and never has the root', async () => {
    const alone = issuer.certificate.raw
    expect((await issued()).unprotected.get(33)).toEqual(alone)
    expect((await issued({ x5c: [issuer.x5c, authority.x5c] })).unprotected.get(33)).toEqual(alone)
  })

  it('is an array if there are several, with the signer first', async () => {
    const middle = makeCertificate({ subject: 'Middle', issuer: authority, ca: true, keyUsage: 0x04 })
    const below = await makeIssuer(middle)
    const { unprotected } = await issued({ x5c: [below.x5c, middle.x5c, authority.x5c] })
    expect(unprotected.get(33)).toEqual([below.certificate.raw, middle.certificate.raw])
  })
})

describe('validityInfo', () => {
  const dates = async (changes: Partial<MdocInput>) => {
    const info = at((await issued(changes)).object, 'validityInfo') as ReadonlyMap<string, Tagged>
    return [...info].map(([name, { tag, value }]) => `${name} ${tag} ${value}`)
  }

  it('has no fractions of a second', async () => {
    const issuedAt = new Date('2026-06-01T10:00:00.999Z')
    expect(await dates({ issuedAt, expiresAt: new Date('2026-06-02T10:00:00.999Z') })).toEqual([
      'signed 0 2026-06-01T10:00:00Z',
      'validFrom 0 2026-06-01T10:00:00Z',
      'validUntil 0 2026-06-02T10:00:00Z',
    ])
  })

  it('lies within the validity of the certificate', async () => {
    const issuedAt = new Date('2024-12-31T23:00:00Z')
    expect(await dates({ issuedAt, expiresAt: new Date('2030-01-01T00:00:00Z') })).toEqual([
      'signed 0 2025-01-01T00:00:00Z',
      'validFrom 0 2025-01-01T00:00:00Z',
      'validUntil 0 2026-12-31T23:59:59Z',
    ])
  })

  it('cannot be made if the certificate has expired or is missing', async () => {
    const issuedAt = new Date('2027-01-01T00:00:00Z')
    await expect(issue(issuer, holder, { issuedAt })).rejects.toThrow('The certificate of the issuer has expired.')
    // In copies for wallets, times are rounded down to the full hour. A certificate may become valid or expire within
    // this hour.
    const hour = { issuedAt: new Date('2026-12-31T23:00:00Z'), expiresAt: new Date('2027-06-01T00:00:00Z') }
    await expect(issue(issuer, holder, { ...hour, now: new Date('2026-12-31T23:59:58Z') })).resolves.toBeDefined()
    await expect(issue(issuer, holder, { ...hour, now: new Date('2026-12-31T23:59:59Z') })).rejects.toThrow(
      'The certificate of the issuer has expired.',
    )
    await expect(issue(issuer, holder, { x5c: [] })).rejects.toThrow('An mdoc needs the certificate of its issuer.')
  })
})

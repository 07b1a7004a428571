import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { type BitstringStatusListEntry, CredentialError } from '../../../server/protocol/credential/verification.js'
import type { JsonObject } from '../../../server/protocol/json/json-object.js'
import {
  createBitstringStatusListCredential,
  readBitstringStatus,
} from '../../../server/protocol/status-list/bitstring.js'
import { gzipBase64url } from '../../../server/protocol/status-list/compression.js'
import { type Actor, actor, decode, later, NOW, NOW_SECONDS } from '../sd-jwt-vc/actors.js'

const URL = 'https://issuer.example/status-lists/1'
const SIZE = 131_072

let issuer: Actor

beforeAll(async () => {
  issuer = await actor('did:example:issuer')
})

const create = (setIndices: Iterable<number>, size = SIZE) =>
  createBitstringStatusListCredential({
    signer: issuer.signer,
    issuer: issuer.id,
    url: URL,
    setIndices,
    size,
    issuedAt: NOW,
    validUntil: later(86_400),
    ttlSeconds: 60,
  })

const entry = (statusListIndex: number, more: Partial<BitstringStatusListEntry> = {}): BitstringStatusListEntry => ({
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex,
  statusListCredential: URL,
  ...more,
})

/** Makes a list of a different issuer. */
const foreign = (subject: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: URL,
  type: ['VerifiableCredential', 'BitstringStatusListCredential'],
  credentialSubject: {
    type: 'BitstringStatusList',
    statusPurpose: 'revocation',
    encodedList: `u${gzipBase64url(new Uint8Array(SIZE / 8))}`,
    ...subject,
  },
  ...more,
})

const refused = (list: JsonObject, by: BitstringStatusListEntry, message: string) =>
  expect(() => readBitstringStatus(list, by)).toThrow(new CredentialError(message))

describe('A BitstringStatusListCredential (Bitstring Status List v1.0 §2.2)', () => {
  it('is a VCDM 2.0 credential, which is the payload of a vc+jwt (VC-JOSE-COSE §3.1.1)', async () => {
    const { header, payload } = decode(await create([1]))
    expect(header).toEqual({ alg: 'ES256', typ: 'vc+jwt', cty: 'vc', kid: 'did:example:issuer#0' })
    expect(payload).toEqual({
      iss: issuer.id,
      iat: NOW_SECONDS,
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id: URL,
      type: ['VerifiableCredential', 'BitstringStatusListCredential'],
      issuer: issuer.id,
      validFrom: '2026-03-01T12:00:00.000Z',
      validUntil: '2026-03-02T12:00:00.000Z',
      credentialSubject: {
        id: `${URL}#list`,
        type: 'BitstringStatusList',
        statusPurpose: 'revocation',
        encodedList: expect.stringMatching(/^uH4sI[A-Za-z0-9_-]+$/),
        ttl: 60_000,
      },
    })
  })

  it('has 16 KiB of bits, with index 0 at the left-most bit', async () => {
    const { payload } = decode(await create([0, 10]))
    const { encodedList } = payload.credentialSubject as { encodedList: string }
    const bytes = gunzipSync(Buffer.from(encodedList.slice(1), 'base64url'))
    expect(bytes).toHaveLength(16 * 1024)
    expect([...bytes.subarray(0, 3)]).toEqual([0x80, 0x20, 0])
  })

  it('has 1 for revoked indices and 0 for all others', async () => {
    const revoked = new Set([0, 7, 8, 94_567, SIZE - 1])
    const { payload } = decode(await create(revoked))
    for (const index of [0, 1, 6, 7, 8, 9, 94_566, 94_567, 94_568, SIZE - 2, SIZE - 1]) {
      expect(readBitstringStatus(payload, entry(index))).toBe(revoked.has(index) ? 1 : 0)
    }
  })

  it('is never shorter than the minimum of the standard', async () => {
    await expect(create([], SIZE - 8)).rejects.toThrow(RangeError)
    await expect(create([SIZE])).rejects.toThrow(RangeError)
  })
})

describe('Reading a BitstringStatusListCredential (§3.2)', () => {
  it('reads the standard’s example, several purposes, several bits, and the form of VCDM 1.1', () => {
    const example = 'uH4sIAAAAAAAAA-3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAIC3AYbSVKsAQAAA'
    expect(readBitstringStatus(foreign({ encodedList: example }), entry(94_567))).toBe(0)
    const both = foreign({ statusPurpose: ['suspension', 'revocation'] }, { id: undefined })
    expect(readBitstringStatus(both, entry(1, { statusPurpose: 'suspension' }))).toBe(0)
    const wide = new Uint8Array(SIZE / 4)
    wide[1] = 0b00_10_00_11
    const list = foreign({ encodedList: `u${gzipBase64url(wide)}` })
    expect([4, 5, 6, 7].map((index) => readBitstringStatus(list, entry(index, { statusSize: 2 })))).toEqual([
      0, 2, 0, 3,
    ])
    expect(readBitstringStatus({ iss: issuer.id, vc: list }, entry(5, { statusSize: 2 }))).toBe(2)
  })

  it('refuses another list than the entry names', () => {
    refused(foreign({}, { id: `${URL}0` }), entry(0), 'Status list is not the one that the credential names.')
  })

  it('refuses a credential that is not a status list', () => {
    refused(
      foreign({}, { type: ['VerifiableCredential'] }),
      entry(0),
      'Status list is no BitstringStatusListCredential.',
    )
    refused(foreign({ type: 'Person' }), entry(0), 'Status list credential holds no BitstringStatusList.')
    refused(foreign({ encodedList: undefined }), entry(0), 'Status list credential holds no BitstringStatusList.')
    refused(
      foreign({}, { credentialSubject: 'list' }),
      entry(0),
      'Status list credential holds no BitstringStatusList.',
    )
  })

  it('refuses a list of another purpose', () => {
    refused(foreign({ statusPurpose: 'suspension' }), entry(0), 'Status list does not tell the purpose revocation.')
    refused(foreign({ statusPurpose: undefined }), entry(0), 'Status list does not tell the purpose revocation.')
  })

  it('refuses a list without multibase prefix, a list that is too short, and a list that ends before the index', () => {
    const encoded = gzipBase64url(new Uint8Array(SIZE / 8))
    refused(foreign({ encodedList: encoded }), entry(0), 'Status list is not multibase base64url.')
    const short = `u${gzipBase64url(new Uint8Array(SIZE / 8 - 1))}`
    refused(foreign({ encodedList: short }), entry(0), 'Status list has fewer than 131072 entries.')
    refused(foreign({}), entry(0, { statusSize: 2 }), 'Status list has fewer than 131072 entries.')
    refused(foreign({}), entry(SIZE), 'Status list ends before the index of the credential.')
  })

  it('refuses a list that expands beyond the limit', () => {
    const bomb = `u${gzipBase64url(new Uint8Array(32 * 1024 * 1024))}`
    refused(foreign({ encodedList: bomb }), entry(0), 'Status list expands to more than 2097152 bytes.')
  })
})

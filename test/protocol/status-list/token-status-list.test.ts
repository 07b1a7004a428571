import { beforeAll, describe, expect, it } from 'vitest'
import { CredentialError } from '../../../server/protocol/credential/verification.js'
import { zlibBase64url } from '../../../server/protocol/status-list/compression.js'
import { createTokenStatusList, readTokenStatus } from '../../../server/protocol/status-list/token-status-list.js'
import { type Actor, actor, decode, later, NOW, NOW_SECONDS } from '../sd-jwt-vc/actors.js'
import { VECTORS } from './vectors.js'

const URI = 'https://issuer.example/token-status-lists/1'
const SIZE = 131_072

let issuer: Actor

beforeAll(async () => {
  issuer = await actor('did:example:issuer')
})

const create = (revokedIndices: Iterable<number>, size = SIZE) =>
  createTokenStatusList({
    signer: issuer.signer,
    issuer: issuer.id,
    uri: URI,
    revokedIndices,
    size,
    issuedAt: NOW,
    expiresAt: later(86_400),
    ttlSeconds: 60,
  })

describe('A Status List Token (Token Status List §5.1)', () => {
  it('has typ statuslist+jwt and names its address, times and statuses', async () => {
    const { header, payload } = decode(await create([0, 3, 4, 5, 7, 8, 9, 13, 15], 16))
    const jwk = issuer.signer.publicJwk
    expect(header).toEqual({ alg: 'ES256', typ: 'statuslist+jwt', kid: 'did:example:issuer#0', jwk })
    expect(payload).toEqual({
      iss: issuer.id,
      sub: URI,
      iat: NOW_SECONDS,
      exp: NOW_SECONDS + 86_400,
      ttl: 60,
      // The example of the standard with one bit (§4.2).
      status_list: { bits: 1, lst: 'eNrbuRgAAhcBXQ' },
    })
  })

  it('has INVALID for revoked indices and VALID for all others', async () => {
    const revoked = new Set([0, 7, 8, 4711, SIZE - 1])
    const { payload } = decode(await create(revoked))
    for (const idx of [0, 1, 6, 7, 8, 9, 4710, 4711, 4712, SIZE - 2, SIZE - 1]) {
      expect(readTokenStatus(payload, { uri: URI, idx })).toBe(revoked.has(idx) ? 1 : 0)
    }
  })

  it('has entries of two bits with SUSPENDED for suspended indices, if its credentials can be suspended', async () => {
    const input = {
      signer: issuer.signer,
      issuer: issuer.id,
      uri: URI,
      size: SIZE,
      issuedAt: NOW,
      expiresAt: later(86_400),
      ttlSeconds: 60,
    }
    const { payload } = decode(
      await createTokenStatusList({ ...input, revokedIndices: [0, 9], suspendedIndices: [1, 9, SIZE - 1] }),
    )
    expect(payload.status_list).toMatchObject({ bits: 2 })
    const values = [0, 1, 2, 9, SIZE - 2, SIZE - 1].map((idx) => readTokenStatus(payload, { uri: URI, idx }))
    expect(values).toEqual([1, 2, 0, 1, 0, 2])
  })

  it('refuses an index outside of the list', async () => {
    expect(() => create([SIZE])).toThrow(RangeError)
  })
})

describe('Reading a Status List Token', () => {
  it.each(VECTORS)('agrees with the test vector of the standard for $bits bits', ({ bits, lst, statuses }) => {
    const payload = { sub: URI, status_list: { bits, lst } }
    for (const [idx, value] of statuses) expect(readTokenStatus(payload, { uri: URI, idx })).toBe(value)
    expect(readTokenStatus(payload, { uri: URI, idx: 2 })).toBe(0)
    expect(readTokenStatus(payload, { uri: URI, idx: 2 ** 20 - 1 })).toBe(0)
    expect(() => readTokenStatus(payload, { uri: URI, idx: 2 ** 20 })).toThrow(
      new CredentialError('Status list ends before the index of the credential.'),
    )
  })

  it('reads eight bits', () => {
    const payload = { sub: URI, status_list: { bits: 8, lst: zlibBase64url(Uint8Array.of(0, 1, 2, 0xff)) } }
    expect([0, 1, 2, 3].map((idx) => readTokenStatus(payload, { uri: URI, idx }))).toEqual([0, 1, 2, 255])
  })

  it('refuses the list of another address (§8.3)', async () => {
    const { payload } = decode(await create([]))
    for (const uri of ['https://issuer.example/token-status-lists/2', `${URI}/`]) {
      expect(() => readTokenStatus(payload, { uri, idx: 0 })).toThrow(
        new CredentialError('Status list is not the one that the credential names.'),
      )
    }
  })

  it.each([
    [undefined],
    [{ bits: 1 }],
    [{ bits: 3, lst: 'eNrbuRgAAhcBXQ' }],
    [{ bits: '1', lst: 'eNrbuRgAAhcBXQ' }],
    [{ lst: 'eNrbuRgAAhcBXQ' }],
  ])('refuses status_list %j (§4.2)', (status_list) => {
    expect(() => readTokenStatus({ sub: URI, status_list }, { uri: URI, idx: 0 })).toThrow(
      new CredentialError('Status list has no status_list of 1, 2, 4 or 8 bits.'),
    )
  })
})

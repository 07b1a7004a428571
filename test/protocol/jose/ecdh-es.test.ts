import { createECDH } from 'node:crypto'
import { CompactEncrypt, compactDecrypt, importJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  decodeCompactJwe,
  decryptEcdhEs,
  deriveKey,
  generateP256,
  JweError,
} from '../../../server/protocol/jose/ecdh-es.js'

/** RFC 7518 Appendix C. */
const ALICE = {
  kty: 'EC',
  crv: 'P-256',
  x: 'gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0',
  y: 'SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps',
  d: '0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo',
}
const BOB = {
  kty: 'EC',
  crv: 'P-256',
  x: 'weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ',
  y: 'e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck',
  d: 'VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw',
}

const octets = (text: string) => Buffer.from(text, 'base64url')
const point = ({ x, y }: { x: string; y: string }) => Buffer.concat([Buffer.from([4]), octets(x), octets(y)])

describe('the key that is derived (RFC 7518 §4.6.2)', () => {
  it('is that of Appendix C, from both sides', () => {
    for (const [mine, theirs] of [
      [ALICE, BOB],
      [BOB, ALICE],
    ] as const) {
      const ecdh = createECDH('prime256v1')
      ecdh.setPrivateKey(octets(mine.d))
      const key = deriveKey(ecdh.computeSecret(point(theirs)), 'A128GCM', Buffer.from('Alice'), Buffer.from('Bob'), 16)
      expect(Buffer.from(key).toString('base64url')).toBe('VqqN6vgjbSBcIijNcacQGg')
    }
  })
})

async function sealed(to: object, members: { enc?: string; apu?: string; apv?: string } = {}) {
  const { enc = 'A128GCM', apu, apv } = members
  return new CompactEncrypt(Buffer.from('secret'))
    .setProtectedHeader({ alg: 'ECDH-ES', enc })
    .setKeyManagementParameters({
      ...(apu === undefined ? {} : { apu: Buffer.from(apu) }),
      ...(apv === undefined ? {} : { apv: Buffer.from(apv) }),
    })
    .encrypt(await importJWK({ ...to, d: undefined } as never, 'ECDH-ES'))
}

describe('a JWE of another implementation', () => {
  it.each([
    { enc: 'A128GCM' },
    { enc: 'A256GCM' },
    { enc: 'A256GCM', apu: 'Alice', apv: 'Bob' },
    { enc: 'A128GCM', apu: 'Alice' },
  ])('is opened: %j', async (members) => {
    const opened = decryptEcdhEs(decodeCompactJwe(await sealed(BOB, members)), BOB)
    expect(Buffer.from(opened).toString()).toBe('secret')
  })

  it('is opened with keys made here, a thousand of them, short scalars too', async () => {
    const lengths = new Set<number>()
    for (let count = 0; count < 1_000; count += 1) {
      const key = generateP256()
      lengths.add(octets(key.d ?? '').length)
      if (count >= 20) continue
      const jwe = await sealed(key)
      expect(Buffer.from(decryptEcdhEs(decodeCompactJwe(jwe), key)).toString()).toBe('secret')
      const { plaintext } = await compactDecrypt(jwe, await importJWK(key, 'ECDH-ES'))
      expect(Buffer.from(plaintext).toString()).toBe('secret')
    }
    expect([...lengths]).toEqual([32])
  })
})

describe('what is refused', () => {
  const change = (jwe: string, at: number, to: (part: string) => string) =>
    jwe
      .split('.')
      .map((part, index) => (index === at ? to(part) : part))
      .join('.')
  const header = (jwe: string, members: Record<string, unknown>) =>
    change(jwe, 0, (part) => {
      const changed = { ...JSON.parse(octets(part).toString()), ...members }
      return Buffer.from(JSON.stringify(changed)).toString('base64url')
    })
  const flipped = (part: string) => `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`

  it.each<[string, (jwe: string) => string]>([
    ['another ciphertext', (jwe) => change(jwe, 3, flipped)],
    ['another tag', (jwe) => change(jwe, 4, flipped)],
    ['another nonce', (jwe) => change(jwe, 2, flipped)],
    ['a shorter tag', (jwe) => change(jwe, 4, (part) => part.slice(0, 16))],
    ['a longer nonce', (jwe) => change(jwe, 2, (part) => `${part}AAAA`)],
    ['an encrypted key', (jwe) => change(jwe, 1, () => 'AAAA')],
    ['another header', (jwe) => header(jwe, { cty: 'JWT' })],
    ['a critical extension', (jwe) => header(jwe, { crit: ['exp'], exp: 1 })],
    ['ECDH-ES+A128KW', (jwe) => header(jwe, { alg: 'ECDH-ES+A128KW' })],
    ['dir', (jwe) => header(jwe, { alg: 'dir' })],
    ['A128CBC-HS256', (jwe) => header(jwe, { enc: 'A128CBC-HS256' })],
    ['no ephemeral key', (jwe) => header(jwe, { epk: undefined })],
    ['an ephemeral key of another curve', (jwe) => header(jwe, { epk: { ...ALICE, crv: 'P-384' } })],
    ['a point that is not on the curve', (jwe) => header(jwe, { epk: { ...ALICE, x: ALICE.y } })],
    ['the point at infinity', (jwe) => header(jwe, { epk: { ...ALICE, x: 'A'.repeat(43), y: 'A'.repeat(43) } })],
    ['coordinates that are too short', (jwe) => header(jwe, { epk: { ...ALICE, x: 'AAAA' } })],
    ['four parts', (jwe) => jwe.split('.').slice(0, 4).join('.')],
    ['six parts', (jwe) => `${jwe}.AAAA`],
    ['padding', (jwe) => `${jwe}==`],
    ['a header that is no JSON', (jwe) => change(jwe, 0, () => 'AAAA')],
    ['a header that is an array', (jwe) => change(jwe, 0, () => Buffer.from('[]').toString('base64url'))],
  ])('%s', async (_, alter) => {
    const jwe = await sealed(BOB)
    expect(() => decryptEcdhEs(decodeCompactJwe(alter(jwe)), BOB)).toThrow(JweError)
  })

  it('another key', async () => {
    const jwe = await sealed(BOB)
    expect(() => decryptEcdhEs(decodeCompactJwe(jwe), ALICE)).toThrow(JweError)
  })
})

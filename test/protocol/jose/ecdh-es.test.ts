import { createCipheriv, createECDH } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { CompactEncrypt, compactDecrypt, importJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  decodeCompactJwe,
  decryptEcdhEs,
  deriveKey,
  ecdhEsEncryption,
  generateP256,
  JweError,
} from '../../../server/protocol/jose/ecdh-es.js'

/** The example of RFC 7518 Appendix C. */
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

describe('the derived key (RFC 7518 §4.6.2)', () => {
  it('is the key of Appendix C, from both sides', () => {
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

interface Members {
  readonly enc?: string
  readonly apu?: string
  readonly apv?: string
  readonly zip?: string
}

async function sealed(to: object, members: Members = {}, content = 'secret') {
  const { enc = 'A128GCM', apu, apv, zip } = members
  return new CompactEncrypt(Buffer.from(content))
    .setProtectedHeader({ alg: 'ECDH-ES', enc, ...(zip === undefined ? {} : { zip }) })
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
  ])('is decrypted: %j', async (members) => {
    const opened = decryptEcdhEs(decodeCompactJwe(await sealed(BOB, members)), BOB)
    expect(Buffer.from(opened).toString()).toBe('secret')
  })

  it('is decrypted with a thousand keys of this service, also with short scalars', async () => {
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

describe('a JWE of this service', () => {
  const text = 'a text that holds itself, a text that holds itself '.repeat(20)

  it.each([
    { enc: 'A128GCM' },
    { enc: 'A256GCM' },
    { enc: 'A256GCM', zip: 'DEF' },
    { enc: 'A128GCM', zip: 'DEF', kid: 'key-1' },
  ] as const)('is decrypted by another implementation and by this service: %j', async (options) => {
    const { d: _, ...publicJwk } = BOB
    const encrypt = ecdhEsEncryption(publicJwk, options)
    const jwes = [encrypt(Buffer.from(text)), encrypt(Buffer.from(text))]
    // Each JWE has a different nonce.
    expect(new Set(jwes.map((jwe) => jwe.split('.')[2])).size).toBe(2)
    for (const jwe of jwes) {
      const { plaintext, protectedHeader } = await compactDecrypt(jwe, await importJWK(BOB, 'ECDH-ES'))
      expect(Buffer.from(plaintext).toString()).toBe(text)
      const { epk, ...rest } = protectedHeader
      expect(rest).toEqual({ alg: 'ECDH-ES', ...options })
      expect(Object.keys(epk ?? {}).sort()).toEqual(['crv', 'kty', 'x', 'y'])
      expect(Buffer.from(decryptEcdhEs(decodeCompactJwe(jwe), BOB, 10_000)).toString()).toBe(text)
      expect(jwe.length < text.length).toBe('zip' in options)
    }
  })

  it('has a fresh ephemeral key for each agreement', () => {
    const epks = Array.from({ length: 5 }, () => {
      const jwe = ecdhEsEncryption(BOB, { enc: 'A128GCM' })(Buffer.from('x'))
      return JSON.stringify(decodeCompactJwe(jwe).header.epk)
    })
    expect(new Set(epks).size).toBe(5)
  })

  it.each<[string, object]>([
    ['a point that is not on the curve', { ...BOB, x: BOB.y }],
    ['the point at infinity', { ...BOB, x: 'A'.repeat(43), y: 'A'.repeat(43) }],
    ['another curve', { ...BOB, crv: 'P-384' }],
    ['another type', { ...BOB, kty: 'OKP' }],
    ['a short coordinate', { ...BOB, x: 'AAAA' }],
    ['a coordinate that is not a text', { ...BOB, x: 1 }],
    ['no coordinate', { ...BOB, y: undefined }],
  ])('is not made for %s', (_, jwk) => {
    expect(() => ecdhEsEncryption(jwk, { enc: 'A128GCM' })).toThrow(JweError)
  })

  it('is not made with another content encryption', () => {
    expect(() => ecdhEsEncryption(BOB, { enc: 'A128CBC-HS256' as 'A128GCM' })).toThrow(JweError)
  })
})

describe('compressed content (RFC 7516 §4.1.3)', () => {
  const open = (jwe: string, most?: number) => decryptEcdhEs(decodeCompactJwe(jwe), BOB, most)
  const refusal = (jwe: string, most?: number): JweError | undefined => {
    try {
      open(jwe, most)
    } catch (error) {
      if (error instanceof JweError) return error
      throw error
    }
    return undefined
  }

  it('is decompressed up to a limit that is exact to the octet', async () => {
    const jwe = await sealed(BOB, { zip: 'DEF' }, 'x'.repeat(1_000))
    expect(Buffer.from(open(jwe, 1_000)).toString()).toBe('x'.repeat(1_000))
    expect(refusal(jwe, 999)).toMatchObject({ tooLong: true })
  })

  it('that would become very large is not decompressed beyond the limit', async () => {
    const content = Buffer.alloc(64 * 1_048_576)
    const jwe = await new CompactEncrypt(content)
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', zip: 'DEF' })
      .encrypt(await importJWK({ ...BOB, d: undefined } as never, 'ECDH-ES'))
    expect(refusal(jwe, 262_144)).toMatchObject({ tooLong: true })
  })

  it('is refused if it was not requested', async () => {
    expect(refusal(await sealed(BOB, { zip: 'DEF' }))).toMatchObject({ tooLong: false })
  })

  it.each([
    ['is not compressed', Buffer.from('secret')],
    ['ends early', deflateRawSync(Buffer.from('secret')).subarray(0, -2)],
    ['is nothing', Buffer.alloc(0)],
  ])('that %s is refused', (_, content) => {
    // The header is authenticated. So only the sender of the JWE can put wrong members into it.
    const { d: _d, ...publicJwk } = BOB
    const jwe = forged(publicJwk, content)
    expect(refusal(jwe, 1_000)).toMatchObject({ tooLong: false, message: 'The JWE does not decompress.' })
  })
})

/**
 * Makes a JWE with additional members in its authenticated header, by default `zip`. The content is encrypted
 * unchanged.
 */
function forged(publicJwk: object, content: Uint8Array, members: object = { zip: 'DEF' }): string {
  const ephemeral = generateP256()
  const { d, ...epk } = ephemeral
  const header = Buffer.from(JSON.stringify({ alg: 'ECDH-ES', enc: 'A128GCM', ...members, epk })).toString('base64url')
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(octets(d ?? ''))
  const secret = ecdh.computeSecret(point(publicJwk as never))
  const key = deriveKey(secret, 'A128GCM', new Uint8Array(0), new Uint8Array(0), 16)
  const nonce = Buffer.alloc(12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce).setAAD(Buffer.from(header, 'ascii'))
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()])
  return [header, '', ...[nonce, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.')
}

describe('refused messages', () => {
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
    ['ECDH-ES+A128KW', (jwe) => header(jwe, { alg: 'ECDH-ES+A128KW' })],
    ['dir', (jwe) => header(jwe, { alg: 'dir' })],
    ['A128CBC-HS256', (jwe) => header(jwe, { enc: 'A128CBC-HS256' })],
    ['another compression', (jwe) => header(jwe, { zip: 'GZIP' })],
    ['no ephemeral key', (jwe) => header(jwe, { epk: undefined })],
    ['an ephemeral key of another curve', (jwe) => header(jwe, { epk: { ...ALICE, crv: 'P-384' } })],
    ['a point that is not on the curve', (jwe) => header(jwe, { epk: { ...ALICE, x: ALICE.y } })],
    ['the point at infinity', (jwe) => header(jwe, { epk: { ...ALICE, x: 'A'.repeat(43), y: 'A'.repeat(43) } })],
    ['coordinates that are too short', (jwe) => header(jwe, { epk: { ...ALICE, x: 'AAAA' } })],
    ['four parts', (jwe) => jwe.split('.').slice(0, 4).join('.')],
    ['six parts', (jwe) => `${jwe}.AAAA`],
    ['padding', (jwe) => `${jwe}==`],
    ['a header that is not JSON', (jwe) => change(jwe, 0, () => 'AAAA')],
    ['a header that is an array', (jwe) => change(jwe, 0, () => Buffer.from('[]').toString('base64url'))],
  ])('%s', async (_, alter) => {
    const jwe = await sealed(BOB)
    expect(() => decryptEcdhEs(decodeCompactJwe(alter(jwe)), BOB)).toThrow(JweError)
  })

  it('a critical extension from the sender (RFC 7516 §4.1.13)', () => {
    const { d: _d, ...publicJwk } = BOB
    const sealedWith = (members: object) => decodeCompactJwe(forged(publicJwk, Buffer.from('secret'), members))
    expect(Buffer.from(decryptEcdhEs(sealedWith({ exp: 1 }), BOB)).toString()).toBe('secret')
    expect(() => decryptEcdhEs(sealedWith({ crit: ['exp'], exp: 1 }), BOB)).toThrow(JweError)
  })

  it('another key', async () => {
    const jwe = await sealed(BOB)
    expect(() => decryptEcdhEs(decodeCompactJwe(jwe), ALICE)).toThrow(JweError)
  })
})

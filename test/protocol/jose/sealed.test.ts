import { createCipheriv, randomBytes } from 'node:crypto'
import { CompactEncrypt, decodeProtectedHeader, flattenedDecrypt } from 'jose'
import { describe, expect, it } from 'vitest'
import {
  decryptSecret,
  deriveKey,
  encryptSecret,
  open,
  SecretError,
  seal,
} from '../../../server/protocol/jose/sealed.js'

const secret = Buffer.alloc(32, 7)
const key = deriveKey(secret, 'c_nonce')

describe('deriveKey', () => {
  it('is HKDF-SHA256 without salt (RFC 5869 §2)', () => {
    // RFC 5869 Appendix A.3: salt and info are empty. The expected value is the first 32 octets of its output.
    const ikm = Buffer.from('0b'.repeat(22), 'hex')
    expect(Buffer.from(deriveKey(ikm, '')).toString('hex')).toBe(
      '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d',
    )
  })

  it('gives each label a separate key, the same key in every process', () => {
    expect(deriveKey(secret, 'c_nonce')).toEqual(key)
    expect(deriveKey(secret, 'code')).not.toEqual(key)
    expect(key).toHaveLength(32)
  })
})

describe('seal and open', () => {
  it.each([[{ offer: 'ö', exp: 1 }], [[1, null]], ['text'], [null], [0]])('round-trips %j', (value) => {
    expect(open(key, seal(key, value))).toEqual(value)
  })

  it('is unpadded base64url, and different each time', () => {
    const token = seal(key, { a: 1 })
    expect(token).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(seal(key, { a: 1 })).not.toBe(token)
  })

  it('reveals no part of its content', () => {
    expect(Buffer.from(seal(key, { holder: 'alice' }), 'base64url').toString('latin1')).not.toContain('alice')
  })

  it('cannot be opened with the key of another purpose or installation', () => {
    expect(open(deriveKey(secret, 'code'), seal(key, 1))).toBeUndefined()
    expect(open(deriveKey(randomBytes(32), 'c_nonce'), seal(key, 1))).toBeUndefined()
  })

  it('cannot be opened if one octet was changed', () => {
    const octets = Buffer.from(seal(key, { a: 1 }), 'base64url')
    for (const index of octets.keys()) {
      const changed = Buffer.from(octets)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(open(key, changed.toString('base64url'))).toBeUndefined()
    }
  })

  it('cannot be opened in another spelling, so that a used token cannot be used again', () => {
    // 12 + 4 + 16 octets are 43 characters. Only four bits of the last character have data.
    const token = seal(key, 'ab')
    expect(token).toHaveLength(43)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet.indexOf(token.slice(-1))
    const sibling = token.slice(0, -1) + alphabet.charAt(last + 1)
    expect(Buffer.from(sibling, 'base64url')).toEqual(Buffer.from(token, 'base64url'))
    expect(open(key, sibling)).toBeUndefined()
    expect(open(key, `${token}=`)).toBeUndefined()
    expect(open(key, ` ${token}`)).toBeUndefined()
    expect(open(key, token)).toBe('ab')
  })

  it.each([[''], ['abc'], ['a'.repeat(37)], ['not base64url!']])('does not open %s', (token) => {
    expect(open(key, token)).toBeUndefined()
  })

  it('cannot be opened if it is cut short, with any remaining tag length', () => {
    const token = Buffer.from(seal(key, { a: 1 }), 'base64url')
    for (let length = 0; length < token.length; length += 1) {
      expect(open(key, token.subarray(0, length).toString('base64url'))).toBeUndefined()
    }
  })

  it('refuses to seal a value that JSON cannot express', () => {
    expect(() => seal(key, undefined)).toThrow(TypeError)
  })
})

describe('encryptSecret and decryptSecret', () => {
  const PLACE = 'keys.private_jwk.one'
  const current = Buffer.alloc(32, 1)
  const previous = Buffer.alloc(32, 2)

  it('encrypts and decrypts a JWE (dir with A256GCM) that is bound to its place', async () => {
    const jwe = await encryptSecret(current, '{"d":"ä"}', PLACE)
    const header = JSON.parse(Buffer.from(jwe.split('.')[0] ?? '', 'base64url').toString())
    expect(header).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      kid: expect.stringMatching(/^[A-Za-z0-9_-]{16}$/),
      bound: true,
    })
    await expect(decryptSecret([current], jwe, PLACE)).resolves.toEqual({
      plaintext: '{"d":"ä"}',
      keyIndex: 0,
      bound: true,
    })
  })

  it('returns the matching key, so that a replaced key can be removed', async () => {
    const jwe = await encryptSecret(previous, 's', PLACE)
    await expect(decryptSecret([current, previous], jwe, PLACE)).resolves.toEqual({
      plaintext: 's',
      keyIndex: 1,
      bound: true,
    })
  })

  it('names the missing key, and reveals nothing about the existing keys', async () => {
    const jwe = await encryptSecret(previous, 's', PLACE)
    const refused = decryptSecret([current], jwe, PLACE)
    await expect(refused).rejects.toBeInstanceOf(SecretError)
    await expect(refused).rejects.toThrow(
      /^The secret is encrypted under the key [A-Za-z0-9_-]{16}, and no configured key is that one\.$/,
    )
    await expect(decryptSecret([], jwe, PLACE)).rejects.toBeInstanceOf(SecretError)
  })

  it('refuses an altered value', async () => {
    const parts = (await encryptSecret(current, 'secret', PLACE)).split('.')
    const ciphertext = Buffer.from(parts[3] ?? '', 'base64url')
    ciphertext[0] = (ciphertext[0] ?? 0) ^ 1
    const altered = [...parts.slice(0, 3), ciphertext.toString('base64url'), parts[4]].join('.')
    await expect(decryptSecret([current], altered, PLACE)).rejects.toThrow('The encrypted secret was altered.')
  })

  it('refuses a value with an altered, shortened or added part', async () => {
    const parts = (await encryptSecret(current, 'secret', PLACE)).split('.')
    const { kid } = JSON.parse(Buffer.from(parts[0] ?? '', 'base64url').toString())
    const encoded = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url')
    const withPart = (at: number, part: string) => parts.map((own, index) => (index === at ? part : own)).join('.')
    const flipped = (at: number) => {
      const octets = Buffer.from(parts[at] ?? '', 'base64url')
      octets[0] = (octets[0] ?? 0) ^ 1
      return withPart(at, octets.toString('base64url'))
    }
    for (const altered of [
      withPart(0, encoded({ kid, enc: 'A256GCM', alg: 'dir' })),
      withPart(0, encoded({ alg: 'dir', enc: 'A256GCM', kid, crit: ['x'], x: 1 })),
      withPart(0, encoded({ alg: 'dir', enc: 'A256GCM', kid, zip: 'DEF' })),
      withPart(1, 'AAAA'),
      flipped(2),
      flipped(4),
      withPart(4, (parts[4] ?? '').slice(0, 16)),
      withPart(4, ''),
      withPart(3, `${parts[3]}=`),
      `${parts.join('.')}.AAAA`,
      parts.slice(0, 4).join('.'),
    ]) {
      await expect(decryptSecret([current], altered, PLACE), altered).rejects.toThrow(
        'The encrypted secret was altered.',
      )
    }
  })

  it('decrypts in no other place', async () => {
    const jwe = await encryptSecret(current, 'secret', PLACE)
    for (const place of ['keys.private_jwk.two', 'keys.private_jwk.on', 'secrets.value.one', '']) {
      await expect(decryptSecret([current], jwe, place)).rejects.toThrow('The encrypted secret was altered.')
    }
  })

  it('cannot be made bound or unbound, because its header cannot be changed', async () => {
    const parts = (await encryptSecret(current, 'secret', PLACE)).split('.')
    const { bound: _, ...header } = JSON.parse(Buffer.from(parts[0] ?? '', 'base64url').toString())
    const freed = [Buffer.from(JSON.stringify(header)).toString('base64url'), ...parts.slice(1)].join('.')
    await expect(decryptSecret([current], freed, PLACE)).rejects.toThrow('The encrypted secret was altered.')
  })

  it('is compatible with the JWE of other libraries: flattened JSON with its place as aad (RFC 7516 §7.2.2)', async () => {
    const jwe = await encryptSecret(current, 'secret', PLACE)
    const [header = '', , iv = '', ciphertext = '', tag = ''] = jwe.split('.')
    const aad = Buffer.from(PLACE).toString('base64url')
    const { plaintext } = await flattenedDecrypt({ protected: header, iv, ciphertext, tag, aad }, current)
    expect(Buffer.from(plaintext).toString()).toBe('secret')
  })

  it('reads a compact JWE of former versions, and reports that it is bound to no place', async () => {
    const { kid } = decodeProtectedHeader(await encryptSecret(current, 's', PLACE))
    const foreign = await new CompactEncrypt(Buffer.from('secret'))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', ...(kid === undefined ? {} : { kid }) })
      .encrypt(current)
    const read = { plaintext: 'secret', keyIndex: 0, bound: false }
    await expect(decryptSecret([current], foreign, PLACE)).resolves.toEqual(read)
  })

  it('refuses a value that is not a JWE of this form', async () => {
    await expect(decryptSecret([current], 'plain text', PLACE)).rejects.toThrow(
      'The stored value is not an encrypted secret.',
    )
    const anonymous = await new CompactEncrypt(Buffer.from('s'))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(current)
    await expect(decryptSecret([current], anonymous, PLACE)).rejects.toThrow('The encrypted secret names no key.')
  })

  it.each([{ alg: 'A256KW' }, { enc: 'A128GCM' }, { crit: ['exp'] }, { zip: 'DEF' }])(
    'refuses a JWE whose header has %j, even if key and tag are right (RFC 7516 §5.2, §4.1.13)',
    async (members) => {
      const [own = ''] = (await encryptSecret(current, 's', PLACE)).split('.')
      const { kid } = JSON.parse(Buffer.from(own, 'base64url').toString())
      const made = (more: object) => {
        const header = Buffer.from(JSON.stringify({ alg: 'dir', enc: 'A256GCM', kid, ...more })).toString('base64url')
        const nonce = randomBytes(12)
        const cipher = createCipheriv('aes-256-gcm', current, nonce)
        cipher.setAAD(Buffer.from(header))
        const text = Buffer.concat([cipher.update('s'), cipher.final()])
        return [header, '', ...[nonce, text, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.')
      }
      expect((await decryptSecret([current], made({}), PLACE)).plaintext).toBe('s')
      await expect(decryptSecret([current], made(members), PLACE)).rejects.toThrow('The encrypted secret was altered.')
    },
  )

  it('refuses another content encryption under the right key id', async () => {
    const [header] = (await encryptSecret(current, 's', PLACE)).split('.')
    const { kid } = JSON.parse(Buffer.from(header ?? '', 'base64url').toString())
    const other = await new CompactEncrypt(Buffer.from('s'))
      .setProtectedHeader({ alg: 'A256GCMKW', enc: 'A256GCM', kid })
      .encrypt(current)
    await expect(decryptSecret([current], other, PLACE)).rejects.toBeInstanceOf(SecretError)
  })
})

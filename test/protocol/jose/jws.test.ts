import { constants, createHmac, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SIGNATURE_ALGORITHMS, type SignatureAlgorithm } from '../../../server/protocol/jose/algorithms.js'
import {
  createSigner,
  generateKeyPair,
  type Jwk,
  JwsError,
  type JwsErrorCode,
  signCompact,
  verifyCompact,
} from '../../../server/protocol/jose/jws.js'

const base64url = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const refusal = (code: JwsErrorCode) => expect.objectContaining({ name: 'JwsError', code })

const keyPairs = new Map<SignatureAlgorithm, ReturnType<typeof generateKeyPair>>()

/** A key for each algorithm. All tests share them, because RSA keys take long to make. */
function keyPairOf(alg: SignatureAlgorithm): ReturnType<typeof generateKeyPair> {
  const known = keyPairs.get(alg) ?? generateKeyPair(alg)
  keyPairs.set(alg, known)
  return known
}

async function signed(alg: SignatureAlgorithm, header: Record<string, unknown> = {}) {
  const { privateJwk, publicJwk } = await keyPairOf(alg)
  const signer = await createSigner(privateJwk, 'key-1')
  return { signer, publicJwk, privateJwk, jwt: await signCompact(signer, header, { iss: 'joe', n: 1 }) }
}

/** Replaces the header of a JWT. Payload and signature stay the same. */
const withHeader = (jwt: string, header: unknown) => [base64url(header), ...jwt.split('.').slice(1)].join('.')

describe('vectors of the standards', () => {
  it('verifies the ES256 example of RFC 7515 Appendix A.3', async () => {
    const jwt =
      'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q'
    const jwk: Jwk = {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    }
    await expect(verifyCompact(jwt, jwk)).resolves.toMatchObject({
      header: { alg: 'ES256' },
      payload: { iss: 'joe', exp: 1300819380, 'http://example.com/is_root': true },
    })
  })

  it('verifies the RS256 example of RFC 7515 Appendix A.2', async () => {
    const jwt =
      'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw'
    const jwk: Jwk = {
      kty: 'RSA',
      n: 'ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ',
      e: 'AQAB',
    }
    await expect(verifyCompact(jwt, jwk)).resolves.toMatchObject({ payload: { iss: 'joe' } })
  })

  it('signs the Ed25519 example of RFC 8037 Appendix A.4 exactly', async () => {
    const signer = await createSigner(
      {
        kty: 'OKP',
        crv: 'Ed25519',
        d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
        x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      },
      'a',
    )
    expect(signer.alg).toBe('EdDSA')
    const signature = await signer.sign(
      Buffer.from('eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc', 'ascii'),
    )
    expect(Buffer.from(signature).toString('base64url')).toBe(
      'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
    )
  })
})

describe.each(SIGNATURE_ALGORITHMS)('%s', (alg) => {
  it('verifies its own signature', async () => {
    const { jwt, publicJwk } = await signed(alg, { typ: 'JWT' })
    await expect(verifyCompact(jwt, publicJwk)).resolves.toMatchObject({
      header: { typ: 'JWT', alg, kid: 'key-1' },
      payload: { iss: 'joe', n: 1 },
    })
    // The second check uses the cached key.
    await expect(verifyCompact(jwt, publicJwk)).resolves.toBeDefined()
  })

  it('refuses another payload under the same signature', async () => {
    const { jwt, publicJwk } = await signed(alg)
    const [header, , signature] = jwt.split('.')
    const forged = `${header}.${base64url({ iss: 'joe', n: 2 })}.${signature}`
    await expect(verifyCompact(forged, publicJwk)).rejects.toEqual(refusal('signature'))
  })

  it('refuses a signature of another key of the same type', async () => {
    const { jwt } = await signed(alg)
    const { publicJwk } = await generateKeyPair(alg)
    await expect(verifyCompact(jwt, publicJwk)).rejects.toEqual(refusal('signature'))
  })

  it('refuses a signature that is cut short or empty', async () => {
    const { jwt, publicJwk } = await signed(alg)
    await expect(verifyCompact(jwt.slice(0, -4), publicJwk)).rejects.toBeInstanceOf(JwsError)
    await expect(verifyCompact(jwt.slice(0, jwt.lastIndexOf('.') + 1), publicJwk)).rejects.toEqual(refusal('signature'))
  })

  it('is refused if it is not allowed', async () => {
    const { jwt, publicJwk } = await signed(alg)
    const others = SIGNATURE_ALGORITHMS.filter((other) => other !== alg)
    await expect(verifyCompact(jwt, publicJwk, others)).rejects.toEqual(refusal('algorithm'))
  })
})

describe('ECDSA signatures (RFC 7518 §3.4)', () => {
  it('are refused in the ASN.1 form that other libraries make', async () => {
    const { privateJwk, publicJwk } = await signed('ES256K')
    const input = `${base64url({ alg: 'ES256K' })}.${base64url({})}`
    const der = sign('sha256', Buffer.from(input), createPrivateKey({ key: privateJwk, format: 'jwk' }))
    await expect(verifyCompact(`${input}.${der.toString('base64url')}`, publicJwk)).rejects.toEqual(
      refusal('signature'),
    )
  })

  it('by ES256K are accepted with either value of s, because RFC 8812 prefers neither', async () => {
    const { jwt, publicJwk } = await signed('ES256K')
    const dot = jwt.lastIndexOf('.')
    const signature = Buffer.from(jwt.slice(dot + 1), 'base64url')
    const order = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')
    const s = BigInt(`0x${signature.subarray(32).toString('hex')}`)
    const other = Buffer.concat([
      signature.subarray(0, 32),
      Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex'),
    ])
    await expect(verifyCompact(`${jwt.slice(0, dot)}.${other.toString('base64url')}`, publicJwk)).resolves.toBeDefined()
  })

  it('with r = s = 0 are never valid', async () => {
    for (const alg of ['ES256', 'ES256K'] as const) {
      const { jwt, publicJwk } = await signed(alg)
      const zeros = `${jwt.slice(0, jwt.lastIndexOf('.'))}.${Buffer.alloc(64).toString('base64url')}`
      await expect(verifyCompact(zeros, publicJwk)).rejects.toEqual(refusal('signature'))
    }
  })
})

describe('algorithm confusion (RFC 8725 §2.1 and §3.1)', () => {
  it.each(['none', 'None', 'NONE'])('refuses alg %s', async (alg) => {
    const { jwt, publicJwk } = await signed('ES256')
    const unsigned = `${base64url({ alg })}.${jwt.split('.')[1]}.`
    await expect(verifyCompact(unsigned, publicJwk)).rejects.toEqual(refusal('algorithm'))
    await expect(verifyCompact(withHeader(jwt, { alg }), publicJwk)).rejects.toEqual(refusal('algorithm'))
  })

  it('refuses an HMAC whose secret is the public key', async () => {
    const { publicJwk } = await signed('RS256')
    const pem = createPublicKey({ key: publicJwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
    const input = `${base64url({ alg: 'HS256' })}.${base64url({ iss: 'mallory' })}`
    const mac = createHmac('sha256', pem).update(input).digest('base64url')
    await expect(verifyCompact(`${input}.${mac}`, publicJwk)).rejects.toEqual(refusal('algorithm'))
  })

  it('refuses an HMAC and its key, even if a caller passes a symmetric key', async () => {
    const secret = Buffer.alloc(32, 1)
    const input = `${base64url({ alg: 'HS256' })}.${base64url({})}`
    const mac = createHmac('sha256', secret).update(input).digest('base64url')
    const jwk: Jwk = { kty: 'oct', k: secret.toString('base64url') }
    await expect(verifyCompact(`${input}.${mac}`, jwk)).rejects.toEqual(refusal('algorithm'))
    const { jwt } = await signed('ES256')
    await expect(verifyCompact(jwt, jwk)).rejects.toEqual(refusal('key'))
  })

  it.each([
    ['ES256', 'ES384'],
    ['ES256', 'ES256K'],
    ['ES256K', 'ES256'],
    ['EdDSA', 'ES256'],
    ['ES256', 'RS256'],
    ['RS256', 'EdDSA'],
  ] as const)('refuses a key for %s with the algorithm %s in the header', async (own, claimed) => {
    const { jwt, publicJwk } = await signed(own)
    await expect(verifyCompact(withHeader(jwt, { alg: claimed }), publicJwk)).rejects.toEqual(refusal('algorithm'))
  })

  it('refuses an algorithm that the key itself does not name', async () => {
    const { jwt, publicJwk } = await signed('RS256')
    await expect(verifyCompact(jwt, { ...publicJwk, alg: 'PS256' })).rejects.toEqual(refusal('algorithm'))
    await expect(verifyCompact(jwt, { ...publicJwk, alg: 'RSA-OAEP-256' })).rejects.toEqual(refusal('key'))
  })

  it.each([[undefined], [5], [['ES256']], [{}], ['es256'], ['ES256 '], ['__proto__']])(
    'refuses alg %j',
    async (alg) => {
      const { jwt, publicJwk } = await signed('ES256')
      await expect(verifyCompact(withHeader(jwt, { alg }), publicJwk)).rejects.toEqual(refusal('algorithm'))
    },
  )

  it.each([0, 20, 48])('refuses a PS256 signature with a salt of %i octets (RFC 7518 §3.5: 32)', async (saltLength) => {
    const { privateJwk, publicJwk } = await keyPairOf('PS256')
    const input = `${base64url({ alg: 'PS256' })}.${base64url({ iss: 'joe' })}`
    const compactWith = (octets: number) => {
      const key = createPrivateKey({ key: { ...privateJwk }, format: 'jwk' })
      const options = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: octets }
      return `${input}.${sign('sha256', Buffer.from(input), options).toString('base64url')}`
    }
    await expect(verifyCompact(compactWith(32), publicJwk)).resolves.toMatchObject({ payload: { iss: 'joe' } })
    await expect(verifyCompact(compactWith(saltLength), publicJwk)).rejects.toEqual(refusal('signature'))
  })

  it('accepts both RSA algorithms from a key that names none', async () => {
    const { privateJwk, publicJwk } = await keyPairOf('RS256')
    const { alg: _, ...anonymous } = publicJwk
    for (const alg of ['RS256', 'PS256', 'RS256'] as const) {
      const signer = await createSigner({ ...privateJwk, alg }, 'k')
      await expect(verifyCompact(await signCompact(signer, {}, {}), anonymous)).resolves.toBeDefined()
    }
  })
})

describe('Ed25519 by its fully specified name (RFC 9864)', () => {
  it('verifies like EdDSA', async () => {
    const { signer, publicJwk } = await signed('EdDSA')
    const input = `${base64url({ alg: 'Ed25519' })}.${base64url({ iss: 'joe' })}`
    const signature = Buffer.from(await signer.sign(Buffer.from(input))).toString('base64url')
    await expect(verifyCompact(`${input}.${signature}`, publicJwk, ['EdDSA'])).resolves.toMatchObject({
      header: { alg: 'Ed25519' },
    })
    await expect(verifyCompact(`${input}.${signature}`, { ...publicJwk, alg: 'Ed25519' })).resolves.toBeDefined()
    await expect(verifyCompact(`${input}.${signature}`, publicJwk, ['ES256'])).rejects.toEqual(refusal('algorithm'))
  })
})

describe('the key (RFC 7517 §4.2, §4.3)', () => {
  it('must not be a key for encryption', async () => {
    const { jwt, publicJwk } = await signed('ES256')
    await expect(verifyCompact(jwt, { ...publicJwk, use: 'enc' })).rejects.toEqual(refusal('key'))
    await expect(verifyCompact(jwt, { ...publicJwk, use: 'sig' })).resolves.toBeDefined()
  })

  it('must allow verifying if it lists operations', async () => {
    const { jwt, publicJwk } = await signed('ES256')
    await expect(verifyCompact(jwt, { ...publicJwk, key_ops: ['deriveBits'] })).rejects.toEqual(refusal('key'))
    await expect(verifyCompact(jwt, { ...publicJwk, key_ops: ['verify'] })).resolves.toBeDefined()
  })

  it('must be a point of its curve', async () => {
    for (const alg of ['ES256', 'ES384', 'ES256K'] as const) {
      const { jwt, publicJwk } = await signed(alg)
      await expect(verifyCompact(jwt, { ...publicJwk, y: publicJwk.x ?? '' })).rejects.toEqual(refusal('key'))
    }
  })

  it('is never taken from the header', async () => {
    const victim = await generateKeyPair('ES256')
    const mallory = await generateKeyPair('ES256')
    const signer = await createSigner(mallory.privateJwk, 'victim')
    const jwt = await signCompact(signer, { jwk: mallory.publicJwk, kid: 'victim' }, { iss: 'victim' })
    await expect(verifyCompact(jwt, victim.publicJwk)).rejects.toEqual(refusal('signature'))
  })

  it.each([
    ['ES256', '0xffffffff00000001000000000000000000000000ffffffffffffffffffffffff'],
    ['ES256K', '0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f'],
  ] as const)(
    'of %s differs from the key with the mirrored y, also in the cache of imported keys',
    async (alg, prime) => {
      const { jwt, publicJwk } = await signed(alg)
      await expect(verifyCompact(jwt, publicJwk)).resolves.toBeDefined()
      const y = BigInt(`0x${Buffer.from(publicJwk.y ?? '', 'base64url').toString('hex')}`)
      const negated = (BigInt(prime) - y).toString(16).padStart(64, '0')
      const mirrored = { ...publicJwk, y: Buffer.from(negated, 'hex').toString('base64url') }
      await expect(verifyCompact(jwt, mirrored)).rejects.toEqual(refusal('signature'))
    },
  )
})

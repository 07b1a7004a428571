import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { algorithmOfJwk, fitsAlgorithm, SIGNATURE_ALGORITHMS } from '../../../server/protocol/jose/algorithms.js'
import { requiredMembersOf } from '../../../server/protocol/jose/jwk.js'
import { generateKeyPair, type Jwk, publicJwkOf, readPublicJwk, thumbprint } from '../../../server/protocol/jose/jws.js'

const P256: Jwk = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
}
const ED25519: Jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }

const rsaOf = (modulusLength: number): Jwk =>
  generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' })

describe('thumbprint', () => {
  it('is the thumbprint of RFC 7638 §3.1, with any other members', () => {
    const jwk: Jwk = {
      kty: 'RSA',
      n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
      e: 'AQAB',
      alg: 'RS256',
      kid: '2011-04-29',
    }
    expect(thumbprint(jwk)).toBe('NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs')
  })

  it('is the thumbprint of RFC 8037 Appendix A.3', () => {
    expect(thumbprint(ED25519)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  })

  it('of a private key is the thumbprint of its public key', async () => {
    const { privateJwk, publicJwk } = await generateKeyPair('ES256')
    expect(thumbprint(privateJwk)).toBe(thumbprint(publicJwk))
  })

  it('also exists for encryption keys', () => {
    expect(thumbprint({ ...P256, alg: 'ECDH-ES', use: 'enc' })).toBe(thumbprint(P256))
  })

  it('refuses a symmetric key and a key that lacks a member', () => {
    expect(() => thumbprint({ kty: 'oct', k: 'AAAA' })).toThrow(expect.objectContaining({ code: 'key' }))
    expect(() => thumbprint({ kty: 'EC', crv: 'P-256', x: P256.x ?? '' })).toThrow('The key has no y.')
  })
})

describe('algorithmOfJwk', () => {
  it('follows curve and type', async () => {
    for (const alg of SIGNATURE_ALGORITHMS) {
      const { publicJwk, privateJwk } = await generateKeyPair(alg)
      expect(algorithmOfJwk(publicJwk)).toBe(alg)
      expect(algorithmOfJwk(privateJwk)).toBe(alg)
    }
  })

  it.each<[string, unknown]>([
    ['P-521', generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey.export({ format: 'jwk' })],
    ['X25519', generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' })],
    ['Ed448', generateKeyPairSync('ed448').publicKey.export({ format: 'jwk' })],
    ['a symmetric key', { kty: 'oct', k: 'AAAA' }],
    ['an empty object', {}],
    ['a curve of the wrong type', { ...ED25519, kty: 'EC', y: ED25519.x }],
    ['a type of the wrong curve', { ...P256, kty: 'OKP' }],
    ['a missing coordinate', { kty: 'EC', crv: 'P-256', x: P256.x }],
    ['a coordinate without its leading zeros', { ...P256, x: P256.x?.slice(0, -3) }],
    ['a coordinate that is too long', { ...P256, x: `${P256.x}AAAA` }],
    ['a coordinate with padding', { ...P256, x: `${P256.x}=` }],
    ['a coordinate that is a number', { ...P256, x: 5 }],
    ['a curve that is an array', { ...P256, crv: ['P-256'] }],
    ['RSA without exponent', { ...rsaOf(2048), e: undefined }],
    ['its own algorithm, which does not match', { ...P256, alg: 'ES384' }],
    ['its own encryption algorithm', { ...P256, alg: 'ECDH-ES' }],
  ])('is undefined for %s', (_, jwk) => {
    expect(algorithmOfJwk(jwk as Jwk)).toBeUndefined()
  })

  it('demands 2048 bits of RSA keys (RFC 7518 §3.3) and limits the work that a stranger can cause', () => {
    expect(algorithmOfJwk(rsaOf(2048))).toBe('RS256')
    expect(algorithmOfJwk(rsaOf(2040))).toBeUndefined()
    expect(algorithmOfJwk(rsaOf(1024))).toBeUndefined()
    const modulus = (bits: number, padding = 0) =>
      Buffer.concat([Buffer.alloc(padding), Buffer.alloc(bits / 8, 0xff)]).toString('base64url')
    expect(algorithmOfJwk({ kty: 'RSA', e: 'AQAB', n: modulus(8192) })).toBe('RS256')
    expect(algorithmOfJwk({ kty: 'RSA', e: 'AQAB', n: modulus(8200) })).toBeUndefined()
    const first = (octet: number) => Buffer.concat([Buffer.from([octet]), Buffer.alloc(255)]).toString('base64url')
    expect(algorithmOfJwk({ kty: 'RSA', e: 'AQAB', n: first(0x80) })).toBe('RS256')
    expect(algorithmOfJwk({ kty: 'RSA', e: 'AQAB', n: first(0x7f) })).toBeUndefined()
    // A small modulus with leading zeros is still small.
    expect(algorithmOfJwk({ kty: 'RSA', e: 'AQAB', n: modulus(1024, 128) })).toBeUndefined()
    // With an exponent as long as the modulus, verifying would be as expensive as signing.
    const exponent = (octets: number) => Buffer.alloc(octets, 0xff).toString('base64url')
    expect(algorithmOfJwk({ kty: 'RSA', e: exponent(8), n: modulus(2048) })).toBe('RS256')
    expect(algorithmOfJwk({ kty: 'RSA', e: exponent(9), n: modulus(2048) })).toBeUndefined()
    expect(algorithmOfJwk({ kty: 'RSA', e: '', n: modulus(2048) })).toBeUndefined()
  })

  it('allows an RSA key without alg both RSA algorithms, and a key with alg only its algorithm', () => {
    const rsa = rsaOf(2048)
    expect(fitsAlgorithm(rsa, 'PS256')).toBe(true)
    expect(fitsAlgorithm({ ...rsa, alg: 'RS256' }, 'PS256')).toBe(false)
    expect(fitsAlgorithm({ ...rsa, alg: 'PS256' }, 'RS256')).toBe(false)
    expect(fitsAlgorithm(rsa, 'ES256')).toBe(false)
  })
})

describe('readPublicJwk', () => {
  it('reads a public key and omits unknown members', () => {
    expect(readPublicJwk({ ...P256, kid: 'a', x5c: ['…'], foo: 1 })).toEqual({ ...P256, kid: 'a' })
  })

  it('refuses a private key (OpenID4VCI 1.0 Appendix F.4)', async () => {
    for (const alg of SIGNATURE_ALGORITHMS) {
      expect(readPublicJwk((await generateKeyPair(alg)).privateJwk)).toBeUndefined()
    }
    expect(readPublicJwk({ ...P256, d: null })).toBeUndefined()
  })

  it.each([[null], ['jwk'], [[P256]], [{ ...P256, kid: 1 }], [{ ...P256, use: ['sig'] }]])('refuses %j', (value) => {
    expect(readPublicJwk(value)).toBeUndefined()
  })
})

describe('publicJwkOf and requiredMembersOf', () => {
  it('return no private member', async () => {
    const { privateJwk, publicJwk } = await generateKeyPair('RS256')
    expect(publicJwkOf({ ...privateJwk, key_ops: ['sign'], kid: 'a' })).toEqual({ ...publicJwk, kid: 'a' })
    expect(Object.keys(requiredMembersOf(privateJwk))).toEqual(['e', 'kty', 'n'])
  })
})

import { createHash, generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  createSigner,
  generateKeyPair,
  type Jwk,
  type Signer,
  signCompact,
  thumbprint,
} from '../../../server/protocol/jose/jws.js'
import { type DpopRequest, verifyDpopProof } from '../../../server/protocol/oauth/dpop.js'

const NOW = new Date('2026-11-22T12:00:00Z')
const SECONDS = NOW.getTime() / 1000
const URL = 'https://issuer.example/base/openid4vci/credential'
const TOKEN = 'an-access-token'
const ATH = createHash('sha256').update(TOKEN).digest('base64url')

const request: DpopRequest = {
  method: 'POST',
  url: URL,
  accessToken: TOKEN,
  now: NOW,
  isNonce: (nonce) => nonce === 'ours',
}

let signer: Signer
let publicJwk: Jwk
let privateJwk: Jwk

beforeAll(async () => {
  const pair = await generateKeyPair('ES256')
  ;({ publicJwk, privateJwk } = pair)
  signer = await createSigner(privateJwk, 'unused')
})

interface Changes {
  readonly header?: Record<string, unknown>
  readonly payload?: Record<string, unknown>
  readonly by?: Signer
}

const proof = ({ header, payload, by }: Changes = {}) =>
  signCompact(
    by ?? signer,
    { typ: 'dpop+jwt', jwk: publicJwk, kid: undefined, ...header },
    { jti: 'one', htm: 'POST', htu: URL, iat: SECONDS, ath: ATH, ...payload },
  )

/** Returns the error code of a refused proof, or `accepted`. */
async function outcome(changes: Changes = {}, to: Partial<DpopRequest> = {}): Promise<string> {
  const value = await proof(changes)
  try {
    verifyDpopProof(value, { ...request, ...to })
    return 'accepted'
  } catch (error) {
    return (error as { error: string }).error
  }
}

describe('A DPoP proof (RFC 9449 §4.3)', () => {
  it('is accepted, and names key and proof', async () => {
    const verified = verifyDpopProof(await proof(), request)
    expect(verified.jkt).toBe(thumbprint(publicJwk))
    expect(verified.expiresAt.getTime()).toBeGreaterThan(NOW.getTime() + 60_000)
    const again = verifyDpopProof(await proof(), request)
    expect(again.jtiHash).toBe(verified.jtiHash)
    expect(verifyDpopProof(await proof({ payload: { jti: 'two' } }), request).jtiHash).not.toBe(verified.jtiHash)
  })

  it('counts as another proof if the same jti has another key', async () => {
    const other = await generateKeyPair('ES256')
    const by = await createSigner(other.privateJwk, 'unused')
    const value = await proof({ by, header: { jwk: other.publicJwk } })
    expect(verifyDpopProof(value, request).jtiHash).not.toBe(verifyDpopProof(await proof(), request).jtiHash)
  })

  it.each(['ES256', 'ES384', 'EdDSA', 'PS256'] as const)('may be signed with %s', async (alg) => {
    const pair = await generateKeyPair(alg)
    const by = await createSigner(pair.privateJwk, 'unused')
    expect(await outcome({ by, header: { jwk: pair.publicJwk } })).toBe('accepted')
  })

  it.each(['RS256', 'ES256K'] as const)('is refused with %s', async (alg) => {
    const pair = await generateKeyPair(alg)
    const by = await createSigner(pair.privateJwk, 'unused')
    expect(await outcome({ by, header: { jwk: pair.publicJwk } })).toBe('invalid_dpop_proof')
  })

  it.each<[string, Changes]>([
    ['without typ', { header: { typ: undefined } }],
    ['with the typ JWT', { header: { typ: 'JWT' } }],
    ['without jwk', { header: { jwk: undefined } }],
    ['with a jwk that is text', { header: { jwk: 'key' } }],
    ['without jti', { payload: { jti: undefined } }],
    ['with a jti that is not a text', { payload: { jti: 7 } }],
    ['with a jti of 300 characters', { payload: { jti: 'j'.repeat(300) } }],
    ['without htm', { payload: { htm: undefined } }],
    ['with another htm', { payload: { htm: 'GET' } }],
    ['with htm in lower case', { payload: { htm: 'post' } }],
    ['without htu', { payload: { htu: undefined } }],
    ['with another path in htu', { payload: { htu: 'https://issuer.example/base/openid4vci/token' } }],
    ['with another host in htu', { payload: { htu: 'https://evil.example/base/openid4vci/credential' } }],
    ['with another scheme in htu', { payload: { htu: 'http://issuer.example/base/openid4vci/credential' } }],
    ['with another port in htu', { payload: { htu: 'https://issuer.example:8443/base/openid4vci/credential' } }],
    ['with a user in htu', { payload: { htu: 'https://user@issuer.example/base/openid4vci/credential' } }],
    ['with a path in upper case in htu', { payload: { htu: 'https://issuer.example/BASE/openid4vci/credential' } }],
    ['without iat', { payload: { iat: undefined } }],
    ['with an iat that is text', { payload: { iat: String(SECONDS) } }],
    ['with an iat an hour ahead', { payload: { iat: SECONDS + 3600 } }],
    ['with an iat an hour ago', { payload: { iat: SECONDS - 3600 } }],
    ['with an iat 61 seconds ahead', { payload: { iat: SECONDS + 61 } }],
    ['with an iat 61 seconds ago', { payload: { iat: SECONDS - 61 } }],
    ['that has expired', { payload: { exp: SECONDS - 1 } }],
    ['that is not valid yet', { payload: { nbf: SECONDS + 3600 } }],
    ['without ath at a resource', { payload: { ath: undefined } }],
    ['with the ath of another token', { payload: { ath: createHash('sha256').update('x').digest('base64url') } }],
    ['with a critical extension', { header: { crit: ['b64'], b64: false } }],
  ])('is refused %s', async (_name, changes) => {
    expect(await outcome(changes)).toBe('invalid_dpop_proof')
  })

  it('is refused if its key has private members', async () => {
    expect(await outcome({ header: { jwk: privateJwk } })).toBe('invalid_dpop_proof')
  })

  it('is refused when another key signed it', async () => {
    const other = await generateKeyPair('ES256')
    expect(await outcome({ by: await createSigner(other.privateJwk, 'unused') })).toBe('invalid_dpop_proof')
  })

  it('is refused without a signature, with alg none and with HMAC', async () => {
    const [, payload = ''] = (await proof()).split('.')
    const header = (alg?: string) =>
      Buffer.from(JSON.stringify({ typ: 'dpop+jwt', jwk: publicJwk, ...(alg ? { alg } : {}) })).toString('base64url')
    for (const value of [
      `${header('none')}.${payload}.`,
      `${header('HS256')}.${payload}.AAAA`,
      `${header()}.${payload}.AAAA`,
    ])
      expect(() => verifyDpopProof(value, request)).toThrow(/alg/)
  })

  it('is refused with a key that is too short for its algorithm', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
    expect(await outcome({ header: { jwk: weak } })).toBe('invalid_dpop_proof')
  })

  it('must be a single proof: two headers, which Node joins, are refused', async () => {
    const value = await proof()
    expect(() => verifyDpopProof(`${value}, ${value}`, request)).toThrow('There must be one DPoP header.')
    expect(() => verifyDpopProof('not-a-jwt', request)).toThrow(/well-formed/)
    expect(() => verifyDpopProof('a'.repeat(9000), request)).toThrow(/longer/)
  })

  it.each([
    `${URL}?x=y#z`,
    'https://ISSUER.example/base/openid4vci/credential',
    'HTTPS://issuer.example/base/openid4vci/credential',
    'https://issuer.example:443/base/openid4vci/credential',
    'https://issuer.example/base/./x/../openid4vci/credential',
    'https://issuer.example/%62ase/openid4vci/credential',
  ])('may spell htu as %s (RFC 3986 §6.2)', async (htu) => {
    expect(await outcome({ payload: { htu } })).toBe('accepted')
  })

  it('may have unknown members', async () => {
    expect(await outcome({ header: { extra: 1 }, payload: { extra: { a: 1 }, nbf: SECONDS, exp: SECONDS + 30 } })).toBe(
      'accepted',
    )
  })

  it('needs no ath without an access token', async () => {
    const { accessToken: _, ...token } = request
    expect(() => verifyDpopProof('x', token)).toThrow()
    expect(verifyDpopProof(await proof({ payload: { ath: undefined } }), token).jkt).toBe(thumbprint(publicJwk))
  })

  it('may have no nonce; with a nonce of another server it is refused with a fresh nonce (§8)', async () => {
    expect(await outcome({ payload: { nonce: 'ours' } })).toBe('accepted')
    expect(await outcome({ payload: { nonce: 'theirs' } })).toBe('use_dpop_nonce')
    expect(await outcome({ payload: { nonce: 7 } })).toBe('use_dpop_nonce')
  })
})

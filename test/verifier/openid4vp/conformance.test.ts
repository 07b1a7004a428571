import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Changes, QUERY, RETURN, type Received, type Suite, seconds, startSuite } from './conformance-actors.js'

const YEAR = 365 * 86_400

let suite: Suite
beforeAll(async () => {
  suite = await startSuite()
})
afterAll(() => suite.close())

/** The keys that requests of this file brought: none comes twice. */
const seen = new Set<string>()

/** Bits by how often each character occurs, as the suite estimates them. */
function entropy(text: string): number {
  const shares = [...new Set(text)].map((character) => (text.split(character).length - 1) / text.length)
  return text.length * shares.reduce((sum, share) => sum - share * Math.log2(share), 0)
}

/** OpenID4VP 1.0 §5.7, §5.10: what a wallet is opened with says where the request is, and nothing else. */
function checkAddress({ asked, address, payload }: Received) {
  expect(asked.authorizationRequestUri).toMatch(/^openid4vp:\/\//)
  expect(address).toEqual({
    client_id: payload.client_id,
    request_uri: expect.stringMatching(/^https:\/\/[^#]+$/),
    request_uri_method: 'post',
  })
}

/** §5.9.3: named by the hash of the certificate that signs; no `kid` beside it. */
function checkSigner({ header, payload }: Received) {
  const [leaf = ''] = header.x5c ?? []
  expect(header).toEqual({ typ: 'oauth-authz-req+jwt', alg: 'ES256', x5c: expect.any(Array) })
  const hash = createHash('sha256')
    .update(new X509Certificate(Buffer.from(leaf, 'base64')).raw)
    .digest('base64url')
  expect(payload.client_id).toBe(`x509_hash:${hash}`)
}

/** §5.1, §5.8, §6, §8.2: these parameters, and no other. */
function checkParameters({ payload }: Received, walletNonce: string | undefined) {
  expect(payload).toEqual({
    aud: 'https://self-issued.me/v2',
    client_id: expect.any(String),
    response_type: 'vp_token',
    response_mode: 'direct_post.jwt',
    response_uri: expect.stringMatching(/^https:\/\/[^#]+$/),
    nonce: expect.stringMatching(/^[\w.~-]{16,43}$/),
    state: expect.any(String),
    dcql_query: QUERY,
    client_metadata: expect.any(Object),
    ...(walletNonce === undefined ? {} : { wallet_nonce: walletNonce }),
    iat: expect.any(Number),
    exp: expect.any(Number),
  })
  const { iat, exp } = payload as unknown as { iat: number; exp: number }
  expect(Math.abs(iat - seconds())).toBeLessThan(300)
  expect(exp).toBeGreaterThan(seconds())
  // §5.2 asks for enough; 128 bits are what is recommended. The estimate runs short of what was drawn.
  expect(Buffer.from(payload.nonce, 'base64url').length).toBeGreaterThanOrEqual(16)
  expect(entropy(payload.nonce)).toBeGreaterThan(96)
}

/** §8.3, §11.1, Appendix B.3.4; HAIP 1.0 §5: a key of this request alone. */
async function checkMetadata({ payload }: Received) {
  const algorithms = expect.arrayContaining(['ES256'])
  expect(payload.client_metadata).toEqual({
    vp_formats_supported: expect.objectContaining({
      'dc+sd-jwt': { 'sd-jwt_alg_values': algorithms, 'kb-jwt_alg_values': algorithms },
    }),
    jwks: { keys: expect.any(Array) },
    encrypted_response_enc_values_supported: ['A128GCM', 'A256GCM'],
  })
  const keys = payload.client_metadata.jwks?.keys as unknown as JWK[]
  const text = expect.stringMatching(/^[\w-]+$/)
  expect(keys).toEqual([{ kty: 'EC', crv: 'P-256', x: text, y: text, kid: text, use: 'enc', alg: 'ECDH-ES' }])
  const thumbprint = await calculateJwkThumbprint(keys[0] as JWK)
  expect(seen).not.toContain(thumbprint)
  seen.add(thumbprint)
}

async function check(request: Received, walletNonce?: string): Promise<Received> {
  checkAddress(request)
  checkSigner(request)
  checkParameters(request, walletNonce)
  await checkMetadata(request)
  return request
}

/** §8.2: 200 with the address to go back to, and a session with what was verified. */
async function accepted(request: Received, changes?: Changes) {
  const { status, headers, json } = await suite.answered(request, changes)
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)])
  expect(Object.keys(json)).toEqual(['redirect_uri'])
  const url = new URL(json.redirect_uri)
  expect(url.searchParams.get('response_code')).toMatch(/^[\w-]{43}$/)
  url.searchParams.delete('response_code')
  expect(url.href).toBe(RETURN)
  expect(await suite.session(request)).toMatchObject({ state: 'ResponseVerified' })
}

/** The presentation is refused at once, for the one thing that is wrong with it. */
async function refused(changes: Changes, why: string) {
  const request = await check(await suite.received())
  const { status, json } = await suite.answered(request, changes)
  const sentence = `Presentation for pid: ${why}`
  expect([status, json]).toEqual([
    400,
    { error: 'invalid_request', error_description: sentence, redirect_uri: expect.stringContaining(RETURN) },
  ])
  expect(await suite.session(request)).toMatchObject({ state: 'Error', errorMessage: sentence })
}

/** The same JWT with the bits of its signature changed. */
function unsigned(jwt: string): string {
  const [header, payload, signature = ''] = jwt.split('.')
  const flipped = Buffer.from(signature, 'base64url').map((byte) => byte ^ 0x5a)
  return `${header}.${payload}.${Buffer.from(flipped).toString('base64url')}`
}

describe('modules with a credential that is good', () => {
  it('oid4vp-1final-verifier-happy-flow', async () => {
    const request = await check(await suite.received())
    await accepted(request)
    // Another request has another key.
    await accepted(await check(await suite.received()))
  })

  it('oid4vp-1final-verifier-minimal-cnf-jwk', async () => {
    const request = await check(await suite.received())
    await accepted(request, { holderJwk: ({ kty, crv, x, y }) => ({ kty, crv, x, y }) })
  })

  it('oid4vp-1final-verifier-request-uri-method-post', async () => {
    const walletNonce = randomBytes(32).toString('base64url')
    await accepted(await check(await suite.received({ wallet_nonce: walletNonce }), walletNonce))
  })

  it('oid4vp-1final-verifier-request-uri-fetched-twice', async () => {
    const first = await suite.received()
    const again = await suite.fetched(first.address.request_uri ?? '')
    expect(again.payload).toEqual(first.payload)
    await accepted(await check({ ...first, ...again }))
  })
})

describe('modules with one that is not', () => {
  it('oid4vp-1final-verifier-invalid-kb-jwt-signature', () => {
    const presentation = (text: string) => {
      const parts = text.split('~')
      return [...parts.slice(0, -1), unsigned(parts.at(-1) ?? '')].join('~')
    }
    return refused({ presentation }, 'Key Binding JWT signature is invalid.')
  })

  it('oid4vp-1final-verifier-invalid-credential-signature', () => {
    // The holder signs for what is presented: it is the issuer's signature alone that is wrong.
    const sdJwt = (text: string) => {
      const [jwt = '', ...disclosures] = text.split('~')
      return [unsigned(jwt), ...disclosures].join('~')
    }
    return refused({ sdJwt }, 'Credential signature is invalid.')
  })

  it('oid4vp-1final-verifier-invalid-sd-hash', () =>
    refused(
      { keyBinding: ({ sd_hash }) => ({ sd_hash: `${sd_hash}INVALID` }) },
      'Key Binding JWT sd_hash is not that of the presented credential.',
    ))

  it('oid4vp-1final-verifier-invalid-kb-jwt-nonce', () =>
    refused(
      { keyBinding: ({ nonce }) => ({ nonce: `${nonce}INVALID` }) },
      'Key Binding JWT nonce is not that of the request.',
    ))

  it('oid4vp-1final-verifier-invalid-kb-jwt-aud', () =>
    refused({ keyBinding: ({ aud }) => ({ aud: `${aud}INVALID` }) }, 'Key Binding JWT aud is not this verifier.'))

  it('oid4vp-1final-verifier-kb-jwt-iat-in-past', () =>
    refused({ keyBinding: ({ iat }) => ({ iat: iat - YEAR }) }, 'Key Binding JWT is older than its request.'))

  it('oid4vp-1final-verifier-kb-jwt-iat-in-future', () =>
    refused(
      { keyBinding: ({ iat }) => ({ iat: iat + YEAR }) },
      'Key Binding JWT is not valid yet: iat lies in the future.',
    ))
})

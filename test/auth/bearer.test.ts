import { createHmac } from 'node:crypto'
import { exportJWK, exportSPKI } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Answer, startService, type TestService } from '../support/service.js'
import { accessToken, type JwksServer, newSigningKey, type SigningKey, startJwksServer } from './jwks-server.js'

const INVALID = 'Invalid access token.'
const NOT_FOUND = 'Access token signing key was not found.'
const EXPIRED = 'Access token has expired.'
const RS256 = { alg: 'RS256', kid: 'one' }

let jwks: JwksServer
let service: TestService
let key: SigningKey
let ec: SigningKey

beforeAll(async () => {
  key = await newSigningKey('RS256', 'one')
  ec = await newSigningKey('ES256', 'ec')
  jwks = await startJwksServer([key.publicJwk, ec.publicJwk])
  service = await startService({ env: { OIDC_JWKS_URL: jwks.url } })
})
afterAll(async () => {
  await service.close()
  await jwks.stop()
})
afterEach(() => {
  vi.useRealTimers()
})

const ask = (authorization: string | undefined) =>
  service.request('POST', '/credentials/verify', {
    body: { credential: 'x' },
    ...(authorization === undefined ? {} : { authorization }),
  })

function expectRefused(answer: Answer, message: string, challenge = 'Bearer error="invalid_token"'): void {
  expect(answer.json).toEqual({
    statusCode: 401,
    message,
    path: '/credentials/verify',
    timestamp: expect.any(String),
    ...(message === 'Unauthorized' ? {} : { error: 'Unauthorized' }),
  })
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toBe(challenge)
}

const unsigned = (header: object, claims: object) =>
  [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')

describe('an access token', () => {
  it('that the identity provider signed with RS256 is accepted', async () => {
    const answer = await ask(`Bearer ${await accessToken(key.privateKey, RS256)}`)
    expect([answer.status, answer.json.isValid]).toEqual([200, false])
  })

  it('may follow the scheme in any case (RFC 9110 §11.1)', async () => {
    expect((await ask(`bearer ${await accessToken(key.privateKey, RS256)}`)).status).toBe(200)
  })

  it('is missing: Unauthorized', async () => {
    expectRefused(await ask(undefined), 'Unauthorized', 'Bearer')
    for (const authorization of ['Bearer', 'Bearer ', 'Basic YWxpY2U6c2VjcmV0', 'DPoP abc', 'BearerX']) {
      expectRefused(await ask(authorization), 'Unauthorized')
    }
  })

  it.each(['abc', 'a.b.c', 'a.b', 'a b', '....', `${Buffer.from('[]').toString('base64url')}.e30.x`])(
    'that cannot be decoded: %s',
    async (token) => {
      expectRefused(await ask(`Bearer ${token}`), INVALID)
    },
  )

  it('without kid', async () => {
    expectRefused(
      await ask(`Bearer ${await accessToken(key.privateKey, { alg: 'RS256' })}`),
      'Access token header is missing kid.',
    )
    const numeric = `${unsigned({ alg: 'RS256', kid: 1 }, { sub: 'alice' })}.AAAA`
    expectRefused(await ask(`Bearer ${numeric}`), 'Access token header is missing kid.')
  })

  it('with an unknown kid', async () => {
    const token = await accessToken(key.privateKey, { alg: 'RS256', kid: 'unknown' })
    expectRefused(await ask(`Bearer ${token}`), NOT_FOUND)
  })

  it('signed by another key under a known kid', async () => {
    const stranger = await newSigningKey('RS256', 'one')
    expectRefused(await ask(`Bearer ${await accessToken(stranger.privateKey, RS256)}`), INVALID)
  })

  it('with a changed payload', async () => {
    const [header, , signature] = (await accessToken(key.privateKey, RS256)).split('.')
    const payload = Buffer.from(JSON.stringify({ sub: 'root', exp: 4_000_000_000, realm_access: { roles: ['admin'] } }))
    expectRefused(await ask(`Bearer ${header}.${payload.toString('base64url')}.${signature}`), INVALID)
  })

  it('with alg none', async () => {
    const claims = { sub: 'alice', exp: 4_000_000_000 }
    for (const alg of ['none', 'None', 'NONE', '']) {
      expectRefused(await ask(`Bearer ${unsigned({ alg, kid: 'one' }, claims)}.`), INVALID)
    }
  })

  it('with HS256 under the public key, as PEM, as JWK and as its modulus', async () => {
    const { n = '' } = key.publicJwk
    const secrets = [
      await exportSPKI(key.publicKey),
      (await exportSPKI(key.publicKey)).trim(),
      JSON.stringify(await exportJWK(key.publicKey)),
      JSON.stringify(key.publicJwk),
      Buffer.from(n, 'base64url'),
      n,
    ]
    const input = unsigned({ alg: 'HS256', kid: 'one' }, { sub: 'alice', exp: 4_000_000_000 })
    for (const secret of secrets) {
      const signature = createHmac('sha256', secret).update(input).digest('base64url')
      expectRefused(await ask(`Bearer ${input}.${signature}`), INVALID)
    }
  })

  it.each(['ES256', 'RS512', 'PS256'])('with %s, even if the key is published', async (alg) => {
    const signing = alg === 'ES256' ? ec : await newSigningKey(alg, 'other')
    jwks.answer = { keys: [key.publicJwk, ec.publicJwk, signing.publicJwk] }
    const token = await accessToken(signing.privateKey, { alg, kid: signing.publicJwk.kid ?? '' })
    expectRefused(await ask(`Bearer ${token}`), INVALID)
  })

  it('that carries its own key', async () => {
    const stranger = await newSigningKey('RS256', 'one')
    const header = { ...RS256, jwk: stranger.publicJwk, jku: 'https://stranger.example/jwks' }
    expectRefused(await ask(`Bearer ${await accessToken(stranger.privateKey, header)}`), INVALID)
  })

  it('with an unknown critical header (RFC 7515 §4.1.11)', async () => {
    const header = Buffer.from(JSON.stringify({ ...RS256, crit: ['x'], x: 1 })).toString('base64url')
    const [, payload, signature] = (await accessToken(key.privateKey, RS256)).split('.')
    expectRefused(await ask(`Bearer ${header}.${payload}.${signature}`), INVALID)
  })

  it('that has expired, without any leeway', async () => {
    const now = Math.floor(Date.now() / 1000)
    expectRefused(await ask(`Bearer ${await accessToken(key.privateKey, RS256, { exp: now - 1 })}`), EXPIRED)
    vi.useFakeTimers({ toFake: ['Date'], now: (now + 10) * 1000 })
    expectRefused(await ask(`Bearer ${await accessToken(key.privateKey, RS256, { exp: now + 10 })}`), EXPIRED)
    expect((await ask(`Bearer ${await accessToken(key.privateKey, RS256, { exp: now + 11 })}`)).status).toBe(200)
  })

  it.each([
    ['no exp', { exp: undefined }],
    ['an exp that is not a number', { exp: '4000000000' }],
    ['an nbf in the future', { nbf: Math.floor(Date.now() / 1000) + 60 }],
    ['an nbf that is not a number', { nbf: '0' }],
    ['an iat that is not a number', { iat: '0' }],
    ['no sub', { sub: undefined }],
    ['an empty sub', { sub: '' }],
    ['a sub that is no text', { sub: 7 }],
  ])('with %s', async (_, claims) => {
    expectRefused(await ask(`Bearer ${await accessToken(key.privateKey, RS256, claims)}`), INVALID)
  })

  it.each([
    ['typ JWT', { typ: 'JWT' }, {}],
    ['typ at+jwt (RFC 9068)', { typ: 'at+jwt' }, {}],
    ['typ application/at+jwt', { typ: 'application/AT+JWT' }, {}],
    ['typ at+jwt and a nonce', { typ: 'at+jwt' }, { nonce: 'n' }],
    [
      'a nonce, as older Keycloaks write it',
      { typ: 'JWT' },
      { typ: 'Bearer', nonce: 'n', azp: 'app', session_state: 's' },
    ],
    ['the type of a token that is bound to a key', {}, { typ: 'DPoP', nonce: 'n' }],
    ['a payload typ without meaning', {}, { typ: 'JWT' }],
  ])('with %s is accepted', async (_, header, claims) => {
    expect((await ask(`Bearer ${await accessToken(key.privateKey, { ...RS256, ...header }, claims)}`)).status).toBe(200)
  })

  it.each([
    ['an ID token with a nonce', { typ: 'JWT' }, { nonce: 'n' }],
    ['an ID token of Keycloak', { typ: 'JWT' }, { typ: 'ID', azp: 'app', session_state: 's' }],
    ['an ID token that was issued with an access token', {}, { at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' }],
    ['an ID token that was issued with a code', {}, { c_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' }],
    ['an ID token whose header has another type', { typ: 'at+jwt' }, { typ: 'ID' }],
    ['a refresh token of Keycloak', { typ: 'JWT' }, { typ: 'Refresh' }],
    ['an offline token of Keycloak', { typ: 'JWT' }, { typ: 'Offline' }],
    ['a logout token', { typ: 'logout+jwt' }, { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }],
    ['a logout token without typ', {}, { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }],
    ['a logout token of Keycloak', { typ: 'JWT' }, { typ: 'Logout' }],
    ['a security event', { typ: 'secevent+jwt' }, {}],
    ['a DPoP proof', { typ: 'dpop+jwt' }, {}],
    ['an answer of the introspection endpoint', { typ: 'token-introspection+jwt' }, {}],
  ])('is not %s', async (_, header, claims) => {
    expectRefused(await ask(`Bearer ${await accessToken(key.privateKey, { ...RS256, ...header }, claims)}`), INVALID)
  })

  it('of 12 KiB is read; a token that is too long for a header is a 431', async () => {
    const long = await accessToken(key.privateKey, RS256, { padding: 'a'.repeat(9_000) })
    expect((await ask(`Bearer ${long}`)).status).toBe(200)
    const tooLong = await accessToken(key.privateKey, RS256, { padding: 'a'.repeat(20_000) })
    expect((await ask(`Bearer ${tooLong}`)).status).toBe(431)
  })

  it('is refused on /trpc with the same text', async () => {
    const token = await accessToken(key.privateKey, { alg: 'RS256' })
    const called = await service.request('POST', '/trpc/verify.verify', {
      authorization: `Bearer ${token}`,
      body: { json: { credential: 'x' } },
    })
    expect([called.status, called.json.error.json.data]).toEqual([
      401,
      expect.objectContaining({ httpStatus: 401, messages: ['Access token header is missing kid.'] }),
    ])
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ServiceError } from '../../server/api/errors.js'
import { createBearerCheck } from '../../server/auth/bearer.js'
import type { Caller } from '../../server/auth/caller.js'
import { createSigningKeys, type TokenAlgorithm } from '../../server/auth/signing-keys.js'
import { accessToken, type JwksServer, newSigningKey, type SigningKey, startJwksServer } from './jwks-server.js'

const NOT_FOUND = 'Access token signing key was not found.'
const UNAVAILABLE = 'Access token signing keys are unavailable.'
const INVALID = 'Invalid access token.'
const RS256 = { alg: 'RS256', kid: 'one' }

let key: SigningKey
let next: SigningKey
let jwks: JwksServer

beforeAll(async () => {
  key = await newSigningKey('RS256', 'one')
  next = await newSigningKey('RS256', 'two')
  jwks = await startJwksServer()
})
afterAll(() => jwks.stop())
afterEach(() => {
  vi.useRealTimers()
})

/** A token check that knows no keys yet. Its JWKS address answers with `answer`. */
function newCheck(
  answer: JwksServer['answer'] = { keys: [key.publicJwk] },
  rules: { issuer?: string; audience?: string; algorithms?: readonly TokenAlgorithm[] } = {},
) {
  jwks.answer = answer
  jwks.status = 200
  jwks.requests = 0
  const { algorithms = ['RS256'] } = rules
  const keys = createSigningKeys(jwks.url, algorithms)
  return createBearerCheck({ keys, algorithms, didClaim: 'did', adminRole: 'admin', clock: () => new Date(), ...rules })
}

/** Returns `accepted`, or the message of the 401. */
async function outcome(checked: Promise<Caller>): Promise<string> {
  try {
    await checked
    return 'accepted'
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError)
    expect((error as ServiceError).status).toBe(401)
    return (error as ServiceError).message
  }
}

const bearer = async (claims: object = {}) => `Bearer ${await accessToken(key.privateKey, RS256, { ...claims })}`

describe('OIDC_ISSUER and OIDC_AUDIENCE', () => {
  const right = { iss: 'https://login.example', aud: ['account', 'credence'] }
  it.each([
    [{}, 'accepted'],
    [{ aud: 'credence' }, 'accepted'],
    [{ iss: 'https://evil.example' }, INVALID],
    [{ iss: 'https://login.example/' }, INVALID],
    [{ iss: undefined }, INVALID],
    [{ aud: 'other' }, INVALID],
    [{ aud: undefined }, INVALID],
  ])('are checked if they are set: %o is %s', async (claims, expected) => {
    const check = newCheck(undefined, { issuer: 'https://login.example', audience: 'credence' })
    expect(await outcome(check(await bearer({ ...right, ...claims })))).toBe(expected)
  })

  it('are not checked if they are not set', async () => {
    expect(await outcome(newCheck()(await bearer({ iss: 'https://any.example', aud: 'any' })))).toBe('accepted')
  })
})

describe('OIDC_ALGORITHMS', () => {
  const ALL = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

  async function token(alg: string) {
    const { privateKey, publicJwk } = await newSigningKey(alg, alg)
    return { jwk: publicJwk, authorization: `Bearer ${await accessToken(privateKey, { alg, kid: alg })}` }
  }

  it.each([...ALL, 'Ed25519'])(
    '%s is accepted if it is listed, and refused if only the others are listed',
    async (alg) => {
      const { jwk, authorization } = await token(alg)
      const listed = alg === 'Ed25519' ? 'EdDSA' : alg
      const others = ALL.filter((other) => other !== listed)
      expect(await outcome(newCheck({ keys: [jwk] }, { algorithms: ALL })(authorization))).toBe('accepted')
      expect(await outcome(newCheck({ keys: [jwk] }, { algorithms: others })(authorization))).toBe(INVALID)
    },
  )

  it.each(['ES384', 'RS512', 'PS512'])('%s is never accepted', async (alg) => {
    const { jwk, authorization } = await token(alg)
    expect(await outcome(newCheck({ keys: [jwk] }, { algorithms: ALL })(authorization))).toBe(INVALID)
  })

  it('decides which published keys a token may name', async () => {
    const { jwk } = await token('ES256')
    const unknown = `Bearer ${await accessToken(key.privateKey, { alg: 'RS256', kid: 'unknown' })}`
    expect(await outcome(newCheck({ keys: [jwk] }, { algorithms: ['RS256'] })(unknown))).toBe(UNAVAILABLE)
    expect(await outcome(newCheck({ keys: [jwk] }, { algorithms: ['RS256', 'ES256'] })(unknown))).toBe(NOT_FOUND)
  })
})

describe('claims of a token about its caller', () => {
  const callerOf = async (claims: object) => newCheck()(await bearer(claims))

  it('roles of the realm and of every client', async () => {
    const { roles } = await callerOf({
      realm_access: { roles: ['admin', 'user'] },
      resource_access: { credence: { roles: ['issuer'] }, account: { roles: ['verifier'] } },
    })
    expect([...roles].toSorted()).toEqual(['admin', 'issuer', 'user', 'verifier'])
  })

  it.each([
    { realm_access: { roles: 'admin' } },
    { realm_access: { roles: { 0: 'admin' } } },
    { realm_access: { roles: [['admin'], { name: 'admin' }, 1, null] } },
    { realm_access: ['admin'] },
    { realm_access: 'admin' },
    { realm_access: null },
    { resource_access: { roles: ['admin'] } },
    { resource_access: { credence: { roles: 'admin' } } },
    { resource_access: { credence: null } },
    { resource_access: null },
    { resource_access: 'admin' },
    { roles: ['admin'] },
  ])('no role from %o', async (claims) => {
    expect([...(await callerOf(claims)).roles]).toEqual([])
  })

  it.each([
    ['did:key:z1', ['did:key:z1']],
    [
      ['did:key:z1', 'did:web:a.example'],
      ['did:key:z1', 'did:web:a.example'],
    ],
    [['did:key:z1', 7, 'alice', null], ['did:key:z1']],
    [{ id: 'did:key:z1' }, []],
    [undefined, []],
  ])('DIDs of the claim %o', async (did, dids) => {
    expect((await callerOf({ did })).tokenDids).toEqual(dids)
  })
})

describe('signing keys', () => {
  it('are fetched once and cached for ten minutes, in which the identity provider may be unreachable', async () => {
    const check = newCheck()
    const start = Date.now()
    vi.useFakeTimers({ toFake: ['Date'], now: start })
    expect(await outcome(check(await bearer()))).toBe('accepted')
    await jwks.stop()
    vi.setSystemTime(start + 599_000)
    expect(await outcome(check(await bearer()))).toBe('accepted')
    expect(jwks.requests).toBe(1)
    vi.setSystemTime(start + 601_000)
    expect(await outcome(check(await bearer()))).toBe(UNAVAILABLE)
    await jwks.start()
    expect(await outcome(check(await bearer()))).toBe('accepted')
    expect(jwks.requests).toBe(2)
  })

  it('that were rotated are found at once, and the old key is refused after that', async () => {
    const check = newCheck()
    const old = await bearer()
    expect(await outcome(check(old))).toBe('accepted')
    jwks.answer = { keys: [next.publicJwk] }
    const token = `Bearer ${await accessToken(next.privateKey, { alg: 'RS256', kid: 'two' })}`
    expect(await Promise.all([check(token), check(token), check(token)].map(outcome))).toEqual(
      Array(3).fill('accepted'),
    )
    expect(jwks.requests).toBe(2)
    expect(await outcome(check(old))).toBe(NOT_FOUND)
  })

  it('are not fetched again for every unknown kid of a stranger', async () => {
    const check = newCheck()
    for (const kid of ['a', 'b', 'c', 'd', 'e']) {
      expect(await outcome(check(`Bearer ${await accessToken(key.privateKey, { alg: 'RS256', kid })}`))).toBe(NOT_FOUND)
    }
    expect(jwks.requests).toBe(2)
    expect(await outcome(check(await bearer()))).toBe('accepted')
  })

  it('that cannot be fetched at first: refused, and accepted as soon as the identity provider is reachable', async () => {
    const check = newCheck()
    await jwks.stop()
    expect(await outcome(check(await bearer()))).toBe(UNAVAILABLE)
    await jwks.start()
    expect(await outcome(check(await bearer()))).toBe('accepted')
  })

  it.each([
    ['no keys', { keys: [] }],
    ['no RSA key', { keys: [{ kty: 'oct', kid: 'one', k: 'AAAA' }] }],
    ['a key for encryption only', { keys: [{ kty: 'RSA', kid: 'one', use: 'enc', n: 'AQAB', e: 'AQAB' }] }],
    ['a key that is too short', { keys: [{ kty: 'RSA', kid: 'one', use: 'sig', n: 'AQAB', e: 'AQAB' }] }],
    ['a key without modulus', { keys: [{ kty: 'RSA', kid: 'one', e: 'AQAB' }] }],
    ['no key set', '{"jwks":[]}'],
    ['no JSON', '<html>'],
  ])('are unusable: %s', async (_, answer) => {
    expect(await outcome(newCheck(answer)(await bearer()))).toBe(UNAVAILABLE)
  })

  it.each([404, 500, 302])('are unusable: status %i', async (status) => {
    const check = newCheck()
    jwks.status = status
    expect(await outcome(check(await bearer()))).toBe(UNAVAILABLE)
  })
})

import { describe, expect, test } from 'vitest'
import { createOwnPathCheck, isOwnRequest, isPlainPath, ownRequestMac } from '../../server/outbound/own-origin.js'
import { isForWallets, isProtocolPath } from './protocol-paths.js'

const UUID = '7f9c24e8-3b12-4fef-91c5-6d8a0e2b4c11'

describe('paths of the OpenID protocol', () => {
  test.each([
    '/.well-known/openid-credential-issuer',
    '/.well-known/openid-credential-issuer/tenant',
    '/openid4vci/token',
    `/openid4vci/offers/${UUID}`,
    '/openid4vp/requests/a_b-c~d.e',
    '/vct/ProofOfPurchase',
    `/status-lists/${UUID}`,
    `/token-status-lists/${UUID}`,
    `/${UUID}/did.json`,
    `/${UUID.toUpperCase()}/.well-known/did.json`,
  ])('%s is included', (path) => {
    expect(isProtocolPath(path)).toBe(true)
  })

  test.each([
    '/',
    '',
    'openid4vci/token',
    '/agent/holder',
    '/holders/1/process',
    '/api/v1/offerings',
    '/trpc/offerings.list',
    '/flows',
    '/schemas',
    '/credentials/verify',
    '/verification-sessions/1',
    '/health/readiness',
    '/did.json',
    '/not-a-uuid/did.json',
    `/${UUID}/did.json/x`,
    `/${UUID}/x/did.json`,
    '/openid4vci',
    '/openid4vci/',
    '/openid4vcix/token',
    '/vct',
  ])('do not include %s', (path) => {
    expect(isProtocolPath(path)).toBe(false)
  })

  test.each([
    ['dot segments', '/openid4vci/../agent/holder'],
    ['single dots', '/openid4vci/./token'],
    ['a trailing dot segment', '/openid4vci/..'],
    ['three dots', '/openid4vci/.../agent'],
    ['encoded dots', '/openid4vci/%2e%2e/agent'],
    ['an encoded slash', '/openid4vci/..%2fagent'],
    ['double encoding', '/openid4vci/%252e%252e%252fagent'],
    ['an encoded letter', '/openid4vci/%74oken'],
    ['an empty segment', '/openid4vci//agent'],
    ['a leading empty segment', '//agent/openid4vci/token'],
    ['a backslash', '/openid4vci/..\\agent'],
    ['a path parameter', '/openid4vci/..;/agent'],
    ['a query', '/openid4vci/token?x'],
    ['a line break', '/openid4vci/token\n/agent'],
    ['a NUL', '/openid4vci/token\0'],
    ['another case', '/OPENID4VCI/token'],
    ['another case of a management path', '/Agent/holder'],
  ])('%s do not make a path a protocol path', (_what, path) => {
    expect(isProtocolPath(path)).toBe(false)
  })

  test('a long hostile path is checked without backtracking', () => {
    expect(isPlainPath(`${'/a.'.repeat(50_000)}%`)).toBe(false)
  })
})

describe('paths below a base URL whose path a proxy removes', () => {
  const allowed = createOwnPathCheck(['https://example.org/credence', 'https://verifier.example.org/'], isForWallets)

  test.each([
    '/credence/openid4vci/token',
    `/credence/${UUID}/did.json`,
    '/.well-known/openid-credential-issuer/credence',
    '/openid4vp/responses/1',
  ])('%s is open', (path) => {
    expect(allowed(path)).toBe(true)
  })

  test.each(['/credence/agent/holder', '/credence', '/credencex/openid4vci/token', '/agent/holder'])(
    '%s is not',
    (path) => {
      expect(allowed(path)).toBe(false)
    },
  )

  test('if every base URL has a path, the host’s root belongs to another service', () => {
    const alone = createOwnPathCheck(['https://example.org/credence/'], isForWallets)
    expect(alone('/openid4vci/token')).toBe(false)
    expect(alone('/.well-known/openid-credential-issuer')).toBe(false)
    expect(alone('/.well-known/openid-credential-issuer/credence')).toBe(true)
    expect(alone('/agent/credence')).toBe(false)
  })
})

describe('the mark of a request to this service itself', () => {
  const key = new Uint8Array(32).fill(7)
  const start = Date.UTC(2026, 0, 1)
  const at = (ms: number) => () => new Date(start + ms)
  const sign = ownRequestMac(key, at(0))
  const mark = sign('POST', 'https://issuer.example/openid4vci/token?x=1')

  test('is accepted for its method and path, with any query', () => {
    expect(isOwnRequest(key, at(0), 'POST', '/openid4vci/token', mark)).toBe(true)
    expect(isOwnRequest(key, at(0), 'post', '/openid4vci/token?y=2', mark)).toBe(true)
  })

  test('contains the time in readable form and a MAC', () => {
    expect(mark).toMatch(new RegExp(`^${start}\\.[A-Za-z0-9_-]{43}$`))
  })

  test.each([
    ['another method', 'GET', '/openid4vci/token'],
    ['another path', 'POST', '/openid4vci/credential'],
    ['another case', 'POST', '/openid4vci/Token'],
    ['a longer path', 'POST', '/openid4vci/token/'],
  ])('is refused for %s', (_what, method, path) => {
    expect(isOwnRequest(key, at(0), method, path, mark)).toBe(false)
  })

  test('is refused under another key', () => {
    expect(isOwnRequest(new Uint8Array(32).fill(8), at(0), 'POST', '/openid4vci/token', mark)).toBe(false)
  })

  test.each([
    [30_000, true],
    [30_001, false],
    [-30_000, true],
    [-30_001, false],
  ])('checked %i ms after it was made: %s', (ms, accepted) => {
    expect(isOwnRequest(key, at(ms), 'POST', '/openid4vci/token', mark)).toBe(accepted)
  })

  test('is refused with another time', () => {
    const later = mark.replace(String(start), String(start + 60_000))
    expect(isOwnRequest(key, at(60_000), 'POST', '/openid4vci/token', later)).toBe(false)
  })

  test.each([undefined, '', '.', 'x', `${start}.`, `${start}.${'A'.repeat(43)}`, `${mark}x`, ` ${mark}`, [mark, mark]])(
    'the header value %s is refused',
    (value) => {
      expect(isOwnRequest(key, at(0), 'POST', '/openid4vci/token', value)).toBe(false)
    },
  )

  test('is made for the path that arrives behind a proxy that removes the base path', () => {
    const behindProxy = ownRequestMac(key, at(0), ['https://example.org/credence', 'https://verifier.example.org'])
    const inner = behindProxy('GET', new URL('https://example.org/credence/vct/Diploma'))
    expect(isOwnRequest(key, at(0), 'GET', '/vct/Diploma', inner)).toBe(true)
    const root = behindProxy('GET', 'https://example.org/.well-known/jwt-vc-issuer/credence')
    expect(isOwnRequest(key, at(0), 'GET', '/.well-known/jwt-vc-issuer/credence', root)).toBe(true)
    const other = behindProxy('GET', 'https://verifier.example.org/vct/Diploma')
    expect(isOwnRequest(key, at(0), 'GET', '/vct/Diploma', other)).toBe(true)
  })
})

import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { type JwksServer, startJwksServer } from './jwks-server.js'

const INVALID = 'Invalid access token.'
const NOT_FOUND = 'Access token signing key was not found.'
const UNAVAILABLE = 'Access token signing keys are unavailable.'

/** Keys of the identity provider by `kid`. No JWK names its algorithm, as with some providers. */
const KEYS = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  k1: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  ed: generateKeyPairSync('ed25519'),
  short: generateKeyPairSync('rsa', { modulusLength: 1024 }),
}
type Kid = keyof typeof KEYS

let jwks: JwksServer
let service: TestService

beforeAll(async () => {
  const published = Object.entries(KEYS).map(([kid, { publicKey }]) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid,
  }))
  jwks = await startJwksServer(published)
  service = await startService({
    env: {
      OIDC_JWKS_URL: jwks.url,
      OIDC_ALGORITHMS: 'RS256,PS256,ES256,EdDSA',
      OIDC_ISSUER: 'https://login.example',
      OIDC_AUDIENCE: 'credence',
    },
  })
})
afterAll(async () => {
  await service.close()
  await jwks.stop()
})

const inAnHour = () => Math.floor(Date.now() / 1000) + 3600
const claims = (more: object = {}) => ({
  sub: 'alice',
  iss: 'https://login.example',
  aud: 'credence',
  exp: inAnHour(),
  ...more,
})
const encoded = (part: unknown) =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
/** The signing input of a JWT. A header or payload is an object, or JSON text that JSON.stringify would never produce. */
const input = (header: unknown, payload: unknown) => `${encoded(header)}.${encoded(payload)}`

const SIGN: Readonly<Record<string, (data: Buffer, key: KeyObject) => Buffer>> = {
  RS256: (data, key) => sign('sha256', data, key),
  PS256: (data, key) => sign('sha256', data, { key, padding: 6, saltLength: 32 }),
  ES256: (data, key) => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (data, key) => sign(null, data, key),
}
const OF_KEY: Readonly<Record<Kid, string>> = { rsa: 'RS256', ec: 'ES256', k1: 'ES256', ed: 'EdDSA', short: 'RS256' }

/** A token that a key of the provider has signed. */
function token(kid: Kid, header: object = {}, payload: unknown = claims(), signing = OF_KEY[kid]): string {
  const signed = input({ alg: OF_KEY[kid], kid, ...header }, payload)
  const signature = SIGN[signing]?.(Buffer.from(signed), KEYS[kid].privateKey)
  return `${signed}.${signature?.toString('base64url')}`
}

/** Returns `accepted`, or the message of the 401. Any other answer fails the test. */
async function outcome(authorization: string): Promise<string> {
  const { status, json } = await service.request('POST', '/credentials/verify', {
    authorization: `Bearer ${authorization}`,
    body: { credential: 'x' },
  })
  if (status === 200) return 'accepted'
  expect(status, authorization.slice(0, 200)).toBe(401)
  return json.message
}

describe('attack: the algorithm', () => {
  it.each<Kid>(['rsa', 'ec', 'ed'])('each key is valid only for its own algorithm: %s', async (kid) => {
    expect(await outcome(token(kid))).toBe('accepted')
  })

  it('an RSA key works with both algorithms, but a signature is valid only for the algorithm in the header', async () => {
    expect(await outcome(token('rsa', { alg: 'PS256' }, claims(), 'PS256'))).toBe('accepted')
    expect(await outcome(token('rsa', { alg: 'PS256' }, claims(), 'RS256'))).toBe(INVALID)
    expect(await outcome(token('rsa', { alg: 'RS256' }, claims(), 'PS256'))).toBe(INVALID)
  })

  it('a header that names an algorithm for which the key is not made is refused (RFC 8725 §3.1)', async () => {
    const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519']
    const fitting = new Set(['rsa RS256', 'rsa PS256', 'ec ES256', 'ed EdDSA', 'ed Ed25519'])
    for (const kid of ['rsa', 'ec', 'ed', 'k1'] as const) {
      for (const alg of algorithms) {
        if (fitting.has(`${kid} ${alg}`)) continue
        expect([INVALID, NOT_FOUND], `${kid} ${alg}`).toContain(await outcome(token(kid, { alg })))
      }
    }
  })

  it.each(['none', 'HS256', 'HS384', 'HS512', 'RS384', 'RS512', 'PS384', 'PS512', 'ES384', 'ES512', 'ES256K', 'Ed448'])(
    '%s is not a configured algorithm',
    async (alg) => {
      const spki = KEYS.rsa.publicKey.export({ format: 'pem', type: 'spki' })
      const signed = input({ alg, kid: 'rsa' }, claims())
      for (const secret of [spki, KEYS.rsa.publicKey.export({ format: 'der', type: 'spki' }), '']) {
        const signature = createHmac(`sha${/^HS(\d+)$/.exec(alg)?.[1] ?? 256}`, secret)
        expect(await outcome(`${signed}.${signature.update(signed).digest('base64url')}`)).toBe(INVALID)
      }
      expect(await outcome(`${signed}.`)).toBe(INVALID)
    },
  )

  it.each([undefined, null, 7, {}, ['RS256'], 'rs256', 'RS256 ', 'RS256\0', '__proto__', 'constructor', 'toString'])(
    'nor is %j',
    async (alg) => {
      expect(await outcome(token('rsa', { alg }))).toBe(INVALID)
    },
  )

  it('an RSA key of less than 2048 bits proves nothing (RFC 7518 §3.3)', async () => {
    expect(await outcome(token('short'))).toBe(UNAVAILABLE)
    // The short key in the key set does not prevent the use of the other keys.
    expect(await outcome(token('rsa'))).toBe('accepted')
  })
})

describe('attack: the signature', () => {
  it('of ES256 is accepted only as r and s in their full length (RFC 7518 §3.4)', async () => {
    const [header, payload, signature = ''] = token('ec').split('.')
    const signed = `${header}.${payload}`
    const bytes = Buffer.from(signature, 'base64url')
    const der = sign('sha256', Buffer.from(signed), KEYS.ec.privateKey)
    const others = [
      der,
      Buffer.alloc(0),
      Buffer.alloc(1),
      Buffer.alloc(63),
      Buffer.alloc(64),
      Buffer.alloc(64, 0xff),
      Buffer.alloc(96),
      Buffer.alloc(8_000, 1),
      bytes.subarray(0, 63),
      bytes.subarray(1),
      Buffer.concat([bytes, Buffer.alloc(1)]),
      Buffer.concat([bytes, bytes]),
      Buffer.concat([Buffer.alloc(1), bytes]),
      Buffer.concat([Buffer.alloc(1), bytes.subarray(0, 32), Buffer.alloc(1), bytes.subarray(32)]),
    ]
    for (const other of others) expect(await outcome(`${signed}.${other.toString('base64url')}`)).toBe(INVALID)
    expect(await outcome(`${signed}.${signature}`)).toBe('accepted')
  })

  it.each<Kid>(['rsa', 'ed'])('of %s must have the right length', async (kid) => {
    const [header, payload, signature = ''] = token(kid).split('.')
    const bytes = Buffer.from(signature, 'base64url')
    const others = [
      Buffer.alloc(0),
      bytes.subarray(1),
      Buffer.concat([bytes, Buffer.alloc(1)]),
      Buffer.alloc(bytes.length),
    ]
    for (const other of others)
      expect(await outcome(`${header}.${payload}.${other.toString('base64url')}`)).toBe(INVALID)
  })

  it('is valid only for the exact sent text: another encoding of the same octets is refused (RFC 7515 §2, RFC 4648 §3.5)', async () => {
    const good = token('ed')
    for (const other of [
      `${good}=`,
      `${good}==`,
      good.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      `${good}.`,
    ]) {
      expect(await outcome(other), other).toBe(INVALID)
    }
  })

  it('counts only in a JWS without extensions: crit and b64 are refused with any value (RFC 7515 §4.1.11, RFC 7797 §3)', async () => {
    for (const header of [
      { crit: ['b64'], b64: false },
      { crit: ['b64'], b64: true },
      { b64: false },
      { b64: true },
      { crit: [] },
      { crit: ['exp'], exp: 1 },
      { crit: null },
    ]) {
      expect(await outcome(token('rsa', header)), JSON.stringify(header)).toBe(INVALID)
    }
  })
})

describe('attack: the claims', () => {
  /**
   * JSON texts with numbers that JavaScript reads as different numbers. JSON.stringify would not produce these texts.
   */
  const written = (member: string) => JSON.stringify(claims({ exp: undefined })).replace('{', `{${member},`)

  it.each([
    ['exp', '"4000000000"'],
    ['exp', 'null'],
    ['exp', 'true'],
    ['exp', '[4000000000]'],
    ['exp', '{}'],
    ['exp', '"NaN"'],
    ['nbf', '"0"'],
    ['nbf', 'null'],
    ['nbf', '1e999'],
    ['nbf', '1e300'],
    ['iat', '"0"'],
    ['iat', '[]'],
    ['iat', 'null'],
  ])('%s of %s is refused', async (claim, value) => {
    const payload = claim === 'exp' ? written(`"exp":${value}`) : written(`"exp":${inAnHour()},"${claim}":${value}`)
    expect(await outcome(token('rsa', {}, payload))).toBe(INVALID)
  })

  it.each(['-1', '0', '-1e999', '1e-300', '1.5'])('an exp of %s has expired', async (exp) => {
    expect(await outcome(token('rsa', {}, written(`"exp":${exp}`)))).toBe('Access token has expired.')
  })

  it('of two members with one name the last member counts, both for the checks and for the result', async () => {
    const twice = written(`"exp":${inAnHour()},"exp":1`)
    expect(await outcome(token('rsa', {}, twice))).toBe('Access token has expired.')
  })

  it.each([
    { iss: ['https://login.example'] },
    { iss: 'https://login.example#' },
    { iss: 'HTTPS://login.example' },
    { iss: null },
    { aud: [['credence']] },
    { aud: { credence: true } },
    { aud: 'credence other' },
    { aud: 'Credence' },
    { aud: [] },
    { aud: null },
    { sub: { toString: 'alice' } },
    { sub: ['alice'] },
  ])('%j is another', async (more) => {
    expect(await outcome(token('rsa', {}, claims(more)))).toBe(INVALID)
  })

  it.each(['null', '7', '"text"', '[]', '[{"sub":"alice"}]', '', '{', '{"sub":"alice"}}', '\u{feff}{}'])(
    'a payload of %s is invalid',
    async (payload) => {
      const signed = `${encoded({ alg: 'RS256', kid: 'rsa' })}.${Buffer.from(payload).toString('base64url')}`
      const signature = sign('sha256', Buffer.from(signed), KEYS.rsa.privateKey).toString('base64url')
      expect(await outcome(`${signed}.${signature}`)).toBe(INVALID)
    },
  )

  it('roles are only texts in a list, not other values that look like a list of texts', async () => {
    const more = {
      realm_access: { roles: { length: 1, 0: 'admin' } },
      resource_access: { constructor: { roles: 'admin' } },
    }
    const { status } = await service.request('GET', '/api/v1/settings', {
      authorization: `Bearer ${token('rsa', {}, claims(more))}`,
    })
    expect(status).toBe(403)
  })
})

describe('attack: the identity provider', () => {
  it('is asked only rarely, even if strangers name many unknown keys', async () => {
    expect(await outcome(token('rsa'))).toBe('accepted')
    const before = jwks.requests
    const kids = ['__proto__', 'constructor', '../../etc', '\u202e', 'x'.repeat(4_000)]
    const asked = Array.from({ length: 200 }, (_, n) => outcome(token('rsa', { kid: kids[n] ?? `stranger ${n}` })))
    expect(new Set(await Promise.all(asked))).toEqual(new Set([NOT_FOUND]))
    expect(jwks.requests - before).toBeLessThanOrEqual(2)
  })

  it('is not asked for a token that is refused in any case', async () => {
    const before = jwks.requests
    expect(await outcome(`${input({ alg: 'HS256', kid: 'never seen' }, claims())}.AAAA`)).toBe(INVALID)
    expect(await outcome(`${input({ alg: 'RS256', kid: 'never seen', crit: ['x'] }, claims())}.AAAA`)).toBe(INVALID)
    expect(jwks.requests).toBe(before)
  })
})

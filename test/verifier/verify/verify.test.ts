import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postOffering, postSchema, SUBJECT } from '../../issuer/purchase.js'
import { query, tableNames } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'

const UNSUPPORTED = 'Unsupported credential format. Expected compact JWT (x.y.z) or SD-JWT.'

let service: TestService
let now = Date.now()
let alice: string
let type: string

beforeAll(async () => {
  service = await startService({ clock: () => new Date(now) })
  alice = await service.bearer('alice', { expiresIn: 1_000_000 })
  type = (await postSchema(service, alice, { expiresInDays: 1 })).name
})
afterAll(() => service.close())

const post = (body: unknown) => service.request('POST', '/credentials/verify', { authorization: alice, body })

/** Verifies a credential and returns the answer. Checks that the status is 200. */
async function verify(credential: string) {
  const answer = await post({ credential })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  return answer.json
}

async function sign(format: 'jwt_vc_json' | 'dc+sd-jwt'): Promise<{ id: string; credential: string }> {
  const body = { type, credential_subject: SUBJECT, format }
  return (await service.request('POST', '/credentials/sign', { authorization: alice, body })).json
}

const revoke = (id: string) => service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })

/** Replaces one character of a segment by a different character, so that the segment stays well-formed. */
function flipped(compact: string, segment: number, at = 20): string {
  const parts = compact.split('.')
  const part = parts[segment] ?? ''
  parts[segment] = `${part.slice(0, at)}${part[at] === 'A' ? 'B' : 'A'}${part.slice(at + 1)}`
  return parts.join('.')
}

const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('POST /credentials/verify: a valid credential', () => {
  it('of SD-JWT gives `dc+sd-jwt`, the signed body, and the claims with their disclosures', async () => {
    const { credential } = await sign('dc+sd-jwt')
    const payload = decodeJwt(credential.split('~')[0] ?? '')
    const { _sd, _sd_alg, ...plain } = payload
    expect(await verify(credential)).toEqual({
      isValid: true,
      format: 'dc+sd-jwt',
      payload,
      prettyClaims: { ...plain, ...SUBJECT },
    })
    expect(_sd).toHaveLength(2)
  })

  it('of SD-JWT without some disclosures shows only the other claims', async () => {
    const { credential } = await sign('dc+sd-jwt')
    const [jwt, first] = credential.split('~')
    const { prettyClaims } = await verify(`${jwt}~${first}~`)
    expect(Object.keys(SUBJECT).filter((name) => name in prettyClaims)).toHaveLength(1)
    expect((await verify(`${jwt}~`)).prettyClaims).not.toHaveProperty('product')
  })

  it('of JWT VC gives `jwt_vc` and the payload, no prettyClaims', async () => {
    const { credential } = await sign('jwt_vc_json')
    expect(await verify(credential)).toEqual({ isValid: true, format: 'jwt_vc', payload: decodeJwt(credential) })
  })

  it('is `proof.jws` of every `vc` of this service, unchanged', async () => {
    const offering = await postOffering(service, { credential_type: type })
    const { json } = await service.request('POST', `/api/v1/offerings/${offering.id}/claim`, { authorization: alice })
    expect((await verify(json.vc.proof.jws)).isValid).toBe(true)
  })

  it('stores nothing and makes no session: no row is added or changed', async () => {
    // The maintenance job counts earlier issuances in the tables of statistics at any time.
    const tables = (await tableNames(service.databaseUrl)).filter((name) => !name.startsWith('public.statistics'))
    const state = async () => {
      const counts = tables.map(
        (name) => `SELECT '${name}' AS name, md5(string_agg(t::text, '' ORDER BY t::text)) FROM ${name} t`,
      )
      return query(service.databaseUrl, `${counts.join(' UNION ALL ')} ORDER BY 1`)
    }
    const { credential } = await sign('dc+sd-jwt')
    const { credential: jwt, id } = await sign('jwt_vc_json')
    await revoke(id)
    const before = await state()
    for (const text of [credential, jwt, 'x..y', flipped(credential, 2)]) await verify(text)
    expect(await state()).toEqual(before)
    expect(before.length).toBeGreaterThan(15)
  })
})

describe('POST /credentials/verify: an invalid credential', () => {
  const invalid = (error: unknown) => ({ isValid: false, error })

  it.each(['x..y', 'x.y', 'x.y.z.w', '.y.z', 'x.y.', 'credential', ' ', '{"vc":{}}'])(
    'of neither format (%s) is unsupported',
    async (text) => {
      expect(await verify(text)).toEqual(invalid(UNSUPPORTED))
    },
  )

  it.each(['a~', '~', '~~', 'x.y~', 'a.b.c.d~'])(
    'with a ~ is an SD-JWT, in this case a damaged one (%s)',
    async (text) => {
      expect(await verify(text)).toEqual(invalid(expect.stringMatching(/^Credential is not a well-formed JWT: .+/)))
    },
  )

  it('that only looks like a JWT is not well-formed', async () => {
    expect(await verify('a.b.c')).toEqual(invalid(expect.stringMatching(/^Credential is not a well-formed JWT: .+/)))
  })

  it.each(['jwt_vc_json', 'dc+sd-jwt'] as const)('of %s with a changed signature', async (format) => {
    const { credential } = await sign(format)
    expect(await verify(flipped(credential, 2))).toEqual(invalid('Credential signature is invalid.'))
  })

  it('of JWT VC with a changed subject', async () => {
    const { credential } = await sign('jwt_vc_json')
    const [header, , signature] = credential.split('.')
    const payload = decodeJwt<{ vc: { credentialSubject: unknown } }>(credential)
    const forged = { ...payload, vc: { ...payload.vc, credentialSubject: { ...SUBJECT, price: 1 } } }
    expect(await verify(`${header}.${b64(forged)}.${signature}`)).toEqual(invalid('Credential signature is invalid.'))
  })

  it('of SD-JWT with a changed, added or repeated disclosure', async () => {
    const { credential } = await sign('dc+sd-jwt')
    const [jwt = '', first = '', second = ''] = credential.split('~')
    const added = b64(['c2FsdA', 'price', 1])
    expect((await verify(`${jwt}~${first}~${added}~`)).isValid).toBe(false)
    expect((await verify(`${jwt}~${first}~${second}~${second}~`)).isValid).toBe(false)
    expect((await verify(`${jwt}~${first}~~`)).isValid).toBe(false)
  })

  it.each([
    ['none', { alg: 'none' }, ''],
    ['HS256', { alg: 'HS256' }, 'c2lnbmF0dXJl'],
  ])('signed with %s', async (_name, change, signature) => {
    const { credential } = await sign('jwt_vc_json')
    const [header = '', payload] = credential.split('.')
    const changed = b64({ ...JSON.parse(Buffer.from(header, 'base64url').toString()), ...change })
    const { isValid, error } = await verify(`${changed}.${payload}.${signature === '' ? 'AA' : signature}`)
    expect([isValid, error]).toEqual([
      false,
      expect.stringContaining(`Signature algorithm ${change.alg} is not allowed`),
    ])
  })

  it.each(['jwt_vc_json', 'dc+sd-jwt'] as const)('of %s that has expired, without any leeway', async (format) => {
    const { credential } = await sign(format)
    const { exp = 0 } = decodeJwt(credential.split('~')[0] ?? '')
    const issued = now
    try {
      now = exp * 1000 - 1
      expect((await verify(credential)).isValid).toBe(true)
      now = exp * 1000
      expect(await verify(credential)).toEqual(invalid('Credential has expired.'))
    } finally {
      now = issued
    }
  })

  it('of the future: nbf and iat have a leeway of 60 s', async () => {
    const { credential } = await sign('jwt_vc_json')
    const { nbf = 0 } = decodeJwt(credential)
    const issued = now
    try {
      now = (nbf - 60) * 1000
      expect((await verify(credential)).isValid).toBe(true)
      now = (nbf - 61) * 1000
      expect(await verify(credential)).toEqual(invalid(expect.stringContaining('is not valid yet')))
    } finally {
      now = issued
    }
  })

  it.each(['jwt_vc_json', 'dc+sd-jwt'] as const)('of %s from the moment of its revocation', async (format) => {
    const { id, credential } = await sign(format)
    expect((await verify(credential)).isValid).toBe(true)
    await revoke(id)
    expect(await verify(credential)).toEqual(invalid('Credential has been revoked.'))
  })

  it('with a trailing Key Binding JWT: presentations are not evaluated, and do not count as credentials', async () => {
    const { credential } = await sign('dc+sd-jwt')
    expect(await verify(`${credential}eyJhbGciOiJFUzI1NiIsInR5cCI6ImtiK2p3dCJ9.e30.c2ln`)).toEqual(
      invalid('Credential carries a Key Binding JWT: presentations are not verified here.'),
    )
    // The text after the last ~ need not be a JWT.
    expect((await verify(`${credential}x`)).isValid).toBe(false)
  })

  it('that is another JWT of the issuer’s key: a status list, a domain linkage credential', async () => {
    const [list] = await query(service.databaseUrl, 'SELECT id FROM status_lists LIMIT 1')
    const bitstring = await service.request('GET', `/status-lists/${list?.id}`)
    const token = await service.request('GET', `/token-status-lists/${list?.id}`)
    expect(await verify(bitstring.text)).toEqual(invalid('Credential has no vc object.'))
    expect(await verify(token.text)).toEqual(invalid('Credential typ is neither JWT nor vc+jwt.'))
    expect(await verify(`${token.text}~`)).toEqual(invalid('Credential typ is neither dc+sd-jwt nor vc+sd-jwt.'))
  })

  it('one format that is declared as the other', async () => {
    const jwt = (await sign('jwt_vc_json')).credential
    const [sdJwt = ''] = (await sign('dc+sd-jwt')).credential.split('~')
    expect(await verify(`${jwt}~`)).toEqual(invalid('Credential typ is neither dc+sd-jwt nor vc+sd-jwt.'))
    expect(await verify(sdJwt)).toEqual(invalid('Credential typ is neither JWT nor vc+jwt.'))
  })
})

describe('POST /credentials/verify: the request', () => {
  it.each([
    ['no credential', {}, 'credential must be defined'],
    ['an empty one', { credential: '' }, 'credential must not be empty'],
    ['one that is no string', { credential: { jwt: 'x.y.z' } }, 'credential must be a string'],
    ['null', { credential: null }, 'credential must be a string'],
    ['an unknown property', { credential: 'x.y.z', nonce: '1' }, 'property nonce should not exist'],
  ])('answers 400 with the envelope for %s', async (_what, body, message) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual({
      statusCode: 400,
      message: [message],
      error: 'Bad Request',
      path: '/credentials/verify',
      timestamp: expect.any(String),
    })
  })

  it('needs a Bearer token, without a specific role unless VERIFIER_ROLE is set', async () => {
    const body = { credential: 'x..y' }
    expect((await service.request('POST', '/credentials/verify', { body, client: true })).status).toBe(401)
    await using restricted = await startService({
      databaseUrl: service.databaseUrl,
      identityProvider: service.identityProvider,
      env: { VERIFIER_ROLE: 'verifier' },
    })
    const refused = await restricted.request('POST', '/credentials/verify', { authorization: alice, body })
    expect([refused.status, refused.json.message]).toEqual([403, 'Insufficient role.'])
    const authorization = await service.bearer('vera', { roles: ['verifier'] })
    const answer = await restricted.request('POST', '/credentials/verify', { authorization, body })
    expect(answer.json).toEqual({ isValid: false, error: UNSUPPORTED })
  })
})

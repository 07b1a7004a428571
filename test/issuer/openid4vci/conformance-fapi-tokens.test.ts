import { generateKeyPairSync } from 'node:crypto'
import { request } from 'node:http'
import { CompactSign } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newWallet } from '../../support/wallet-actor.js'
import { refusalOf, SD_JWT } from './actors.js'
import { CREDENTIAL, type Parameters, type Suite, startSuite, TOKEN } from './conformance-actors.js'

let suite: Suite
beforeAll(async () => {
  suite = await startSuite()
})
afterEach(() => {
  suite.clock.ahead = 0
})
afterAll(() => suite.close())

const seconds = () => Math.floor(suite.clock.now().getTime() / 1000)

describe('modules about codes and tokens', () => {
  it('fapi2-security-profile-final-happy-flow', async () => {
    for (const by of [suite.first, suite.second]) {
      const answer = await suite.redeem(await suite.granted({}, { by }), { by })
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.json).toMatchObject({ token_type: 'DPoP', expires_in: 3600, scope: SD_JWT })
      const { access_token: token } = answer.json
      const proofs = { jwt: [await suite.keyProof(await newWallet())] }
      const taken = await suite.requestCredential(token, { credential_configuration_id: SD_JWT, proofs }, {}, by)
      expect(taken.status, taken.text).toBe(200)
    }
  })

  it('fapi2-security-profile-final-access-token-type-header-case-sensitivity', async () => {
    const { access_token: token } = await suite.tokens()
    for (const scheme of ['dpop', 'DPOP', 'dPoP'])
      expect((await suite.take(token, { authorization: `${scheme} ${token}` })).status).toBe(200)
  })

  it('fapi2-security-profile-final-ensure-client-id-in-token-endpoint', async () => {
    const granted = await suite.granted()
    const refused = await suite.redeem(granted, {}, { client_id: suite.second.id })
    expect(refusalOf(refused).slice(0, 2)).toEqual([401, 'invalid_client'])
    expect((await suite.redeem(granted)).status).toBe(200)
  })

  it('fapi2-security-profile-final-ensure-holder-of-key-required', async () => {
    const granted = await suite.granted()
    expect(refusalOf(await suite.redeem(granted, { dpop: null })).slice(0, 2)).toEqual([400, 'invalid_dpop_proof'])
    expect((await suite.redeem(granted)).status).toBe(200)
  })

  it('fapi2-security-profile-final-ensure-authorization-code-is-bound-to-client', async () => {
    const granted = await suite.granted()
    expect(refusalOf(await suite.redeem(granted, { by: suite.second })).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect((await suite.redeem(granted)).status).toBe(200)
  })

  it('fapi2-security-profile-final-attempt-reuse-authorization-code-after-one-second', async () => {
    const granted = await suite.granted()
    const { access_token: token } = (await suite.redeem(granted)).json
    expect((await suite.take(token)).status).toBe(200)
    suite.clock.ahead += 1
    expect(refusalOf(await suite.redeem(granted)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect(refusalOf(await suite.take(token)).slice(0, 2)).toEqual([401, 'invalid_token'])
  })

  it('fapi2-security-profile-final-ensure-token-endpoint-fails-with-expired-auth-code', async () => {
    const granted = await suite.granted()
    suite.clock.ahead += 61
    expect(refusalOf(await suite.redeem(granted)).slice(0, 2)).toEqual([400, 'invalid_grant'])
  })

  it('fapi2-security-profile-final-refresh-token', async () => {
    const { refresh_token: token, access_token: before } = await suite.tokens()
    const form = { grant_type: 'refresh_token', refresh_token: token, scope: SD_JWT }
    // RFC 9449 §5: the refresh token is bound to the attested wallet instance. The wallet may use a new key for its
    // access token.
    const key = await newWallet()
    const refreshed = await suite.requestToken(form, { by: { ...suite.first, key } })
    expect(refreshed.json).toMatchObject({ token_type: 'DPoP', scope: SD_JWT })
    expect(refreshed.json).not.toHaveProperty('refresh_token')
    expect(refreshed.json.access_token).not.toBe(before)
    const proofs = { jwt: [await suite.keyProof(await newWallet())] }
    const request = { credential_configuration_id: SD_JWT, proofs }
    const wrong = await suite.requestCredential(refreshed.json.access_token, request)
    expect(refusalOf(wrong).slice(0, 2)).toEqual([401, 'invalid_token'])
    const taken = await suite.requestCredential(refreshed.json.access_token, request, {}, { ...suite.first, key })
    expect(taken.status, taken.text).toBe(200)

    const instance = await newWallet()
    const attempts = [
      [{ by: { ...suite.first, instance } }, 401, 'invalid_client'],
      [{ attestation: null }, 401, 'invalid_client'],
      [{ dpop: null }, 400, 'invalid_dpop_proof'],
      [{ by: suite.second }, 400, 'invalid_grant'],
    ] as const
    for (const [sent, status, error] of attempts)
      expect(refusalOf(await suite.requestToken(form, sent)).slice(0, 2)).toEqual([status, error])
    expect((await suite.requestToken(form)).status).toBe(200)
  })
})

describe('modules about the times of DPoP proofs', () => {
  it('fapi2-security-profile-final-check-dpop-proof-nbf-exp', async () => {
    const times = { nbf: seconds() - 10, exp: seconds() + 60 }
    const granted = await suite.granted()
    const dpop = await suite.proofOf(suite.first.key, TOKEN, undefined, { payload: times })
    const { access_token: token } = (await suite.redeem(granted, { dpop })).json
    const proof = (payload: Record<string, unknown>) => suite.proofOf(suite.first.key, CREDENTIAL, token, { payload })
    expect((await suite.take(token, { dpop: await proof(times) })).status).toBe(200)
    for (const payload of [{ exp: seconds() - 3_600 }, { nbf: seconds() + 3_600 }]) {
      const refused = await suite.take(token, { dpop: await proof(payload) })
      expect(refusalOf(refused).slice(0, 2)).toEqual([401, 'invalid_dpop_proof'])
    }
  })

  it.each([
    ['fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-before-succeeds', -10],
    ['fapi2-security-profile-final-ensure-dpopproof-with-iat-10seconds-after-succeeds', 10],
  ])('%s', async (_module, shift) => {
    const at = { payload: { iat: seconds() + shift } }
    const dpop = await suite.proofOf(suite.first.key, TOKEN, undefined, at)
    const { access_token: token } = (await suite.redeem(await suite.granted(), { dpop })).json
    const proof = await suite.proofOf(suite.first.key, CREDENTIAL, token, at)
    expect((await suite.take(token, { dpop: proof })).status).toBe(200)
  })
})

/** Replaces one part of a compact JWT. */
const withPart = (compact: string, index: 0 | 2, change: (part: string) => string) =>
  compact
    .split('.')
    .map((part, at) => (at === index ? change(part) : part))
    .join('.')

const withHeader = (compact: string, change: (header: Record<string, unknown>) => Record<string, unknown>) =>
  withPart(compact, 0, (part) =>
    Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(part, 'base64url').toString())))).toString('base64url'),
  )

describe('fapi2-security-profile-final-dpop-negative-tests', () => {
  let token: string
  beforeAll(async () => {
    token = (await suite.tokens()).access_token
  })
  type Members = Readonly<Record<string, unknown>>
  const proof = (payload: Members = {}, header: Members = {}) =>
    suite.proofOf(suite.first.key, CREDENTIAL, token, { payload, header })
  const otherAlgorithm = async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const [, payload = ''] = (await proof()).split('.')
    return new CompactSign(Buffer.from(payload, 'base64url'))
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'RS256', jwk: publicKey.export({ format: 'jwk' }) })
      .sign(privateKey)
  }

  const refused: [string, () => Promise<string>][] = [
    ['more than one DPoP header', async () => `${await proof()}, ${await proof()}`],
    ['no well-formed JWT', async () => (await proof()).replaceAll('.', '')],
    ['no typ', () => proof({}, { typ: undefined })],
    ['no alg', async () => withHeader(await proof(), ({ alg: _, ...rest }) => rest)],
    ['no jwk', () => proof({}, { jwk: undefined })],
    ['no jti', () => proof({ jti: undefined })],
    ['no htm', () => proof({ htm: undefined })],
    ['no htu', () => proof({ htu: undefined })],
    ['no iat', () => proof({ iat: undefined })],
    ['no ath', () => proof({ ath: undefined })],
    ['another typ', () => proof({}, { typ: 'JWT' })],
    ['RS256', otherAlgorithm],
    [
      'alg none',
      async () =>
        withPart(
          withHeader(await proof(), (header) => ({ ...header, alg: 'none' })),
          2,
          () => '',
        ),
    ],
    ['a bad signature', async () => withPart(await proof(), 2, (part) => part.split('').reverse().join(''))],
    ['a private key in jwk', () => proof({}, { jwk: suite.first.key.privateJwk })],
    ['another htm', () => proof({ htm: 'PUT' })],
    ['another htu', () => proof({ htu: `${suite.base}/openid4vci/other` })],
    ['iat in an hour', () => proof({ iat: seconds() + 3_600 })],
    ['iat an hour ago', () => proof({ iat: seconds() - 3_600 })],
    ['another ath', () => proof({ ath: Buffer.alloc(32).toString('base64url') })],
    ['the key of another', async () => suite.proofOf(await newWallet(), CREDENTIAL, token)],
    [
      'a signature by another key',
      async () => suite.proofOf(suite.first.key, CREDENTIAL, token, { by: (await newWallet()).signer }),
    ],
  ]
  it.each(refused)('%s is refused', async (_what, made) => {
    const answer = await suite.take(token, { dpop: await made() })
    expect(answer.status).toBe(401)
    expect(['invalid_dpop_proof', 'invalid_token']).toContain(answer.json.error)
  })

  it('a used proof is refused', async () => {
    const dpop = await proof()
    expect((await suite.take(token, { dpop })).status).toBe(200)
    expect(refusalOf(await suite.take(token, { dpop })).slice(0, 2)).toEqual([401, 'invalid_dpop_proof'])
  })

  it.each(['DPoP', 'Bearer'])('no proof, with the scheme %s, is refused', async (scheme) => {
    const proofs = { jwt: [await suite.keyProof(await newWallet())] }
    const answer = await suite.service.request('POST', CREDENTIAL, {
      authorization: `${scheme} ${token}`,
      body: { credential_configuration_id: SD_JWT, proofs },
    })
    expect(answer.status).toBe(401)
  })

  it('a header whose name is in capitals is accepted', async () => {
    const proofs = { jwt: [await suite.keyProof(await newWallet())] }
    const headers = { Authorization: `DPoP ${token}`, DPOP: await proof(), 'Content-Type': 'application/json' }
    // fetch would write the name of the header in small letters.
    const status = await new Promise((resolve, reject) => {
      const sent = request(`${suite.service.url}${CREDENTIAL}`, { method: 'POST', headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      sent.on('error', reject)
      sent.end(JSON.stringify({ credential_configuration_id: SD_JWT, proofs }))
    })
    expect(status).toBe(200)
  })

  const taken: [string, () => Promise<Parameters>][] = [
    ['htu with query and fragment', async () => ({ dpop: await proof({ htu: `${suite.base}${CREDENTIAL}?a=b#c` }) })],
    ['htu without query', async () => ({ dpop: await proof() })],
    ['members that nobody knows', async () => ({ dpop: await proof({ other: 'x' }, { other: 'y' }) })],
    [
      'scheme and host in capitals',
      async () => ({
        dpop: await proof({
          htu: `${suite.base.replace(/^https:\/\/[^/]+/, (part) => part.toUpperCase())}${CREDENTIAL}`,
        }),
      }),
    ],
    ['the default port', async () => ({ dpop: await proof({ htu: `${suite.base}:443${CREDENTIAL}` }) })],
    ['nothing unusual', async () => ({ dpop: await proof() })],
  ]
  it.each(taken)('%s is accepted', async (_what, made) => {
    const answer = await suite.take(token, await made())
    expect(answer.status, answer.text).toBe(200)
  })
})

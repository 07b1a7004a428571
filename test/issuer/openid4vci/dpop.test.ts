import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { signCompact } from '../../../server/protocol/jose/jws.js'
import { query } from '../../support/postgres.js'
import type { Answer } from '../../support/service.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import { type Issuer, movingClock, PRE_AUTHORIZED, refusalOf, SD_JWT, startIssuer } from './actors.js'

const clock = movingClock()
let issuer: Issuer
let wallet: WalletActor

beforeAll(async () => {
  // The clock moves, and the job would remove the rows that are counted.
  issuer = await startIssuer({ clock: clock.now, maintenance: false })
  wallet = await newWallet()
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

const hash = (text: string) => createHash('sha256').update(text).digest('base64url')

/** Makes a proof for an endpoint and for the access token of the request. */
const proofFor = (path: string, token?: string, payload: Record<string, unknown> = {}, by: WalletActor = wallet) =>
  signCompact(
    by.signer,
    { typ: 'dpop+jwt', kid: undefined, jwk: by.publicJwk },
    {
      jti: crypto.randomUUID(),
      htm: 'POST',
      htu: `${issuer.service.url}${path}`,
      iat: Math.floor(clock.now().getTime() / 1000),
      ...(token === undefined ? {} : { ath: hash(token) }),
      ...payload,
    },
  )

const newOffer = async () => (await issuer.makeOffer()).credentialOfferSessionId as string

async function requestToken(
  dpop: string | undefined,
  code?: string,
  more: Record<string, string> = {},
): Promise<Answer> {
  const form = {
    grant_type: PRE_AUTHORIZED,
    'pre-authorized_code': code ?? (await issuer.code(await newOffer())),
    ...more,
  }
  return issuer.requestToken(form, dpop === undefined ? {} : { headers: { dpop } })
}

async function boundToken(): Promise<string> {
  const answer = await requestToken(await proofFor('/openid4vci/token'))
  expect(answer.status, answer.text).toBe(200)
  return answer.json.access_token
}

const CREDENTIAL = '/openid4vci/credential'

async function take(authorization: string, headers: Record<string, string> = {}): Promise<Answer> {
  const iat = Math.floor(clock.now().getTime() / 1000)
  const jwt = [await wallet.proof(issuer.service.url, await issuer.nonce(), { payload: { iat } })]
  const body = { credential_configuration_id: SD_JWT, proofs: { jwt } }
  return issuer.service.request('POST', CREDENTIAL, { authorization, headers, body })
}

describe('tokens that are bound to a key (RFC 9449 §5)', () => {
  it('are of type DPoP and valid for an hour; with the token and new proofs a wallet takes a credential and sends a notification', async () => {
    const answer = await requestToken(await proofFor('/openid4vci/token'))
    expect(answer.json).toMatchObject({ token_type: 'DPoP', expires_in: 3600 })
    const token = answer.json.access_token
    const taken = await take(`DPoP ${token}`, { dpop: await proofFor(CREDENTIAL, token) })
    expect(taken.status, taken.text).toBe(200)
    const notified = await issuer.service.request('POST', '/openid4vci/notification', {
      authorization: `dpop ${token}`,
      headers: { dpop: await proofFor('/openid4vci/notification', token) },
      body: { notification_id: taken.json.notification_id, event: 'credential_accepted' },
    })
    expect(notified.status).toBe(204)
  })

  it('are valid for longer than Bearer tokens, and expire', async () => {
    const token = await boundToken()
    clock.ahead += 3_599
    expect((await take(`DPoP ${token}`, { dpop: await proofFor(CREDENTIAL, token) })).status).toBe(200)
    clock.ahead += 2
    const late = await take(`DPoP ${token}`, { dpop: await proofFor(CREDENTIAL, token) })
    expect(refusalOf(late).slice(0, 2)).toEqual([401, 'invalid_token'])
  })

  it('are announced in the metadata', async () => {
    const { json } = await issuer.service.request('GET', '/.well-known/oauth-authorization-server')
    expect(json.dpop_signing_alg_values_supported).toEqual(['ES256', 'ES384', 'EdDSA', 'PS256'])
  })
})

describe('a refused proof uses up nothing (RFC 9449 §4.3)', () => {
  it('at the token endpoint: the code stays valid, and the answer has a nonce', async () => {
    const code = await issuer.code(await newOffer())
    for (const dpop of ['e30.e30.x', await proofFor(CREDENTIAL), `${await proofFor('/openid4vci/token')}, x`]) {
      const answer = await requestToken(dpop, code)
      expect(refusalOf(answer).slice(0, 2)).toEqual([400, 'invalid_dpop_proof'])
      expect(answer.headers.get('dpop-nonce')).toMatch(/^[\w-]{20,}$/)
    }
    expect((await requestToken(await proofFor('/openid4vci/token'), code)).status).toBe(200)
  })

  it('at a resource: 401 with the challenge of the scheme (§7.1)', async () => {
    const token = await boundToken()
    for (const dpop of [
      'e30.e30.x',
      await proofFor(CREDENTIAL),
      await proofFor(CREDENTIAL, 'another token'),
      await proofFor('/openid4vci/notification', token),
    ]) {
      const answer = await take(`DPoP ${token}`, { dpop })
      expect(refusalOf(answer).slice(0, 2)).toEqual([401, 'invalid_dpop_proof'])
      expect(answer.headers.get('www-authenticate')).toBe(
        'DPoP error="invalid_dpop_proof", algs="ES256 ES384 EdDSA PS256"',
      )
    }
    expect((await take(`DPoP ${token}`, { dpop: await proofFor(CREDENTIAL, token) })).status).toBe(200)
  })

  it('names the endpoint by the base URL, not by the Host header', async () => {
    const htu = 'http://evil.example/openid4vci/token'
    const answer = await requestToken(await proofFor('/openid4vci/token', undefined, { htu }))
    expect(refusalOf(answer).slice(0, 2)).toEqual([400, 'invalid_dpop_proof'])
  })
})

describe('a proof counts once (§11.1)', () => {
  it('at the token endpoint', async () => {
    const dpop = await proofFor('/openid4vci/token')
    expect((await requestToken(dpop)).status).toBe(200)
    const code = await issuer.code(await newOffer())
    const again = await requestToken(dpop, code)
    expect(refusalOf(again)).toEqual([400, 'invalid_dpop_proof', 'The DPoP proof has been used already.'])
    expect((await requestToken(undefined, code)).status).toBe(200)
  })

  it('at a resource, also when fifty come at once', async () => {
    const token = await boundToken()
    const dpop = await proofFor(CREDENTIAL, token)
    const requests = Array.from({ length: 50 }, () =>
      issuer.service.request('POST', CREDENTIAL, { authorization: `DPoP ${token}`, headers: { dpop }, body: {} }),
    )
    const answers = await Promise.all(requests)
    // The only accepted request then fails because its body is empty.
    expect(answers.filter(({ json }) => json.error === 'invalid_credential_request')).toHaveLength(1)
    expect(answers.filter(({ status, json }) => status === 401 && json.error === 'invalid_dpop_proof')).toHaveLength(49)
  })

  it('is stored only for existing tokens, so that a stranger cannot fill a table', async () => {
    const count = async () =>
      (
        await query<{ n: number }>(issuer.service.databaseUrl, 'SELECT count(DISTINCT hash)::int AS n FROM used_nonces')
      )[0]?.n
    const before = await count()
    await take('DPoP nobody', { dpop: await proofFor(CREDENTIAL, 'nobody') })
    const token = await boundToken()
    const thief = await newWallet()
    await take(`DPoP ${token}`, { dpop: await proofFor(CREDENTIAL, token, {}, thief) })
    // The two rows are for the code and the proof of the token request.
    expect(await count()).toBe((before ?? 0) + 2)
  })
})

describe('attacks with bound tokens (§7)', () => {
  it('sent as Bearer, without a proof, or with the proof of another key', async () => {
    const token = await boundToken()
    const thief = await newWallet()
    const attempts: [string, Record<string, string>][] = [
      [`Bearer ${token}`, {}],
      [`Bearer ${token}`, { dpop: await proofFor(CREDENTIAL, token) }],
      [`DPoP ${token}`, {}],
      [`DPoP ${token}`, { dpop: await proofFor(CREDENTIAL, token, {}, thief) }],
    ]
    for (const [authorization, headers] of attempts) {
      const answer = await take(authorization, headers)
      expect(refusalOf(answer).slice(0, 2)).toEqual([401, 'invalid_token'])
      expect(answer.headers.get('www-authenticate')).toContain('DPoP error="invalid_token"')
    }
    expect((await take(`DPoP ${token}`, { dpop: await proofFor(CREDENTIAL, token) })).status).toBe(200)
  })

  it('a Bearer token with the scheme DPoP', async () => {
    const answer = await requestToken(undefined)
    expect(answer.json).toMatchObject({ token_type: 'Bearer', expires_in: 300 })
    const token = answer.json.access_token
    const sent = await take(`DPoP ${token}`, { dpop: await proofFor(CREDENTIAL, token) })
    expect(refusalOf(sent)).toEqual([401, 'invalid_token', 'The access token must be sent as Bearer.'])
    expect((await take(`Bearer ${token}`)).status).toBe(200)
  })
})

describe('nonces for proofs (§8)', () => {
  it('come with every answer, and are valid for five minutes', async () => {
    const nonceAnswer = await issuer.service.request('POST', '/openid4vci/nonce')
    const nonce = nonceAnswer.headers.get('dpop-nonce') ?? ''
    const token = await requestToken(await proofFor('/openid4vci/token', undefined, { nonce }))
    expect(token.status, token.text).toBe(200)
    expect(token.headers.get('dpop-nonce')).not.toBeNull()
    const { access_token: value } = token.json
    const first = await take(`DPoP ${value}`, { dpop: await proofFor(CREDENTIAL, value, { nonce }) })
    expect(first.headers.get('dpop-nonce')).not.toBeNull()
    expect(first.status).toBe(200)
    clock.ahead += 301
    const old = await requestToken(await proofFor('/openid4vci/token', undefined, { nonce }))
    expect(refusalOf(old).slice(0, 2)).toEqual([400, 'use_dpop_nonce'])
    const atResource = await take(`DPoP ${value}`, { dpop: await proofFor(CREDENTIAL, value, { nonce }) })
    expect(refusalOf(atResource).slice(0, 2)).toEqual([401, 'use_dpop_nonce'])
    expect(atResource.headers.get('www-authenticate')).toContain('DPoP error="use_dpop_nonce"')
    const fresh = atResource.headers.get('dpop-nonce') ?? ''
    const retried = await requestToken(await proofFor('/openid4vci/token', undefined, { nonce: fresh }))
    expect(retried.status).toBe(200)
  })

  it('are not accepted as c_nonces, and c_nonces are not accepted as nonces for proofs', async () => {
    const answer = await requestToken(await proofFor('/openid4vci/token', undefined, { nonce: await issuer.nonce() }))
    expect(refusalOf(answer).slice(0, 2)).toEqual([400, 'use_dpop_nonce'])
  })
})

describe('scope of a token request (RFC 6749)', () => {
  it('scope restricts the offer, and the answer has the granted scope (§3.3); unknown values are ignored', async () => {
    const answer = await requestToken(undefined, undefined, { scope: `openid ${SD_JWT} nonsense` })
    expect(answer.json).toMatchObject({ scope: SD_JWT })
    expect(answer.json).not.toHaveProperty('authorization_details')
    const refused = await issuer.take(answer.json.access_token, 'ProofOfPurchase')
    expect(refusalOf(refused).slice(0, 2)).toEqual([403, 'insufficient_scope'])
    expect((await issuer.take(answer.json.access_token, SD_JWT)).status).toBe(200)
  })

  it('for a scope without any part of the offer the answer has the scope that was granted instead (§3.3)', async () => {
    const answer = await requestToken(undefined, undefined, { scope: 'openid __proto__ constructor' })
    expect(answer.json).toMatchObject({ scope: `ProofOfPurchase ${SD_JWT}` })
    expect((await issuer.take(answer.json.access_token, SD_JWT)).status).toBe(200)
  })

  it('scope gives no credential identifiers, and is used together with authorization_details (OpenID4VCI 1.0 §5.1.2)', async () => {
    const detail = { type: 'openid_credential', credential_configuration_id: 'ProofOfPurchase' }
    const answer = await requestToken(undefined, undefined, {
      scope: SD_JWT,
      authorization_details: JSON.stringify([detail]),
    })
    expect(answer.json.scope).toBe(SD_JWT)
    expect(answer.json.authorization_details).toEqual([{ ...detail, credential_identifiers: ['ProofOfPurchase'] }])
    const jwt = [await wallet.proof(issuer.service.url, await issuer.nonce())]
    const byIdentifier = { credential_identifier: SD_JWT, proofs: { jwt } }
    const refused = await issuer.requestCredential(answer.json.access_token, byIdentifier)
    expect(refusalOf(refused).slice(0, 2)).toEqual([400, 'unknown_credential_identifier'])
    for (const id of [SD_JWT, 'ProofOfPurchase'])
      expect((await issuer.take(answer.json.access_token, id)).status).toBe(200)
  })

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['Authorization: Basic', { authorization: 'Basic eDp5' }, {}],
    ['Authorization: Basic without credentials', { authorization: 'Basic' }, {}],
    ['a client_secret', {}, { client_id: 'x', client_secret: 'y' }],
    ['a client_assertion', {}, { client_assertion: 'e30.e30.x' }],
  ])(
    'client authentication by %s, which this service does not support, is refused (§5.2) and the code stays valid',
    async (_by, headers, more) => {
      const code = await issuer.code(await newOffer())
      const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code }
      const answer = await issuer.requestToken({ ...form, ...more }, { headers })
      expect(refusalOf(answer).slice(0, 2)).toEqual([401, 'invalid_client'])
      if ('authorization' in headers) expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=/)
      expect((await issuer.requestToken(form)).status).toBe(200)
    },
  )
})

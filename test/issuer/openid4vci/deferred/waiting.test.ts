import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { signCompact } from '../../../../server/protocol/jose/jws.js'
import type { Answer } from '../../../support/service.js'
import { recordStatements } from '../../../support/statements.js'
import { newWallet, type WalletActor } from '../../../support/wallet-actor.js'
import {
  credentialOf,
  type Issuer,
  JWT_VC,
  movingClock,
  PRE_AUTHORIZED,
  refusalOf,
  SD_JWT,
  startIssuer,
} from '../actors.js'
import { DAY, deferredFlow } from './flow.js'

const clock = movingClock()
let issuer: Issuer
const { rows, newOffer, tokensFor, refresh, transactionOf, waiting, approved, maintain, onRecord } = deferredFlow(
  () => issuer,
  clock.now,
)
beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now, maintenance: false })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

describe('a waiting wallet', () => {
  it('uses the only redemption: it counts when the wallet begins to wait', async () => {
    const offerId = await newOffer()
    const tokens = await Promise.all(Array.from({ length: 5 }, () => tokensFor(offerId)))
    const answers = await Promise.all(tokens.map((each) => issuer.take(each.access_token, SD_JWT)))
    expect(answers.map(({ status, json }) => json.error ?? status).sort()).toEqual([
      202,
      ...Array(4).fill('credential_request_denied'),
    ])
    expect(await onRecord(offerId)).toMatchObject({ counted: 1 })
    const late = await issuer.requestToken({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': 'x' })
    expect(late.status).toBe(400)
  })

  it('has proven its key: after a refused request it neither waits nor counts', async () => {
    const offerId = await newOffer()
    const { access_token: token } = await tokensFor(offerId)
    const nonce = await issuer.nonce()
    const ask = async (jwt: string) =>
      issuer.requestCredential(token, { credential_configuration_id: SD_JWT, proofs: { jwt: [jwt] } })
    const wallet = await newWallet()
    const forged = `${(await wallet.proof(issuer.service.url, nonce)).slice(0, -4)}AAAA`
    expect(refusalOf(await ask(forged)).slice(0, 2)).toEqual([400, 'invalid_proof'])
    expect(await onRecord(offerId)).toEqual({ counted: 0, records: 0, instances: 0 })
    expect(await issuer.session(offerId)).not.toHaveProperty('deferred')
    const proof = await wallet.proof(issuer.service.url, nonce)
    transactionOf(await ask(proof))
    // The nonce is used up when the wallet begins to wait.
    expect(refusalOf(await ask(proof)).slice(0, 2)).toEqual([400, 'invalid_nonce'])
  })

  it('asks for at most 100 instances a day, and waits once for each configuration', async () => {
    const { offerId, token } = await waiting()
    const wallets = await Promise.all(Array.from({ length: 20 }, () => newWallet()))
    const answers = await Promise.all(Array.from({ length: 5 }, () => issuer.take(token, SD_JWT, ...wallets)))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 400])
    const waits = await rows(
      'SELECT 1 FROM deferred_issuances d JOIN authorizations a ON a.id = d.authorization_id WHERE a.offering_id = $1',
      offerId,
    )
    expect(waits).toHaveLength(1)
  })

  it('collects a credential that was counted with its request, and is not counted again', async () => {
    const offerId = await newOffer()
    const { access_token: token } = await tokensFor(offerId)
    const wallets = await Promise.all(Array.from({ length: 20 }, () => newWallet()))
    const transactions: string[] = []
    for (const configuration of [SD_JWT, SD_JWT, SD_JWT, SD_JWT, JWT_VC])
      transactions.push(transactionOf(await issuer.take(token, configuration, ...wallets)))
    await approved(offerId)
    for (const transactionId of transactions.slice(-2))
      expect((await issuer.collect(token, transactionId)).json.credentials).toHaveLength(20)
  })

  it('can return with its refresh token after its access token and the offer have expired', async () => {
    const { offerId, tokens, token, transactionId } = await waiting()
    clock.ahead = 3 * DAY
    await maintain()
    expect(await issuer.session(offerId)).toMatchObject({ state: 'TokenIssued', deferred: 'pending' })
    expect((await issuer.collect(token, transactionId)).status).toBe(401)
    const refreshed = await refresh(tokens.refresh_token)
    expect(refreshed.json).toMatchObject({ token_type: 'Bearer', refresh_token: expect.any(String) })
    expect((await issuer.collect(refreshed.json.access_token, transactionId)).status).toBe(202)
    await approved(offerId)
    credentialOf(await issuer.collect(refreshed.json.access_token, transactionId))
  })

  it('waits as long as its authorization lasts: then the session ends, and can no longer be decided', async () => {
    const { offerId, tokens } = await waiting()
    const { expiresAt } = await issuer.session(offerId)
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(89 * DAY * 1000)
    clock.ahead = 91 * DAY
    const late = await issuer.decide(offerId, 'approve')
    expect([late.status, late.json.message]).toEqual([409, 'Credential offer has ended.'])
    await maintain()
    expect(await issuer.session(offerId)).toMatchObject({ state: 'Error', deferred: 'pending' })
    expect(refusalOf(await refresh(tokens.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect(await rows('SELECT 1 FROM authorizations WHERE offering_id = $1', offerId)).toEqual([])
  })

  it('whose refresh token was used twice gets no credential any more, and the session ends', async () => {
    const { offerId, tokens, token, transactionId } = await waiting()
    await refresh(tokens.refresh_token)
    expect(refusalOf(await refresh(tokens.refresh_token)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect((await issuer.collect(token, transactionId)).status).toBe(401)
    await maintain()
    expect(await issuer.session(offerId)).toMatchObject({ state: 'Error' })
  })

  it('collects with a token that is valid for the configuration', async () => {
    const { offerId, tokens, transactionId } = await waiting()
    await approved(offerId)
    const narrow = await refresh(tokens.refresh_token, { scope: JWT_VC })
    expect(refusalOf(await issuer.collect(narrow.json.access_token, transactionId)).slice(0, 2)).toEqual([
      403,
      'insufficient_scope',
    ])
  })

  it('with a bound token needs a proof by its key each time (RFC 9449 §7.1)', async () => {
    const wallet: WalletActor = await newWallet()
    const proofFor = (path: string, token?: string) =>
      signCompact(
        wallet.signer,
        { typ: 'dpop+jwt', kid: undefined, jwk: wallet.publicJwk },
        {
          jti: crypto.randomUUID(),
          htm: 'POST',
          htu: `${issuer.service.url}${path}`,
          iat: Math.floor(Date.now() / 1000),
          ...(token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }),
        },
      )
    const offerId = await newOffer()
    const form = { grant_type: PRE_AUTHORIZED, 'pre-authorized_code': await issuer.code(offerId) }
    const { json } = await issuer.requestToken(form, { headers: { dpop: await proofFor('/openid4vci/token') } })
    const token: string = json.access_token
    const post = async (path: string, body: unknown, scheme = 'DPoP') =>
      issuer.service.request('POST', path, {
        authorization: `${scheme} ${token}`,
        headers: scheme === 'DPoP' ? { dpop: await proofFor(path, token) } : {},
        body,
      })
    const jwt = [await wallet.proof(issuer.service.url, await issuer.nonce())]
    const asked = await post('/openid4vci/credential', { credential_configuration_id: SD_JWT, proofs: { jwt } })
    const body = { transaction_id: transactionOf(asked) }
    await approved(offerId)
    expect((await post('/openid4vci/deferred-credential', body, 'Bearer')).status).toBe(401)
    credentialOf(await post('/openid4vci/deferred-credential', body))
    // The refresh token is bound to the key. It can be used again and is not replaced.
    const again = { grant_type: 'refresh_token', refresh_token: json.refresh_token }
    expect(refusalOf(await issuer.requestToken(again)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    const refreshed = await issuer.requestToken(again, { headers: { dpop: await proofFor('/openid4vci/token') } })
    expect([refreshed.status, refreshed.json.refresh_token]).toEqual([200, undefined])
  })

  it('that named a client refreshes only as this client', async () => {
    const form = async () => ({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer.code(await newOffer()),
    })
    const named = (await issuer.requestToken({ ...(await form()), client_id: 'wallet' })).json
    expect(refusalOf(await refresh(named.refresh_token, { client_id: 'another' })).slice(0, 2)).toEqual([
      400,
      'invalid_grant',
    ])
    expect((await refresh(named.refresh_token, { client_id: 'wallet' })).status).toBe(200)
    const anonymous = (await issuer.requestToken(await form())).json
    expect((await refresh(anonymous.refresh_token, { client_id: 'anybody' })).status).toBe(200)
    const long = await issuer.requestToken({ ...(await form()), client_id: 'x'.repeat(4_097) })
    expect(refusalOf(long).slice(0, 2)).toEqual([400, 'invalid_request'])
  })
})

describe('cost in SQL statements', () => {
  it('the token: two statements instead of one; to begin to wait and to ask again: two; to collect: three, and a fourth in one of 32 cases', async () => {
    const statements = recordStatements()
    const counted = async (act: () => Promise<Answer>) => {
      statements.clear()
      const answer = await act()
      return [answer.status, statements.sent().length]
    }
    const form = async (offerId: string) => ({
      grant_type: PRE_AUTHORIZED,
      'pre-authorized_code': await issuer.code(offerId),
    })
    for (const [deferred, count] of [
      [true, 2],
      [false, 1],
    ] as const) {
      const code = await form(await newOffer({ deferred }))
      expect(await counted(() => issuer.requestToken(code))).toEqual([200, count])
    }
    const offerId = await newOffer()
    const { access_token: token } = await tokensFor(offerId)
    const jwt = [await (await newWallet()).proof(issuer.service.url, await issuer.nonce())]
    const body = { credential_configuration_id: SD_JWT, proofs: { jwt } }
    let transactionId = ''
    const ask = async () => {
      const answer = await issuer.requestCredential(token, body)
      transactionId = transactionOf(answer)
      return answer
    }
    expect(await counted(ask)).toEqual([202, 2])
    expect(await counted(() => issuer.collect(token, transactionId))).toEqual([202, 2])
    await approved(offerId)
    const [status, count] = await counted(() => issuer.collect(token, transactionId))
    statements.stop()
    expect(status).toBe(200)
    expect([3, 4]).toContain(count)
  })
})

describe('changes while a wallet waits', () => {
  it('a schema version that is withdrawn: credentials that were offered with it are still issued', async () => {
    const name = `Waiting${crypto.randomUUID().slice(0, 8)}`
    const authorization = await issuer.authorization()
    const posted = await issuer.service.request('POST', '/schemas', {
      authorization,
      body: { name, version: 1, schema: { type: 'object', properties: { product: { type: 'string' } } } },
    })
    const { offerId, token, transactionId } = await waiting(
      { credentialConfigurationIds: [`${name}-sd-jwt`], credentialSubject: { product: 'Kettle' } },
      `${name}-sd-jwt`,
    )
    await issuer.service.request('DELETE', `/schemas/${posted.json.id}`, { authorization })
    await approved(offerId, { credentialSubject: { product: 'Tea kettle' } })
    credentialOf(await issuer.collect(token, transactionId))
  })

  it('a record that is revoked: its remaining credentials are denied', async () => {
    const { offerId, token, transactionId } = await waiting()
    const second = transactionOf(await issuer.take(token, JWT_VC))
    await approved(offerId)
    credentialOf(await issuer.collect(token, transactionId))
    const [record] = await rows('SELECT credential_id AS id FROM redemptions WHERE offering_id = $1', offerId)
    await issuer.service.request('POST', `/api/v1/credentials/${record?.id}/revoke`, { client: true })
    const answer = await issuer.collect(token, second)
    expect(refusalOf(answer).slice(0, 2)).toEqual([400, 'credential_request_denied'])
  })

  it('a credential that the wallet could not store: the session has ended, and the waiting credentials end with it', async () => {
    const { offerId, token, transactionId } = await waiting()
    const second = transactionOf(await issuer.take(token, JWT_VC))
    await approved(offerId)
    const { notification_id } = (await issuer.collect(token, transactionId)).json
    await issuer.notify(token, { notification_id, event: 'credential_failure' })
    expect(refusalOf(await issuer.collect(token, second)).slice(0, 2)).toEqual([400, 'credential_request_denied'])
  })

  it('an approval while the wallet begins to wait: the wallet can still wait as long as its tokens are valid', async () => {
    const offerId = await newOffer()
    const tokens = await tokensFor(offerId)
    const { vault } = issuer.service.platform
    const { protect } = vault
    const meanwhile = vi.spyOn(vault, 'protect').mockImplementation(async (...args) => {
      await approved(offerId)
      return protect(...args)
    })
    const asked = await issuer.take(tokens.access_token, SD_JWT)
    meanwhile.mockRestore()
    const transactionId = transactionOf(asked)
    clock.ahead = 3 * DAY
    await maintain()
    expect(await issuer.session(offerId)).toMatchObject({ state: 'TokenIssued', deferred: 'approved' })
    const { access_token: token } = (await refresh(tokens.refresh_token)).json
    credentialOf(await issuer.collect(token, transactionId))
    const events = await issuer.events(offerId)
    expect(events.at(-1)?.data).toEqual(await issuer.session(offerId))
  })

  it('a decision while the wallet asks: no later event has an older state', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => newOffer()))
    await Promise.all(
      ids.flatMap((id) => [
        issuer.decide(id, 'approve'),
        tokensFor(id).then((tokens) => issuer.take(tokens.access_token, SD_JWT)),
      ]),
    )
    for (const id of ids) {
      const events = await issuer.events(id)
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
      const session = await issuer.session(id)
      expect(session.deferred).toBe('approved')
      expect(events.at(-1)?.data).toEqual(session)
    }
  })
})

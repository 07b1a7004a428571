import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newWallet } from '../../../support/wallet-actor.js'
import {
  credentialOf,
  type Issuer,
  JWT_VC,
  movingClock,
  payloadOf,
  refusalOf,
  SD_JWT,
  SUBJECT,
  startIssuer,
} from '../actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI, responseOf } from '../browser.js'
import { deferredFlow } from './flow.js'

const clock = movingClock()
let issuer: Issuer
const { rows, newOffer, tokensFor, transactionOf, waiting, approved, onRecord } = deferredFlow(() => issuer, clock.now)
beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now, maintenance: false })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

describe('a deferred offer (OpenID4VCI 1.0 §8.3, §9)', () => {
  it('can be waited for, approved, collected and acknowledged; its session has an event for each change', async () => {
    const offerId = await newOffer()
    expect(await issuer.session(offerId)).not.toHaveProperty('deferred')
    const tokens = await tokensFor(offerId)
    expect(tokens).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 300,
      refresh_token: expect.any(String),
    })
    const wallet = await newWallet()
    const deferred = await issuer.take(tokens.access_token, SD_JWT, wallet)
    expect(deferred.headers.get('cache-control')).toBe('no-store')
    expect(deferred.json).toEqual({ transaction_id: expect.stringMatching(/^[\w-]{43}$/), interval: 5 })
    const transactionId = transactionOf(deferred)
    expect(await issuer.session(offerId)).toMatchObject({ state: 'TokenIssued', deferred: 'pending' })
    const polled = await issuer.collect(tokens.access_token, transactionId)
    expect([polled.status, polled.json]).toEqual([202, deferred.json])
    expect(polled.headers.get('cache-control')).toBe('no-store')
    expect(await onRecord(offerId)).toEqual({ counted: 1, records: 0, instances: 0 })

    expect(await approved(offerId)).toEqual(await issuer.session(offerId))
    expect(await issuer.session(offerId)).toMatchObject({ state: 'TokenIssued', deferred: 'approved' })
    expect(await onRecord(offerId)).toEqual({ counted: 1, records: 0, instances: 0 })
    const collected = await issuer.collect(tokens.access_token, transactionId)
    expect(collected.headers.get('cache-control')).toBe('no-store')
    expect(collected.json).toEqual({
      credentials: [{ credential: expect.any(String) }],
      notification_id: expect.any(String),
    })
    expect(payloadOf(credentialOf(collected)).cnf.jwk).toEqual(wallet.publicJwk)
    expect(await onRecord(offerId)).toEqual({ counted: 1, records: 1, instances: 1 })
    const body = { notification_id: collected.json.notification_id, event: 'credential_accepted' }
    expect((await issuer.notify(tokens.access_token, body)).status).toBe(204)
    expect(await issuer.events(offerId)).toMatchObject(
      [
        { state: 'Created' },
        { state: 'OfferRetrieved' },
        { state: 'TokenIssued' },
        { state: 'TokenIssued', deferred: 'pending' },
        { state: 'TokenIssued', deferred: 'approved' },
        { state: 'CredentialIssued', deferred: 'approved' },
        { state: 'Accepted', deferred: 'approved' },
      ].map((data) => ({ data })),
    )
    const audit = await rows('SELECT actor, action FROM audit_events WHERE subject_id = $1 ORDER BY id', offerId)
    expect(audit).toEqual([
      { actor: 'issuer', action: 'offering.created' },
      { actor: null, action: 'credential.deferred' },
      { actor: 'issuer', action: 'offering.approved' },
    ])
    expect(
      await rows(
        'SELECT 1 FROM deferred_issuances d JOIN authorizations a ON a.id = d.authorization_id WHERE a.offering_id = $1',
        offerId,
      ),
    ).toEqual([])
  })

  it('by the authorization code: the page says that the issuer decides later', async () => {
    const made = await issuer.makeOffer({ deferred: true, grant: 'authorization_code' })
    const { verifier, challenge } = newPkce()
    const browser = newBrowser(issuer.service)
    const { id, page } = await openPage(
      browser,
      `/openid4vci/authorize?${new URLSearchParams({
        client_id: 'wallet',
        response_type: 'code',
        redirect_uri: REDIRECT_URI,
        scope: SD_JWT,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        issuer_state: made.credentialOffer.grants.authorization_code.issuer_state,
      })}`,
    )
    expect(page.text).toContain('The issuer decides later whether you get this credential, and may correct its claims.')
    const { code = '' } = responseOf(await browser.decide(page, id, 'accept'))
    const answer = await issuer.requestToken({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT_URI,
      client_id: 'wallet',
    })
    const token = answer.json.access_token
    const transactionId = transactionOf(await issuer.take(token, SD_JWT))
    await approved(made.credentialOfferSessionId)
    credentialOf(await issuer.collect(token, transactionId))
    expect((await issuer.session(made.credentialOfferSessionId)).state).toBe('CredentialIssued')
  })

  it('two configurations wait and are collected at once: one record, one redemption', async () => {
    const { offerId, token, transactionId } = await waiting()
    const second = transactionOf(await issuer.take(token, JWT_VC))
    await approved(offerId)
    const answers = await Promise.all([issuer.collect(token, transactionId), issuer.collect(token, second)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await onRecord(offerId)).toEqual({ counted: 1, records: 1, instances: 2 })
    for (const { json } of answers) {
      const body = { notification_id: json.notification_id, event: 'credential_accepted' }
      expect((await issuer.notify(token, body)).status).toBe(204)
    }
  })

  it('a batch is collected completely, each copy bound to its key', async () => {
    const wallets = await Promise.all([newWallet(), newWallet(), newWallet()])
    const offerId = await newOffer()
    const { access_token: token } = await tokensFor(offerId)
    const transactionId = transactionOf(await issuer.take(token, SD_JWT, ...wallets))
    await approved(offerId)
    const { credentials } = (await issuer.collect(token, transactionId)).json
    expect(credentials.map(({ credential }: { credential: string }) => payloadOf(credential).cnf.jwk)).toEqual(
      wallets.map(({ publicJwk }) => publicJwk),
    )
  })

  it('is not the default: the code of another offer gives no refresh token, and such an offer cannot be decided', async () => {
    const offerId = await newOffer({ deferred: false })
    expect(await tokensFor(offerId)).not.toHaveProperty('refresh_token')
    for (const decision of ['approve', 'reject'] as const) {
      const answer = await issuer.decide(offerId, decision)
      expect([answer.status, answer.json.message]).toEqual([409, 'Credential offer is not deferred.'])
    }
    expect(await issuer.session(offerId)).toMatchObject({ state: 'TokenIssued' })
  })

  it('its endpoint is in the metadata (§12.2.4)', async () => {
    const { json } = await issuer.service.request('GET', '/.well-known/openid-credential-issuer')
    expect(json.deferred_credential_endpoint).toBe(`${issuer.service.url}/openid4vci/deferred-credential`)
  })
})

describe('a decision', () => {
  it('may correct the claims; claims that the schema does not allow are refused, and the offer still waits', async () => {
    const { offerId, token, transactionId } = await waiting({}, JWT_VC)
    const refused = await issuer.decide(offerId, 'approve', { credentialSubject: { product: 7, colour: 'red' } })
    expect(refused.status).toBe(400)
    expect(refused.json.message).toContainEqual(expect.stringContaining('credentialSubject'))
    expect(await issuer.session(offerId)).toMatchObject({ state: 'TokenIssued', deferred: 'pending' })
    expect((await issuer.collect(token, transactionId)).status).toBe(202)
    await approved(offerId, { credentialSubject: { product: 'Tea kettle', price: 12 } })
    const { vc } = payloadOf(credentialOf(await issuer.collect(token, transactionId)))
    expect(vc.credentialSubject).toMatchObject({ product: 'Tea kettle', price: 12 })
  })

  it('without claims keeps the offered claims', async () => {
    const { offerId, token, transactionId } = await waiting({}, JWT_VC)
    await approved(offerId)
    const { vc } = payloadOf(credentialOf(await issuer.collect(token, transactionId)))
    expect(vc.credentialSubject).toMatchObject(SUBJECT)
  })

  it('that rejects ends the session with its reason, which the wallet does not receive', async () => {
    const { offerId, token, transactionId } = await waiting()
    const rejected = await issuer.decide(offerId, 'reject', { reason: 'Not a customer' })
    expect(rejected.status).toBe(200)
    expect(rejected.json).toMatchObject({ state: 'Error', deferred: 'rejected', errorMessage: 'Not a customer' })
    expect(await issuer.session(offerId)).toEqual(rejected.json)
    for (let time = 0; time < 2; time += 1) {
      const answer = await issuer.collect(token, transactionId)
      expect(refusalOf(answer)).toEqual([400, 'credential_request_denied', 'The issuer has rejected the request.'])
    }
    expect(refusalOf(await issuer.take(token, SD_JWT)).slice(0, 2)).toEqual([400, 'credential_request_denied'])
    expect(await onRecord(offerId)).toEqual({ counted: 1, records: 0, instances: 0 })
  })

  it('without a reason gives a standard reason', async () => {
    const { offerId } = await waiting()
    const { json } = await issuer.decide(offerId, 'reject')
    expect(json.errorMessage).toBe('The issuer rejected the request.')
  })

  it('counts once: a second decision of any kind is a 409', async () => {
    const first = await waiting()
    await approved(first.offerId)
    const second = await waiting()
    await issuer.decide(second.offerId, 'reject')
    for (const decision of ['approve', 'reject'] as const) {
      const again = await issuer.decide(first.offerId, decision, {})
      expect([again.status, again.json.message]).toEqual([409, 'Credential offer is approved already.'])
      const late = await issuer.decide(second.offerId, decision, {})
      expect([late.status, late.json.message]).toEqual([409, 'Credential offer is rejected already.'])
    }
    credentialOf(await issuer.collect(first.token, first.transactionId))
  })

  it('counts once, also with ten at the same time', async () => {
    const { offerId } = await waiting()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => issuer.decide(offerId, at % 2 === 0 ? 'approve' : 'reject')),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    const [made] = answers.filter(({ status }) => status === 200)
    expect(await issuer.session(offerId)).toEqual(made?.json)
  })

  it('is for the creator and admins; for other callers the session is unknown', async () => {
    const { offerId } = await waiting()
    for (const decision of ['approve', 'reject'] as const) {
      const stranger = await issuer.decide(offerId, decision, {}, await issuer.service.bearer('stranger'))
      expect([stranger.status, stranger.json.message]).toEqual([500, 'Credential offer session not found.'])
      const nobody = await issuer.service.request('POST', `/credential-offer-sessions/${offerId}/${decision}`, {
        body: {},
      })
      expect(nobody.status).toBe(401)
      const unknown = await issuer.decide(crypto.randomUUID(), decision)
      expect(unknown.status).toBe(500)
    }
    expect(await issuer.session(offerId)).toMatchObject({ deferred: 'pending' })
    const admin = await issuer.service.bearer('admin', { roles: ['admin'] })
    expect((await issuer.decide(offerId, 'approve', {}, admin)).status).toBe(200)
  })

  it('may be made before a wallet asks: an approved credential is issued at once, with the corrected claims', async () => {
    const offerId = await newOffer()
    expect(await approved(offerId, { credentialSubject: { product: 'Tea kettle' } })).toMatchObject({
      state: 'Created',
      deferred: 'approved',
    })
    const { access_token: token } = await tokensFor(offerId)
    const { vc } = payloadOf(credentialOf(await issuer.take(token, JWT_VC)))
    expect(vc.credentialSubject).toMatchObject({ product: 'Tea kettle' })
    expect(await issuer.session(offerId)).toMatchObject({ state: 'CredentialIssued', deferred: 'approved' })
  })

  it('that rejects before a wallet asks ends the offer and its tokens', async () => {
    const offerId = await newOffer()
    const { access_token: token } = await tokensFor(offerId)
    expect((await issuer.decide(offerId, 'reject')).status).toBe(200)
    expect(refusalOf(await issuer.take(token, SD_JWT)).slice(0, 2)).toEqual([400, 'credential_request_denied'])
    expect((await issuer.service.request('GET', `/openid4vci/offers/${offerId}`)).status).toBe(400)
    expect(await onRecord(offerId)).toEqual({ counted: 0, records: 0, instances: 0 })
  })

  it('cannot be made for an offer that has ended', async () => {
    const offerId = await newOffer({ expiresInSeconds: 60 })
    clock.ahead = 120
    const answer = await issuer.decide(offerId, 'approve')
    expect([answer.status, answer.json.message]).toEqual([409, 'Credential offer has ended.'])
  })

  it('accepts no other members, and a reason of at most 300 characters', async () => {
    const { offerId } = await waiting()
    expect((await issuer.decide(offerId, 'approve', { reason: 'x' })).status).toBe(400)
    expect((await issuer.decide(offerId, 'reject', { reason: 'x'.repeat(301) })).status).toBe(400)
    expect(await issuer.session(offerId)).toMatchObject({ deferred: 'pending' })
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EVENT_TYPES, EVENTS, eventSchema, SUBSCRIBABLE } from '../../server/webhooks/events.js'
import { type Issuer, movingClock, PRE_AUTHORIZED, SD_JWT, SUBJECT, startIssuer } from '../issuer/openid4vci/actors.js'
import { newBrowser, openPage } from '../issuer/openid4vci/browser.js'
import { newOffer, newRequest } from '../issuer/openid4vci/sign-in-actors.js'
import { askOnPage, newVisitor } from '../people-pages/actors.js'
import { runTask } from '../support/maintenance.js'
import { query } from '../support/postgres.js'
import { until } from '../support/until.js'
import { newWallet, type WalletActor } from '../support/wallet-actor.js'
import { answer, ask, dcql, fetchRequest, type Held, issue, postForm, present } from '../verifier/actors.js'
import { type Receiver, startReceiver, webhookFor } from './receiver.js'

const KEY = Buffer.alloc(32, 3).toString('base64url')
const DAY = 86_400
const clock = movingClock()
let issuer: Issuer
let thin: Receiver
let full: Receiver
let strangers: Receiver
let wallet: WalletActor
let held: Held
let receivers: Receiver[]

beforeAll(async () => {
  receivers = await Promise.all([startReceiver(clock.now), startReceiver(clock.now), startReceiver(clock.now)])
  ;[thin, full, strangers] = receivers as [Receiver, Receiver, Receiver]
  issuer = await startIssuer({
    env: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', KEY_ENCRYPTION_KEY: KEY },
    clock: clock.now,
  })
  const { service } = issuer
  await service.request('POST', '/schemas', {
    authorization: await issuer.authorization(),
    body: {
      name: 'Pass',
      version: 1,
      schema: { type: 'object', properties: { zone: { type: 'string' } } },
      suspendable: true,
      expiresInDays: 2,
    },
  })
  for (const sub of ['issuer', 'verifier']) {
    const authorization = await service.bearer(sub)
    await webhookFor(service, thin, { authorization })
    await webhookFor(service, full, { authorization, payload: 'full' })
  }
  await webhookFor(service, strangers, { authorization: await service.bearer('mallory') })
  wallet = await newWallet()
  held = await issue(service, wallet, 'dc+sd-jwt', SUBJECT)
})
afterAll(async () => {
  await issuer.service.close()
  await Promise.all(receivers.map((receiver) => receiver[Symbol.asyncDispose]()))
})

/** Waits until a receiver has the events of a thing, in their order. */
async function events(id: string, types: readonly string[], receiver: Receiver = thin): Promise<void> {
  await until(() => receiver.typesOf(id).length >= types.length).catch(() => undefined)
  expect(receiver.typesOf(id)).toEqual(types)
}

/**
 * Moves the clock when the outcome of every delivery is recorded. A try whose outcome is not recorded yet is repeated after a
 * minute, so the receiver would get its event twice.
 */
async function later(seconds: number): Promise<void> {
  const pending = `SELECT FROM webhook_deliveries WHERE outcome = 'pending'`
  await until(async () => (await query(issuer.service.databaseUrl, pending)).length === 0)
  clock.ahead += seconds
}

const last = (receiver: Receiver, id: string) => receiver.received.filter(({ text }) => text.includes(id)).at(-1)?.json

const offered = (...states: string[]) => ['created', ...states].map((state) => `credential_offer.${state}`)

describe('a credential offer', () => {
  it('that a wallet takes sends each state in order, and the credential', async () => {
    const made = await issuer.makeOffer({ reference: 'M-17', label: 'Ada Lovelace' })
    const { credentialOfferSessionId: id } = made
    const token = await issuer.token(id)
    const taken = await issuer.take(token, SD_JWT)
    await issuer.notify(token, { notification_id: taken.json.notification_id, event: 'credential_accepted' })
    const types = offered('uri_retrieved', 'request_received', 'issued', 'completed')
    for (const receiver of [thin, full]) await events(id, types, receiver)
    const completed = thin.received.find(({ json }) => json.type === 'credential_offer.completed')?.json
    expect(completed).toEqual({
      type: 'credential_offer.completed',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { credentialOfferSessionId: id, state: 'Accepted', reference: 'M-17' },
    })
    const issued = full.received.find(({ json }) => json.type === 'credential_offer.issued')?.json
    expect(issued.data).toMatchObject({ reference: 'M-17', label: 'Ada Lovelace', claims: SUBJECT })
    const credential = full.received.find(
      ({ json }) => json.type === 'credential.issued' && json.data.credentialOfferSessionId === id,
    )?.json
    expect(credential.data).toMatchObject({
      credentialId: expect.any(String),
      claims: expect.objectContaining(SUBJECT),
    })
    // The offers are of one caller. The events of the credential go to the same caller.
    expect(strangers.received).toEqual([])
  })

  it('whose user agrees on the page is authorized', async () => {
    const { id, issuer_state } = await newOffer(issuer)
    const { address } = newRequest({ issuer_state })
    const browser = newBrowser(issuer.service)
    const { id: pageId, page } = await openPage(browser, address)
    await browser.decide(page, pageId, 'accept')
    await until(() => thin.typesOf(id).includes('credential_offer.authorized'))
  })

  it('that is deferred waits, and is approved or rejected', async () => {
    for (const decision of ['approve', 'reject'] as const) {
      const { credentialOfferSessionId: id } = await issuer.makeOffer({ deferred: true })
      await issuer.take(await issuer.token(id), SD_JWT)
      await issuer.decide(id, decision)
      const decided = decision === 'approve' ? 'approved' : 'rejected'
      await events(id, offered('uri_retrieved', 'request_received', 'deferred', decided))
      expect(last(thin, id).data.deferred).toBe(decided)
    }
  })

  it('that fails by wrong transaction codes, or is cancelled, has failed; a new link is a new offer', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ txCode: true })
    const code = await issuer.code(id)
    for (let at = 0; at < 5; at += 1)
      await issuer.requestToken({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code, tx_code: `wrong${at}` })
    await events(id, offered('uri_retrieved', 'failed'))
    expect(last(thin, id).data).toMatchObject({ state: 'Error', errorMessage: expect.any(String) })
    const { credentialOfferSessionId: cancelled } = await issuer.makeOffer()
    const authorization = await issuer.authorization()
    const send = (action: string) =>
      issuer.service.request('POST', `/api/v1/credential-offers/${cancelled}/${action}`, { authorization, body: {} })
    expect((await send('resend')).status).toBe(200)
    expect((await send('cancel')).status).toBe(200)
    await events(cancelled, offered('created', 'failed'))
    expect(last(thin, cancelled).data).toMatchObject({ state: 'Error', errorMessage: 'Offer cancelled.' })
  })

  it('that nobody takes expires', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ expiresInSeconds: 60 })
    for (const receiver of [thin, full]) await events(id, offered(), receiver)
    await later(61)
    for (const receiver of [thin, full]) await until(() => receiver.typesOf(id).length >= 2)
    clock.ahead = 0
    expect(thin.typesOf(id)).toEqual(offered('expired'))
  })
})

describe('a verification', () => {
  const asked = async () => {
    const made = await ask(issuer.service, {
      dcqlQuery: dcql(issuer.service, 'dc+sd-jwt'),
      reference: 'V-1',
      validity: 60,
    })
    return { id: made.verificationSessionId, payload: await fetchRequest(made) }
  }
  const of = (...states: string[]) => ['created', 'retrieved', ...states].map((state) => `verification.${state}`)

  it('that succeeds is completed, with the claims only in a full payload', async () => {
    const { id, payload } = await asked()
    expect((await answer(payload, { purchase: [await present(held, wallet, payload)] })).status).toBe(200)
    for (const receiver of [thin, full]) await events(id, of('completed'), receiver)
    expect(last(thin, id).data).toEqual({ verificationSessionId: id, state: 'ResponseVerified', reference: 'V-1' })
    expect(last(full, id).data.claims).toMatchObject([{ credentialQueryId: 'purchase' }])
    expect(JSON.stringify(last(full, id).data.claims)).toContain(SUBJECT.product)
    const stored = await query(issuer.service.databaseUrl, 'SELECT data FROM webhook_deliveries WHERE subject = $1', [
      id,
    ])
    expect(stored).toHaveLength(6)
    expect(JSON.stringify(stored)).not.toContain(SUBJECT.product)
    expect(JSON.stringify(stored)).not.toContain('V-1')
  })

  it('that fails names the failed check with its query, format and sentence', async () => {
    const { id, payload } = await asked()
    const presented = await present(held, wallet, payload, { nonce: 'another-nonce' })
    expect((await answer(payload, { purchase: [presented] })).status).toBe(400)
    await events(id, of('failed'))
    expect(last(thin, id).data).toMatchObject({
      state: 'Error',
      errorMessage: expect.any(String),
      failedChecks: [
        { credentialQueryId: 'purchase', format: 'dc+sd-jwt', check: expect.any(String), message: expect.any(String) },
      ],
    })
  })

  it('that the user declines is declined; a late answer makes no event', async () => {
    const { id, payload } = await asked()
    await postForm(payload.response_uri, { error: 'access_denied', state: payload.state })
    await events(id, of('declined'))
    await postForm(payload.response_uri, { error: 'access_denied', state: payload.state })
    const { id: other, payload: second } = await asked()
    await postForm(second.response_uri, { error: 'wallet_unavailable', state: second.state })
    await events(other, of('failed'))
    expect(thin.typesOf(id)).toEqual(of('declined'))
  })

  it('that a person declines on its page is declined', async () => {
    const { service } = issuer
    const { verificationSessionId: id, pageUrl } = await askOnPage(service)
    const visitor = newVisitor(service)
    const [, token = ''] = /name="token" value="([^"]+)"/.exec((await visitor.open(pageUrl)).text) ?? []
    const declined = await service.request('POST', `${new URL(pageUrl).pathname}/decline`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: visitor.cookie ?? '' },
      body: new URLSearchParams({ token }).toString(),
    })
    expect(declined.status).toBe(303)
    await events(id, ['verification.created', 'verification.declined'])
    expect(last(thin, id).data).toEqual({
      verificationSessionId: id,
      state: 'Error',
      errorMessage: 'Declined by the holder.',
    })
  })

  it('is not named by a stranger who posts to its address without its state', async () => {
    const { id, payload } = await asked()
    await postForm(payload.response_uri, { error: 'access_denied', state: 'of-a-stranger' })
    await postForm(payload.response_uri, { vp_token: '{}', state: 'of-a-stranger' })
    await postForm(payload.response_uri, { error: 'access_denied' })
    expect((await answer(payload, { purchase: [await present(held, wallet, payload)] })).status).toBe(200)
    await events(id, of('completed'))
  })

  it('that no wallet answers expires', async () => {
    const { id } = await asked()
    for (const receiver of [thin, full]) await events(id, of(), receiver)
    await later(61)
    for (const receiver of [thin, full]) await events(id, of('expired'), receiver)
    clock.ahead = 0
  })

  it('whose result was erased before the delivery says so', async () => {
    full.answers((_, response) => response.writeHead(503).end())
    const { id, payload } = await asked()
    await answer(payload, { purchase: [await present(held, wallet, payload)] })
    await until(() => full.typesOf(id).length >= 1)
    const erased = await issuer.service.request('POST', `/verification-sessions/${id}/erase`, {
      authorization: await issuer.service.bearer('verifier'),
      body: {},
    })
    expect(erased.status, erased.text).toBe(200)
    full.answers((_, response) => response.writeHead(204).end())
    // The failed try is repeated after five seconds.
    clock.ahead += 7
    await until(() => last(full, id)?.type === 'verification.completed')
    clock.ahead = 0
    expect(last(full, id).data).toMatchObject({ claims: null, claimsGone: true })
  })
})

describe('a credential', () => {
  const sign = async () => {
    const { json } = await issuer.service.request('POST', '/credentials/sign', {
      authorization: await issuer.authorization(),
      body: { type: 'Pass', credential_subject: { zone: 'A' }, format: 'dc+sd-jwt' },
    })
    return json.id as string
  }
  const change = (id: string, action: string, body: unknown = {}) =>
    issuer.service.request('POST', `/api/v1/credentials/${id}/${action}`, { client: true, body })
  const of = (...states: string[]) => ['issued', ...states].map((state) => `credential.${state}`)

  it('is suspended, reinstated and revoked, each once', async () => {
    const id = await sign()
    for (const action of ['suspend', 'suspend', 'reinstate', 'revoke', 'revoke']) await change(id, action)
    await events(id, of('suspended', 'reinstated', 'revoked'))
  })

  it('of an offer whose session was removed still belongs to the creator of the offer', async () => {
    const { credentialOfferSessionId: offerId } = await issuer.makeOffer()
    await issuer.take(await issuer.token(offerId), SD_JWT)
    const issuedTo = () =>
      thin.received.find(
        ({ json: { type, data } }) => type === 'credential.issued' && data.credentialOfferSessionId === offerId,
      )
    await until(() => issuedTo() !== undefined)
    const id = issuedTo()?.json.data.credentialId
    await query(issuer.service.databaseUrl, 'DELETE FROM credential_offer_sessions WHERE id = $1', [offerId])
    await change(id, 'revoke')
    await events(id, of('revoked'))
  })

  it('expires, and its claims are erased', async () => {
    const id = await sign()
    for (const receiver of [thin, full]) await events(id, of(), receiver)
    await later(3 * DAY)
    for (const task of issuer.service.features.credentials.tasks) await runTask(task, clock.now())
    for (const receiver of [thin, full]) await events(id, of('expired'), receiver)
    clock.ahead = 0
    expect((await change(id, 'erase')).status).toBe(200)
    await events(id, of('expired', 'claims_erased'))
  })
})

describe('the registry', () => {
  it('describes each delivery that arrived, and each event type except a test arrived', () => {
    const arrived = [...thin.received, ...full.received]
    for (const { json } of arrived) {
      const type = EVENT_TYPES.find((known) => known === json.type)
      if (type === undefined) throw new Error(`${json.type} is unknown.`)
      expect(eventSchema(type).parse(json)).toEqual(json)
      expect(EVENTS[type][1].strict().safeParse(json.data).error).toBeUndefined()
    }
    expect([...new Set(arrived.map(({ json }) => json.type))].sort()).toEqual([...SUBSCRIBABLE].sort())
    expect(thin.received.filter(({ text }) => text.includes('claims"') || text.includes('Lovelace'))).toEqual([])
    expect([thin.refused, full.refused, strangers.received]).toEqual([[], [], []])
  })
})

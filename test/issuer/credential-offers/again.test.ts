import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { textInPng } from '../../support/qr-code.js'
import type { Answer, RequestOptions } from '../../support/service.js'
import {
  type Issuer,
  JWT_VC,
  movingClock,
  PRE_AUTHORIZED,
  refusalOf,
  SD_JWT,
  SUBJECT,
  startIssuer,
} from '../openid4vci/actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI, responseOf } from '../openid4vci/browser.js'

const DAY = 86_400

const clock = movingClock()
let issuer: Issuer
beforeAll(async () => {
  const env = { KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64url'), ISSUER_LEGACY_PROFILES: 'draft11' }
  issuer = await startIssuer({ clock: clock.now, env, maintenance: false })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

const PATH = '/api/v1/credential-offers'

const by = async (sub = 'issuer'): Promise<RequestOptions> => ({
  authorization: sub === 'issuer' ? await issuer.authorization() : await issuer.service.bearer(sub),
})
const read = async (id: string, options?: RequestOptions) =>
  issuer.service.request('GET', `${PATH}/${id}`, options ?? (await by()))
const send = async (id: string, action: 'cancel' | 'resend', body: unknown = {}, options?: RequestOptions) =>
  issuer.service.request('POST', `${PATH}/${id}/${action}`, { ...(options ?? (await by())), body })

const ok = (answer: Answer): Answer['json'] => {
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}
const resent = async (id: string, body: unknown = {}) => ok(await send(id, 'resend', body))
const cancelled = async (id: string, body: unknown = {}) => ok(await send(id, 'cancel', body))

/** The last part of the address from which wallets fetch an offer. */
const nameOf = (uri: string): string => decodeURIComponent(uri).split('/').at(-1) ?? ''
const fetchOffer = (uri: string) => issuer.service.request('GET', `/openid4vci/offers/${nameOf(uri)}`)
const codeIn = (offer: Answer['json']): string => offer.grants[PRE_AUTHORIZED]['pre-authorized_code']
const redeem = (code: string, more: Record<string, string> = {}) =>
  issuer.requestToken({ grant_type: PRE_AUTHORIZED, 'pre-authorized_code': code, ...more })
const tokenOf = async (code: string, more: Record<string, string> = {}): Promise<string> =>
  ok(await redeem(code, more)).access_token

const rows = (sql: string, ...values: unknown[]) =>
  query<Record<string, unknown>>(issuer.service.databaseUrl, sql, values)
const audited = async (id: string) =>
  (await rows(`SELECT action, actor FROM audit_events WHERE subject_id = $1 ORDER BY id`, id)).map(
    ({ action, actor }) => `${action} by ${actor}`,
  )

const SECRETS = ['credentialOfferUri', 'qrCode', 'pageUrl', 'txCode']
const secretsOf = (json: object) => SECRETS.filter((member) => member in json)

describe('GET /api/v1/credential-offers/{id}', () => {
  it('gives an open offer again: address, QR code, page and transaction code', async () => {
    const made = await issuer.makeOffer({ txCode: true, page: true })
    const json = ok(await read(made.credentialOfferSessionId))
    expect(json).toMatchObject({
      id: made.credentialOfferSessionId,
      state: 'Created',
      createdBy: 'issuer',
      credentialOfferUri: made.credentialOfferUri,
      pageUrl: made.pageUrl,
      txCode: made.txCode,
    })
    const png = Buffer.from(json.qrCode.split(',')[1], 'base64')
    expect(await textInPng(png)).toBe(made.credentialOfferUri)
  })

  it('gives a code of a batch, whether it was stored or is of a version that stored none', async () => {
    const row = { key: 'again', credentialConfigurationIds: [JWT_VC], credentialSubject: SUBJECT, txCode: true }
    const batch = async () =>
      ok(await issuer.service.request('POST', `${PATH}/batch`, { ...(await by()), body: { rows: [row] } })).offers[0]
    const made = await batch()
    const id = made.credentialOfferSessionId
    expect(ok(await read(id)).txCode).toBe(made.txCode)
    await rows('UPDATE credential_offer_sessions SET confidential = NULL WHERE id = $1', id)
    expect(ok(await read(id)).txCode).toBe(made.txCode)
    const again = await resent(id, { txCode: { length: 8 } })
    expect(again.txCode).toHaveLength(8)
    expect(await batch()).toMatchObject({ ...secretsIn(again), repeated: true })
  })

  it('leaves out a code that an earlier version did not store', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ txCode: true })
    await rows('UPDATE credential_offer_sessions SET confidential = NULL WHERE id = $1', id)
    expect(secretsOf(ok(await read(id)))).toEqual(['credentialOfferUri', 'qrCode'])
  })

  it('has no address and no code after the offer was taken, has ended or has expired', async () => {
    const { credentialOfferSessionId: taken } = await issuer.makeOffer({ page: true })
    expect((await issuer.take(await issuer.token(taken), JWT_VC)).status).toBe(200)
    expect(ok(await read(taken))).toMatchObject({ state: 'CredentialIssued' })
    const { credentialOfferSessionId: late } = await issuer.makeOffer({ txCode: true, expiresInSeconds: 60 })
    clock.ahead = 61
    for (const id of [taken, late]) expect(secretsOf(ok(await read(id)))).toEqual([])
  })

  it('is for the creator, an admin and the client secret. For another caller the offer is unknown', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const admin = { authorization: await issuer.service.bearer('boss', { roles: ['admin'] }) }
    for (const operator of [admin, { client: true }]) expect(ok(await read(id, operator)).createdBy).toBe('issuer')
    const others = [await read(id, await by('mallory')), await read('unknown')]
    const actions = [
      await send(id, 'cancel', {}, await by('mallory')),
      await send(id, 'resend', {}, await by('mallory')),
    ]
    expect([...others, ...actions].map(({ status, json }) => [status, json.message])).toEqual(
      Array.from({ length: 4 }, () => [404, 'Credential offer not found.']),
    )
    expect((await read(id, {})).status).toBe(401)
    expect(await issuer.session(id)).toMatchObject({ state: 'Created' })
  })

  it('keeps codes and reasons encrypted, and their keys end with their sessions', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ txCode: { input_mode: 'text', length: 32 } })
    const stored = async () =>
      (await rows(`SELECT confidential #>> '{}' AS kept FROM credential_offer_sessions WHERE id = $1`, id))[0]?.kept
    const keys = async () =>
      (await rows(`SELECT 1 FROM content_keys WHERE row_id = $1 AND column_name LIKE 'credential_offer%'`, id)).length
    const { txCode } = ok(await read(id))
    expect(await stored()).not.toContain(txCode)
    await cancelled(id, { reason: 'Wrong person' })
    expect(await stored()).not.toContain('Wrong person')
    expect(await keys()).toBe(1)
    await rows('DELETE FROM credential_offer_sessions WHERE id = $1', id)
    expect(await keys()).toBe(0)
  })

  it('forgets the transaction code of a cancelled offer, with its key', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ txCode: true })
    const keys = () =>
      rows(
        `SELECT 1 FROM content_keys WHERE row_id = $1 AND column_name = 'credential_offer_sessions.confidential'`,
        id,
      )
    expect(await keys()).toHaveLength(1)
    await cancelled(id)
    expect(await keys()).toEqual([])
    expect(await rows('SELECT confidential FROM credential_offer_sessions WHERE id = $1', id)).toEqual([
      { confidential: null },
    ])
  })
})

/** The members of a resent offer that a batch answers too. */
const secretsIn = ({ credentialOfferUri, txCode }: Answer['json']) => ({ credentialOfferUri, txCode })

describe('POST /api/v1/credential-offers/{id}/cancel', () => {
  it('ends the session with an event and an audit event. A repeat changes nothing', async () => {
    const { credentialOfferSessionId: id, credentialOfferUri } = await issuer.makeOffer({ txCode: true, page: true })
    const first = await cancelled(id, { reason: 'Wrong person' })
    expect(first).toMatchObject({ state: 'Error', errorMessage: 'Offer cancelled.', reason: 'Wrong person' })
    expect(secretsOf(first)).toEqual([])
    expect(await cancelled(id, { reason: 'Other' })).toEqual(first)
    expect((await issuer.events(id)).map(({ data }) => data.state)).toEqual(['Created', 'Error'])
    expect(await audited(id)).toEqual(['offering.created by issuer', 'offering.cancelled by issuer'])
    expect(refusalOf(await fetchOffer(credentialOfferUri)).slice(0, 2)).toEqual([400, 'invalid_request'])
    expect(JSON.stringify(await issuer.session(id))).not.toContain('Wrong person')
  })

  it('is a 409 for an offer that was taken, has expired or has failed', async () => {
    const { credentialOfferSessionId: taken } = await issuer.makeOffer()
    await issuer.take(await issuer.token(taken), JWT_VC)
    const { credentialOfferSessionId: late } = await issuer.makeOffer({ expiresInSeconds: 60 })
    const { credentialOfferSessionId: rejected } = await issuer.makeOffer({ deferred: true })
    await issuer.decide(rejected, 'reject')
    clock.ahead = 61
    const ended = [409, 'Credential offer has ended.']
    const refused = [[409, 'Credential offer has been taken.'], ended, ended]
    for (const action of ['cancel', 'resend'] as const) {
      const answers = await Promise.all([taken, late, rejected].map((id) => send(id, action)))
      expect(answers.map(({ status, json }) => [status, json.message])).toEqual(refused)
    }
    expect(await issuer.session(taken)).toMatchObject({ state: 'CredentialIssued' })
  })

  it('stops a wallet that has a code or a token, and a wallet that waits for a decision', async () => {
    const made = await issuer.makeOffer()
    const token = await tokenOf(codeIn(made.credentialOffer))
    const code = await issuer.code(made.credentialOfferSessionId)
    await cancelled(made.credentialOfferSessionId)
    expect(refusalOf(await redeem(code)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect(refusalOf(await issuer.take(token, JWT_VC)).slice(0, 2)).toEqual([400, 'credential_request_denied'])

    const waiting = await issuer.makeOffer({ deferred: true })
    const waits = await tokenOf(codeIn(waiting.credentialOffer))
    const { transaction_id: transaction } = (await issuer.take(waits, JWT_VC)).json
    await issuer.decide(waiting.credentialOfferSessionId, 'approve')
    await cancelled(waiting.credentialOfferSessionId)
    expect(refusalOf(await issuer.collect(waits, transaction)).slice(0, 2)).toEqual([400, 'credential_request_denied'])
  })

  it('races with 50 token requests: no wallet that gets a token gets a credential afterwards', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer()
    const codes = await Promise.all(Array.from({ length: 50 }, () => issuer.code(id)))
    const [cancel, ...tokens] = await Promise.all([send(id, 'cancel'), ...codes.map((code) => redeem(code))])
    expect(cancel?.status).toBe(200)
    const given = tokens.filter(({ status }) => status === 200)
    const taken = await Promise.all(given.map(({ json }) => issuer.take(json.access_token, JWT_VC)))
    expect(taken.map(({ status }) => status)).toEqual(given.map(() => 400))
    expect(await rows('SELECT 1 FROM redemptions WHERE offering_id = $1', id)).toEqual([])
  })

  it('races with 50 credential requests: either the offer is cancelled, or one credential is issued', async () => {
    const outcomes = new Set<number>()
    for (let round = 0; round < 4; round += 1) {
      const { credentialOfferSessionId: id } = await issuer.makeOffer()
      const tokens = await Promise.all(Array.from({ length: 50 }, () => issuer.token(id)))
      const late = new Promise((resolve) => setTimeout(resolve, round * 40))
      const [cancel, ...takes] = await Promise.all([
        late.then(() => send(id, 'cancel')),
        ...tokens.map((token) => issuer.take(token, JWT_VC)),
      ])
      const issued = takes.filter(({ status }) => status === 200).length
      const { state } = await issuer.session(id)
      expect([cancel?.status, issued, state]).toEqual(issued === 0 ? [200, 0, 'Error'] : [409, 1, 'CredentialIssued'])
      expect(await rows('SELECT 1 FROM redemptions WHERE offering_id = $1', id)).toHaveLength(issued)
      outcomes.add(issued)
    }
    expect([...outcomes].length).toBeGreaterThan(0)
  })
})

describe('POST /api/v1/credential-offers/{id}/resend', () => {
  it('keeps session and claims, and replaces address and page. The old ones are dead', async () => {
    const made = await issuer.makeOffer({ page: true, expiresInSeconds: 2 * DAY })
    const id = made.credentialOfferSessionId
    await fetchOffer(made.credentialOfferUri)
    clock.ahead = DAY
    const again = await resent(id)
    expect(again).toMatchObject({ id, state: 'Created', createdBy: 'issuer' })
    expect(again.credentialOfferUri).not.toBe(made.credentialOfferUri)
    expect(again.pageUrl).not.toBe(made.pageUrl)
    const valid = Date.parse(again.expiresAt) - clock.now().getTime()
    expect(Math.round(valid / 60_000)).toBe((2 * DAY) / 60)
    clock.ahead = 0
    expect(refusalOf(await fetchOffer(made.credentialOfferUri))).toEqual([
      400,
      'invalid_request',
      'The credential offer has a new link.',
    ])
    const page = (url: string) => issuer.service.request('GET', new URL(url).pathname)
    expect((await page(made.pageUrl)).status).toBe(404)
    const { status, text } = await page(again.pageUrl)
    expect([status, text.includes(encodeURIComponent(nameOf(again.credentialOfferUri)))]).toEqual([200, true])
    const offer = ok(await fetchOffer(again.credentialOfferUri))
    const taken = await issuer.take(await tokenOf(codeIn(offer)), JWT_VC)
    expect(taken.status, taken.text).toBe(200)
    const events = await issuer.events(id)
    expect(events.map(({ data }) => data.state)).toEqual([
      'Created',
      'OfferRetrieved',
      'Created',
      'OfferRetrieved',
      'TokenIssued',
      'CredentialIssued',
    ])
    expect(events[2]?.data.expiresAt).toBe(again.expiresAt)
    expect((await audited(id)).slice(0, 2)).toEqual(['offering.created by issuer', 'offering.resent by issuer'])
  })

  it('kills codes and tokens of the old link, also several times', async () => {
    const made = await issuer.makeOffer()
    const id = made.credentialOfferSessionId
    const token = await tokenOf(codeIn(made.credentialOffer))
    const code = await issuer.code(id)
    const second = await resent(id)
    const codeOfSecond = codeIn(ok(await fetchOffer(second.credentialOfferUri)))
    const third = await resent(id)
    for (const old of [code, codeOfSecond])
      expect(refusalOf(await redeem(old))).toEqual([400, 'invalid_grant', 'The credential offer has a new link.'])
    expect((await fetchOffer(second.credentialOfferUri)).status).toBe(400)
    expect(refusalOf(await issuer.take(token, JWT_VC)).slice(0, 2)).toEqual([400, 'credential_request_denied'])
    expect(await issuer.session(id)).toMatchObject({ state: 'Created' })
    const fresh = await tokenOf(codeIn(ok(await fetchOffer(third.credentialOfferUri))))
    expect((await issuer.take(fresh, SD_JWT)).status).toBe(200)
  })

  it('refuses an address that is guessed from another address', async () => {
    const first = await issuer.makeOffer()
    const second = await issuer.makeOffer()
    const { credentialOfferUri } = await resent(first.credentialOfferSessionId)
    await resent(second.credentialOfferSessionId)
    const [, number, tag] = nameOf(credentialOfferUri).split('.')
    const id = first.credentialOfferSessionId
    const guesses = [
      `${second.credentialOfferSessionId}.${number}.${tag}`,
      `${id}.1`,
      `${id}.1.`,
      `${id}.2.${tag}`,
      `${id}.1.${tag}.`,
    ]
    const answers = await Promise.all(
      guesses.map((name) => issuer.service.request('GET', `/openid4vci/offers/${name}`)),
    )
    expect(answers.map(({ status }) => status)).toEqual(guesses.map(() => 404))
  })

  it('makes a new transaction code if one is requested. Without a request the earlier code stays', async () => {
    const made = await issuer.makeOffer({ txCode: true })
    const id = made.credentialOfferSessionId
    const wrong = { tx_code: made.txCode === '000000' ? '000001' : '000000' }
    for (let attempt = 0; attempt < 4; attempt += 1) await redeem(await issuer.code(id), wrong)
    const same = await resent(id)
    expect(same.txCode).toBe(made.txCode)
    const fresh = await resent(id, { txCode: { input_mode: 'text', length: 12 } })
    expect(fresh.txCode).toMatch(/^[A-Z2-9]{12}$/)
    const offer = ok(await fetchOffer(fresh.credentialOfferUri))
    expect(offer.grants[PRE_AUTHORIZED].tx_code).toEqual({ input_mode: 'text', length: 12 })
    const refused = refusalOf(await redeem(codeIn(offer), { tx_code: made.txCode }))
    expect(refused).toEqual([400, 'invalid_grant', 'The transaction code is wrong. Attempts left: 4.'])
    await tokenOf(codeIn(offer), { tx_code: fresh.txCode })
  })

  describe('of an offer that wrong transaction codes locked', () => {
    const lock = async (id: string, txCode: string, newCode = () => issuer.code(id)) => {
      const wrong = { tx_code: txCode.replace(/./g, (digit) => (digit === '0' ? '1' : '0')) }
      for (let attempt = 0; attempt < 5; attempt += 1) expect((await redeem(await newCode(), wrong)).status).toBe(400)
      expect(await issuer.session(id)).toMatchObject({ state: 'Error' })
    }

    it('opens the offer with a new link and a new code of the same form. The old ones stay dead', async () => {
      const made = await issuer.makeOffer({ txCode: { length: 12, description: 'Sent by letter' }, page: true })
      const id = made.credentialOfferSessionId
      const old = await issuer.code(id)
      await lock(id, made.txCode)
      expect(ok(await read(id))).toMatchObject({ state: 'Error', txCodeLocked: true })
      const again = await resent(id)
      expect(again).toMatchObject({ state: 'Created', txCode: expect.stringMatching(/^\d{12}$/) })
      expect(again).not.toHaveProperty('errorMessage')
      expect(again).not.toHaveProperty('txCodeLocked')
      expect(again.txCode).not.toBe(made.txCode)
      expect(again.pageUrl).not.toBe(made.pageUrl)
      expect(refusalOf(await redeem(old, { tx_code: again.txCode })).slice(0, 2)).toEqual([400, 'invalid_grant'])
      const offer = ok(await fetchOffer(again.credentialOfferUri))
      const form = { input_mode: 'numeric', length: 12, description: 'Sent by letter' }
      expect(offer.grants[PRE_AUTHORIZED].tx_code).toEqual(form)
      const refused = refusalOf(await redeem(codeIn(offer), { tx_code: made.txCode }))
      expect(refused).toEqual([400, 'invalid_grant', 'The transaction code is wrong. Attempts left: 4.'])
      const token = await tokenOf(codeIn(offer), { tx_code: again.txCode })
      expect((await issuer.take(token, JWT_VC)).status).toBe(200)
      expect(await rows('SELECT ended_at FROM credential_offer_sessions WHERE id = $1', id)).toEqual([
        { ended_at: null },
      ])
      expect((await audited(id)).slice(1, 3)).toEqual(['credential-offer.locked by null', 'offering.resent by issuer'])
    })

    it('can make a code of another form, and can unlock an offer again after further wrong codes', async () => {
      const made = await issuer.makeOffer({ txCode: true })
      const id = made.credentialOfferSessionId
      await lock(id, made.txCode)
      const second = await resent(id, { txCode: { length: 8 } })
      expect(second.txCode).toMatch(/^\d{8}$/)
      await lock(id, second.txCode, async () => codeIn(ok(await fetchOffer(second.credentialOfferUri))))
      const third = await resent(id)
      await tokenOf(codeIn(ok(await fetchOffer(third.credentialOfferUri))), { tx_code: third.txCode })
    })

    it('attack: does not open an offer that has expired, was erased, or belongs to a cancelled batch', async () => {
      const late = await issuer.makeOffer({ txCode: true, expiresInSeconds: 60 })
      await lock(late.credentialOfferSessionId, late.txCode)
      const erased = await issuer.makeOffer({ txCode: true })
      await lock(erased.credentialOfferSessionId, erased.txCode)
      const path = `${PATH}/${erased.credentialOfferSessionId}/erase`
      ok(await issuer.service.request('POST', path, { ...(await by()), body: {} }))
      const row = { key: 'locked', credentialConfigurationIds: [JWT_VC], credentialSubject: SUBJECT, txCode: true }
      const batch = ok(
        await issuer.service.request('POST', `${PATH}/batch`, { ...(await by()), body: { rows: [row] } }),
      )
      const [offer] = batch.offers
      await lock(offer.credentialOfferSessionId, offer.txCode)
      ok(
        await issuer.service.request('POST', `/api/v1/offer-batches/${batch.batchId}/cancel`, {
          ...(await by()),
          body: {},
        }),
      )
      clock.ahead = 61
      for (const { credentialOfferSessionId: id } of [late, erased, offer]) {
        const { status, json } = await send(id, 'resend')
        expect([status, json.message]).toEqual([409, 'Credential offer has ended.'])
        expect(ok(await read(id))).not.toHaveProperty('txCodeLocked')
      }
    })
  })

  it('adds a transaction code to an offer without one, whose old code would have needed none', async () => {
    const made = await issuer.makeOffer()
    const { txCode, credentialOfferUri } = await resent(made.credentialOfferSessionId, { txCode: true })
    expect((await redeem(codeIn(made.credentialOffer))).status).toBe(400)
    const code = codeIn(ok(await fetchOffer(credentialOfferUri)))
    expect(refusalOf(await redeem(code)).slice(0, 2)).toEqual([400, 'invalid_request'])
    await tokenOf(code, { tx_code: txCode })
  })

  it.each([
    [{ grant: 'authorization_code' }, true, 'txCode must not be given with grant authorization_code'],
    [{ profile: 'draft11' }, { length: 12 }, 'txCode must be numeric and no longer than 8 digits with profile draft11'],
  ])('refuses a transaction code that the offer %j cannot have', async (members, txCode, message) => {
    const { credentialOfferSessionId: id, credentialOfferUri } = await issuer.makeOffer(members)
    const { status, json } = await send(id, 'resend', { txCode })
    expect([status, json.message]).toEqual([400, [message]])
    expect(ok(await read(id)).credentialOfferUri).toBe(credentialOfferUri)
  })

  it('is a 409 while a wallet waits for a decision, since its redemption is counted', async () => {
    const made = await issuer.makeOffer({ deferred: true })
    await issuer.take(await tokenOf(codeIn(made.credentialOffer)), JWT_VC)
    const { status, json } = await send(made.credentialOfferSessionId, 'resend')
    expect([status, json.message]).toEqual([409, 'Credential offer has been taken.'])
  })

  it('attack: is a 409 too for a wallet that begins to wait after the offer was read', async () => {
    const made = await issuer.makeOffer({ deferred: true })
    const id = made.credentialOfferSessionId
    const token = await tokenOf(codeIn(made.credentialOffer))
    const store = issuer.service.platform.stores.offersAgain
    const { find } = store
    let reads = 0
    const late: typeof find = async (...asked) => {
      const found = await find(...asked)
      reads += 1
      if (reads === 1) expect((await issuer.take(token, JWT_VC)).status).toBe(202)
      return found
    }
    Object.assign(store, { find: late })
    try {
      const { status, json } = await send(id, 'resend')
      expect([status, json.message]).toEqual([409, 'Credential offer has been taken.'])
    } finally {
      Object.assign(store, { find })
    }
    expect(await issuer.session(id)).toMatchObject({ deferred: 'pending' })
  })

  it('of a withdrawn type keeps its end, until which metadata list the type', async () => {
    const authorization = await issuer.authorization()
    const posted = await issuer.service.request('POST', '/schemas', {
      authorization,
      body: { name: 'Withdrawn', version: 1, schema: { type: 'object', properties: { product: { type: 'string' } } } },
    })
    const made = await issuer.makeOffer({
      credentialConfigurationIds: ['Withdrawn-sd-jwt'],
      credentialSubject: { product: 'Espresso machine' },
    })
    const { expiresAt } = ok(await read(made.credentialOfferSessionId))
    const gone = await issuer.service.request('DELETE', `/schemas/${posted.json.id}`, { authorization })
    expect(gone.status, gone.text).toBeLessThan(300)
    clock.ahead = 3_600
    expect((await resent(made.credentialOfferSessionId)).expiresAt).toBe(expiresAt)
  })

  it('kills the issuer_state, the open pages, the codes and the tokens of the old link', async () => {
    const made = await issuer.makeOffer({ grant: 'authorization_code' })
    const { verifier, challenge } = newPkce()
    const stateOf = (offer: Answer['json']): string => offer.grants.authorization_code.issuer_state
    const addressOf = (issuerState: string) =>
      `/openid4vci/authorize?${new URLSearchParams({
        client_id: 'wallet',
        response_type: 'code',
        redirect_uri: REDIRECT_URI,
        scope: SD_JWT,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        issuer_state: issuerState,
      })}`
    const opened = async (issuerState: string) => {
      const browser = newBrowser(issuer.service)
      const { id, page } = await openPage(browser, addressOf(issuerState))
      return { agree: () => browser.decide(page, id, 'accept') }
    }
    const codeOf = async (issuerState: string) => responseOf(await (await opened(issuerState)).agree()).code ?? ''
    const redeemed = (code: string) =>
      issuer.requestToken({
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: REDIRECT_URI,
        client_id: 'wallet',
      })
    const old = stateOf(made.credentialOffer)
    const tokens = ok(await redeemed(await codeOf(old)))
    const page = await opened(old)
    const code = await codeOf(old)
    const again = await resent(made.credentialOfferSessionId)

    expect(responseOf(await newBrowser(issuer.service).get(addressOf(old)))).toMatchObject({
      error: 'invalid_request',
      error_description: 'The credential offer has a new link.',
    })
    expect((await page.agree()).status).toBe(404)
    expect(refusalOf(await redeemed(code)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: 'wallet' }
    expect(refusalOf(await issuer.requestToken(refresh)).slice(0, 2)).toEqual([400, 'invalid_grant'])
    expect((await issuer.take(tokens.access_token, SD_JWT)).status).toBe(401)

    const fresh = ok(await redeemed(await codeOf(stateOf(ok(await fetchOffer(again.credentialOfferUri))))))
    const next = ok(await issuer.requestToken({ ...refresh, refresh_token: fresh.refresh_token }))
    expect((await issuer.take(next.access_token, SD_JWT)).status).toBe(200)
  })

  it('at once with 20 others makes 20 different links, of which only the last is open', async () => {
    const { credentialOfferSessionId: id } = await issuer.makeOffer({ page: true })
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(id, 'resend')))
    const done = answers.filter(({ status }) => status === 200)
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    const [row] = await rows('SELECT link_number FROM credential_offer_sessions WHERE id = $1', id)
    expect(row?.link_number).toBe(done.length)
    const { credentialOfferUri, pageUrl } = ok(await read(id))
    expect((await fetchOffer(credentialOfferUri)).status).toBe(200)
    expect((await issuer.service.request('GET', new URL(pageUrl).pathname)).status).toBe(200)
    expect(await rows('SELECT 1 FROM pages WHERE offering_id = $1', id)).toHaveLength(1)
  })
})

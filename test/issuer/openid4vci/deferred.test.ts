import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { signCompact } from '../../../server/protocol/jose/jws.js'
import { runTask } from '../../support/maintenance.js'
import { query } from '../../support/postgres.js'
import { type Answer, startService } from '../../support/service.js'
import { recordStatements } from '../../support/statements.js'
import { newWallet, type WalletActor } from '../../support/wallet-actor.js'
import {
  credentialOf,
  type Issuer,
  JWT_VC,
  movingClock,
  PRE_AUTHORIZED,
  payloadOf,
  refusalOf,
  SD_JWT,
  SUBJECT,
  startIssuer,
} from './actors.js'
import { newBrowser, newPkce, openPage, REDIRECT_URI, responseOf } from './browser.js'
import { encryptFor, newAnswerKey, requestKey, sendJwe } from './encryption-actors.js'
import { issuanceTasks } from './issuance-tasks.js'

const DAY = 86_400
const clock = movingClock()
let issuer: Issuer

beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now, maintenance: false })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

const rows = (sql: string, ...values: unknown[]) => query(issuer.service.databaseUrl, sql, values)
const newOffer = async (members: Record<string, unknown> = {}): Promise<string> =>
  (await issuer.makeOffer({ deferred: true, ...members })).credentialOfferSessionId

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** Gets the token response for a new code of an offer. */
async function tokensFor(offerId: string): Promise<Tokens> {
  const answer = await issuer.requestToken({
    grant_type: PRE_AUTHORIZED,
    'pre-authorized_code': await issuer.code(offerId),
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const refresh = (refreshToken: string, more: Record<string, string> = {}) =>
  issuer.requestToken({ grant_type: 'refresh_token', refresh_token: refreshToken, ...more })

const transactionOf = (answer: Answer): string => {
  expect(answer.status, answer.text).toBe(202)
  return answer.json.transaction_id
}

/** Lets a wallet request a configuration of an offer. The wallet then waits. */
async function waiting(members: Record<string, unknown> = {}, configuration = SD_JWT) {
  const offerId = await newOffer(members)
  const tokens = await tokensFor(offerId)
  const wallet = await newWallet()
  const transactionId = transactionOf(await issuer.take(tokens.access_token, configuration, wallet))
  return { offerId, tokens, token: tokens.access_token, wallet, transactionId }
}

const approved = async (offerId: string, body?: unknown) => {
  const answer = await issuer.decide(offerId, 'approve', body)
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

const maintain = async () => {
  for (const task of issuanceTasks(issuer.service)) await runTask(task, clock.now())
}

const onRecord = async (offerId: string) => {
  const [row] = await rows(
    `SELECT o.redemption_count AS counted, count(DISTINCT r.credential_id)::int AS records, count(i.*)::int AS instances
     FROM offerings o LEFT JOIN redemptions r ON r.offering_id = o.id
     LEFT JOIN credential_instances i ON i.credential_id = r.credential_id WHERE o.id = $1 GROUP BY o.id`,
    offerId,
  )
  return row
}

const UNKNOWN = [
  400,
  'invalid_transaction_id',
  'The transaction_id was not given under this access token, or has been used already.',
]

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

describe('a transaction (§9.1)', () => {
  it('is unknown to a wallet that guesses it, and under the token of another authorization', async () => {
    const mine = await waiting()
    const others = await waiting()
    const foreign = [
      [mine.token, others.transactionId],
      [others.token, mine.transactionId],
    ] as const
    for (const [token, transactionId] of foreign)
      expect(refusalOf(await issuer.collect(token, transactionId))).toEqual(UNKNOWN)
    for (const offerId of [mine.offerId, others.offerId]) await approved(offerId)
    const plain = await issuer.token((await issuer.makeOffer()).credentialOfferSessionId)
    for (const [token, transactionId] of [
      ...foreign,
      [plain, mine.transactionId],
      [mine.token, 'guessed'],
      [mine.token, `${mine.transactionId} `],
      [mine.token, 'a\u0000b'],
    ] as const)
      expect(refusalOf(await issuer.collect(token, transactionId))).toEqual(UNKNOWN)
    // Each wallet can collect its own credential. The two tokens for the same offer belong to different authorizations.
    for (const { token, transactionId } of [mine, others]) credentialOf(await issuer.collect(token, transactionId))
  })

  it('needs a transaction_id that is a text, and a token', async () => {
    const { token, transactionId } = await waiting()
    for (const bad of [undefined, '', 7, [transactionId]])
      expect(refusalOf(await issuer.collect(token, bad)).slice(0, 2)).toEqual([400, 'invalid_credential_request'])
    const body = { transaction_id: transactionId }
    const without = await issuer.service.request('POST', '/openid4vci/deferred-credential', { body })
    expect(without.status).toBe(401)
    expect((await issuer.collect('unknown', transactionId)).status).toBe(401)
  })

  it('is collected once, with any number of simultaneous requests and processes', async () => {
    const { service } = issuer
    const other = await startService({
      databaseUrl: service.databaseUrl,
      identityProvider: service.identityProvider,
      maintenance: false,
      clock: clock.now,
      env: { ISSUER_BASE_URL: service.url, VERIFIER_BASE_URL: service.url },
    })
    await using _ = other
    const { offerId, token, transactionId } = await waiting()
    await approved(offerId)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? service : other).request('POST', '/openid4vci/deferred-credential', {
          authorization: `Bearer ${token}`,
          body: { transaction_id: transactionId },
        }),
      ),
    )
    expect(answers.map(({ status, json }) => json.error ?? status).sort()).toEqual([
      200,
      ...Array(19).fill('invalid_transaction_id'),
    ])
    expect(await onRecord(offerId)).toEqual({ counted: 1, records: 1, instances: 1 })
    expect(refusalOf(await issuer.collect(token, transactionId))).toEqual(UNKNOWN)
  })

  it('is replaced by the next transaction for its configuration, if a wallet that lost the answer asks again', async () => {
    const { offerId, token, transactionId } = await waiting()
    const wallet = await newWallet()
    const next = transactionOf(await issuer.take(token, SD_JWT, wallet))
    expect(refusalOf(await issuer.collect(token, transactionId))).toEqual(UNKNOWN)
    await approved(offerId)
    expect(payloadOf(credentialOf(await issuer.collect(token, next))).cnf.jwk).toEqual(wallet.publicJwk)
    expect(await onRecord(offerId)).toEqual({ counted: 1, records: 1, instances: 1 })
  })

  it('whose credentials were lost does no harm: the credential endpoint gives other copies of the same record at once', async () => {
    const { offerId, token, transactionId } = await waiting()
    await approved(offerId)
    credentialOf(await issuer.collect(token, transactionId))
    credentialOf(await issuer.take(token, SD_JWT))
    expect(await onRecord(offerId)).toEqual({ counted: 1, records: 1, instances: 2 })
  })

  it('can be queried and collected in encrypted messages (§10)', async () => {
    const { offerId, token, transactionId, wallet } = await waiting()
    const answerKey = await newAnswerKey()
    const request = JSON.stringify({
      transaction_id: transactionId,
      credential_response_encryption: { jwk: answerKey.publicJwk, enc: 'A256GCM', zip: 'DEF' },
    })
    const ask = async () => {
      const jwe = await encryptFor(await requestKey(issuer.service), request)
      const answer = await sendJwe(issuer.service, token, jwe, 'deferred-credential')
      return { status: answer.status, type: answer.headers.get('content-type'), ...(await answerKey.open(answer.text)) }
    }
    expect(await ask()).toMatchObject({
      status: 202,
      type: 'application/jwt',
      json: { transaction_id: transactionId, interval: 5 },
    })
    await approved(offerId)
    const { status, json } = await ask()
    expect([status, payloadOf(json.credentials[0].credential).cnf.jwk]).toEqual([200, wallet.publicJwk])
  })

  it('asks for no encrypted answer in a request that is not encrypted', async () => {
    const { token, transactionId } = await waiting()
    const answer = await issuer.service.request('POST', '/openid4vci/deferred-credential', {
      authorization: `Bearer ${token}`,
      body: { transaction_id: transactionId, credential_response_encryption: { enc: 'A128GCM', jwk: {} } },
    })
    expect(refusalOf(answer).slice(0, 2)).toEqual([400, 'invalid_encryption_parameters'])
    expect((await issuer.collect(token, transactionId)).status).toBe(202)
  })
})

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

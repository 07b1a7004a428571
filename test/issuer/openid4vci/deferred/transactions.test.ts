import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startService } from '../../../support/service.js'
import { newWallet } from '../../../support/wallet-actor.js'
import { credentialOf, type Issuer, movingClock, payloadOf, refusalOf, SD_JWT, startIssuer } from '../actors.js'
import { encryptFor, newAnswerKey, requestKey, sendJwe } from '../encryption-actors.js'
import { deferredFlow, UNKNOWN } from './flow.js'

const clock = movingClock()
let issuer: Issuer
const { transactionOf, waiting, approved, onRecord } = deferredFlow(() => issuer, clock.now)
beforeAll(async () => {
  issuer = await startIssuer({ clock: clock.now, maintenance: false })
})
afterEach(() => {
  clock.ahead = 0
})
afterAll(() => issuer.service.close())

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

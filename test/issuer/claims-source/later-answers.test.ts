import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { newWallet } from '../../support/wallet-actor.js'
import { credentialOf, refusalOf } from '../openid4vci/actors.js'
import { CLAIMS, type ClaimsWorld, CONFIGURATION, disclosedIn, startClaimsWorld } from './actors.js'
import { claims, json } from './source.js'

let world: ClaimsWorld
beforeAll(async () => {
  world = await startClaimsWorld()
})
afterEach(() => world.forget())
afterAll(() => world.close())

describe('a source that answers later (202)', () => {
  const waiting = async () => {
    world.source.answers((_, response) => json(response, 202, {}))
    const offerId = await world.made()
    const tokens = await world.tokensFor(offerId)
    const wallet = await newWallet()
    const answer = await world.issuer.take(tokens.access_token, CONFIGURATION, wallet)
    expect(answer.status, answer.text).toBe(202)
    return { offerId, token: tokens.access_token, transactionId: answer.json.transaction_id, wallet }
  }

  it('lets the issuer approve with the claims', async () => {
    const { offerId, token, transactionId } = await waiting()
    expect((await world.issuer.session(offerId)).deferred).toBe('pending')
    const without = await world.issuer.decide(offerId, 'approve')
    expect([without.status, without.json.message]).toEqual([
      400,
      ['credentialSubject must be given: the offer has no claims yet'],
    ])
    const wrong = await world.issuer.decide(offerId, 'approve', { credentialSubject: { grade: 1 } })
    expect(wrong.status).toBe(400)
    const approved = await world.issuer.decide(offerId, 'approve', { credentialSubject: CLAIMS })
    expect(approved.status, approved.text).toBe(200)
    const before = world.source.asked.length
    expect(disclosedIn(credentialOf(await world.issuer.collect(token, transactionId)))).toEqual(CLAIMS)
    expect(world.source.asked).toHaveLength(before)
  })

  it('lets the issuer reject', async () => {
    const { offerId, token, transactionId } = await waiting()
    expect((await world.issuer.decide(offerId, 'reject')).status).toBe(200)
    expect(refusalOf(await world.issuer.collect(token, transactionId)).slice(0, 2)).toEqual([
      400,
      'credential_request_denied',
    ])
  })

  it('is asked again when the wallet collects, at most once in an interval of 5 seconds', async () => {
    world.clock.stop()
    const { offerId, token, transactionId, wallet } = await waiting()
    world.source.answers(claims(CLAIMS))
    expect((await world.issuer.collect(token, transactionId)).status).toBe(202)
    // The credential endpoint does not ask either while the wallet waits.
    const again = (await world.issuer.take(token, CONFIGURATION, wallet)).json.transaction_id
    expect((await world.issuer.collect(token, again)).status).toBe(202)
    expect(world.source.asked).toHaveLength(0)
    world.clock.ahead = 6
    // Both requests come before the source answers.
    let answer = () => {}
    world.source.answers((_, response) => {
      answer = () => json(response, 200, { credentialSubject: CLAIMS })
    })
    const first = world.issuer.collect(token, again)
    await expect.poll(() => world.source.asked.length).toBe(1)
    expect((await world.issuer.collect(token, again)).status).toBe(202)
    answer()
    expect((await first).status).toBe(200)
    expect(world.source.asked).toHaveLength(1)
    expect(await world.onRecord(offerId)).toEqual({ counted: 1, redemptions: 1 })
    const session = await world.issuer.session(offerId)
    expect([session.state, session.deferred]).toEqual(['CredentialIssued', 'approved'])
  })
})

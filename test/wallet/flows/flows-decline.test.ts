import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { startRemoteVerifier } from '../../support/remote-verifier.js'
import type { HostedWallet } from '../../support/wallet.js'
import { newRemoteKey } from '../../support/wallet-callbacks.js'
import { startRemoteServer } from '../../support/wallet-http.js'
import { ask, sessionOf } from '../../verifier/actors.js'
import { type FlowWorld, makeFlowWorld, NOT_FOUND } from '../flow-world.js'

let world: FlowWorld
let holder: HostedWallet

beforeAll(async () => {
  world = await makeFlowWorld()
  holder = await world.holding('dora')
})
beforeEach(() => {
  world.later = 0
})
afterAll(() => world.close())

const decline = (processId: string, authorization = holder.authorization) =>
  world.service.request('POST', `/flows/${processId}/decline`, { authorization })

async function startedWith(qrContent: string) {
  const { json } = await world.start(qrContent, holder.did, holder.authorization)
  return json.data
}

const startedOffer = async () => startedWith((await world.offering()).offering_full_url)

const presented = async () => (await holder.get('/presentations')).json.length

describe('declining a presentation', () => {
  it('the verifier of this service receives access_denied, and the person continues at its address', async () => {
    const asked = await ask(world.service, { dcqlQuery: world.dcqlQuery(), redirectUri: 'https://shop.example/done' })
    const { processId } = await startedWith(asked.authorizationRequestUri)
    const answer = await decline(processId)
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        status: 'declined',
        message: 'Presentation declined.',
        data: { redirectUri: expect.stringContaining('https://shop.example/done?response_code=') },
      },
    ])
    expect(await sessionOf(world.service, asked)).toMatchObject({
      state: 'Error',
      errorMessage: 'Wallet answered access_denied.',
    })
    expect(await presented()).toBe(0)
  })

  it.each(['direct_post', 'direct_post.jwt'] as const)('by %s: with the state, encrypted if possible', async (mode) => {
    await using verifier = await startRemoteVerifier()
    const payload = { state: 'state-of-the-request' }
    const { processId } = await startedWith(await verifier.request(world.dcqlQuery(), { mode, payload }))
    const answer = await decline(processId)
    // This verifier names no page to which the user returns.
    expect(answer.json).toEqual({ status: 'declined', message: 'Presentation declined.' })
    expect(verifier.refusals).toEqual([
      { error: 'access_denied', state: 'state-of-the-request', encrypted: mode === 'direct_post.jwt' },
    ])
    expect(verifier.responses).toEqual([])
  })

  it('without encryption if there is no key for it (§8.3.1)', async () => {
    await using verifier = await startRemoteVerifier()
    const options = { mode: 'direct_post.jwt', payload: { client_metadata: {} } } as const
    const { processId } = await startedWith(await verifier.request(world.dcqlQuery(), options))
    expect((await decline(processId)).status).toBe(200)
    expect(verifier.refusals).toMatchObject([{ error: 'access_denied', encrypted: false }])
  })

  it.each([
    ['answers with a wrong body', { status: 500, body: 'x' }],
    ['sends users to an address that a browser would execute', { body: { redirect_uri: 'javascript:alert(1)' } }],
  ])('a verifier that %s does not prevent the decline', async (_what, answer) => {
    await using server = await startRemoteServer(() => ({ '/response': () => answer }))
    const clientId = `redirect_uri:${server.url}/response`
    const params = new URLSearchParams({
      client_id: clientId,
      response_type: 'vp_token',
      response_mode: 'direct_post',
      nonce: 'n',
      dcql_query: JSON.stringify(world.dcqlQuery()),
    })
    const { processId } = await startedWith(`openid4vp://?${params}`)
    const declined = await decline(processId)
    expect([declined.status, declined.json]).toEqual([200, { status: 'declined', message: 'Presentation declined.' }])
    expect(server.seen.map(({ text }) => text)).toEqual(['error=access_denied'])
  })

  it('an unreachable verifier does not prevent the decline', async () => {
    const verifier = await startRemoteVerifier()
    const { processId } = await startedWith(await verifier.request(world.dcqlQuery()))
    await verifier.close()
    expect((await decline(processId)).json).toEqual({ status: 'declined', message: 'Presentation declined.' })
  })
})

describe('declining an offer', () => {
  it('ends the flow; the offering does not change', async () => {
    const offered = await world.offering()
    const { processId } = await startedWith(offered.offering_full_url)
    const answer = await decline(processId)
    expect([answer.status, answer.json]).toEqual([200, { status: 'declined', message: 'Offer declined.' }])
    expect((await holder.process(offered.offering_full_url)).status).toBe(200)
  })

  it('also works for DIDs of the token', async () => {
    const { authorization, did } = await world.guest('guest who declines')
    const { json } = await world.start((await world.offering()).offering_full_url, did, authorization)
    expect((await decline(json.data.processId, authorization)).status).toBe(200)
  })
})

describe('a decision counts once', () => {
  it('declined, it cannot be confirmed or declined again: 409, and the verifier is notified once', async () => {
    await using verifier = await startRemoteVerifier()
    const data = await startedWith(await verifier.request(world.dcqlQuery()))
    await decline(data.processId)
    const [chosen] = data.matchingCredentials
    const confirmed = await world.confirm(data.processId, 'presentation', chosen, holder.authorization)
    expect([confirmed.status, confirmed.json.message]).toEqual([409, 'Flow is already declined.'])
    const again = await decline(data.processId)
    expect([again.status, again.json.message, again.json.error]).toEqual([409, 'Flow is already declined.', 'Conflict'])
    expect([verifier.refusals.length, verifier.responses.length]).toEqual([1, 0])
  })

  it('confirmed, it cannot be declined: 409', async () => {
    const { processId } = await startedOffer()
    await world.confirm(processId, 'claim', {}, holder.authorization)
    const answer = await decline(processId)
    expect([answer.status, answer.json.message]).toEqual([409, 'Flow is already confirmed.'])
  })

  it('of ten at once one counts, and one error is sent', async () => {
    await using verifier = await startRemoteVerifier()
    const { processId } = await startedWith(await verifier.request(world.dcqlQuery()))
    const answers = await Promise.all(Array.from({ length: 10 }, () => decline(processId)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
    expect(verifier.refusals).toHaveLength(1)
  })

  it('a flow whose confirmation failed may be declined', async () => {
    await using verifier = await startRemoteVerifier({
      answer: () => ({ status: 400, body: { error: 'invalid_request' } }),
    })
    const data = await startedWith(await verifier.request(world.dcqlQuery()))
    const [chosen] = data.matchingCredentials
    expect((await world.confirm(data.processId, 'presentation', chosen, holder.authorization)).status).toBe(500)
    expect((await decline(data.processId)).status).toBe(200)
    expect(verifier.refusals).toMatchObject([{ error: 'access_denied' }])
  })
})

describe('only own flows can be declined', () => {
  it.each(NOT_FOUND)('a flow that is %s: 404', async (_what, id) => {
    const processId = await id(world, holder)
    const authorization = await world.service.bearer('dora', { expiresIn: 3_600 })
    const answer = await decline(processId, authorization)
    expect([answer.status, answer.json.message]).toEqual([404, 'Flow not found.'])
  })

  it('a caller without a token', async () => {
    const { processId } = await startedOffer()
    expect((await world.service.request('POST', `/flows/${processId}/decline`)).status).toBe(401)
  })

  it('the audit names the caller', async () => {
    const { processId } = await startedOffer()
    await decline(processId)
    const rows = await query(
      world.service.databaseUrl,
      'SELECT actor, action FROM audit_events WHERE subject_id = $1',
      [processId],
    )
    expect(rows).toEqual([
      { actor: 'dora', action: 'flow.started' },
      { actor: 'dora', action: 'flow.declined' },
    ])
  })

  it('a flow of a deleted DID can still be declined', async () => {
    const { did } = await newRemoteKey()
    const authorization = await world.service.bearer('a guest', { did })
    const { json } = await world.start((await world.offering()).offering_full_url, did, authorization)
    const changed = await world.service.bearer('a guest')
    expect((await decline(json.data.processId, changed)).status).toBe(200)
  })
})

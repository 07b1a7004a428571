import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { newWallet } from '../../support/wallet.js'
import { type FlowWorld, makeFlowWorld, NOT_FOUND } from '../flow-world.js'

let world: FlowWorld

beforeAll(async () => {
  world = await makeFlowWorld()
})
beforeEach(() => {
  world.later = 0
})
afterAll(() => world.close())

describe('states of a flow', () => {
  it('confirmed twice: 409, and only the first counts', async () => {
    const { authorization, did } = await world.guest()
    const { json } = await world.start((await world.offering()).offering_full_url, did, authorization)
    expect((await world.confirm(json.data.processId, 'claim', {}, authorization)).status).toBe(200)
    const again = await world.confirm(json.data.processId, 'claim', {}, authorization)
    expect([again.status, again.json.message, again.json.error]).toEqual([
      409,
      'Flow is already confirmed.',
      'Conflict',
    ])
  })

  it('of ten confirmations at once one counts', async () => {
    const { authorization, did } = await world.guest()
    const offered = await world.offering({ redemption_limit: 10 })
    const { json } = await world.start(offered.offering_full_url, did, authorization)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.confirm(json.data.processId, 'claim', {}, authorization)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
    const [row] = await query<{ count: number }>(
      world.service.databaseUrl,
      'SELECT redemption_count AS count FROM offerings WHERE id = $1',
      [offered.id],
    )
    expect(row?.count).toBe(1)
  })

  it('another type than the type of the flow: 400', async () => {
    const { json } = await world.start((await world.offering()).offering_full_url)
    const answer = await world.confirm(json.data.processId, 'presentation')
    expect([answer.status, answer.json.message]).toEqual([400, ['type must be claim']])
  })

  it.each(NOT_FOUND)('a flow that is %s: 404', async (_what, id) => {
    const processId = await id(world, world.wallet)
    const authorization = await world.service.bearer('alice', { roles: ['admin'], expiresIn: 3_600 })
    const answer = await world.confirm(processId, 'claim', {}, authorization)
    expect([answer.status, answer.json.message, answer.json.error]).toEqual([404, 'Flow not found.', 'Not Found'])
  })

  it.each([
    [{}, ['type must be defined', 'selectedCredential must be defined']],
    [{ type: 'sign', selectedCredential: {} }, ['type must be one of claim, presentation']],
    [{ type: 'claim', selectedCredential: 'x' }, ['selectedCredential must be an object']],
    [{ type: 'claim', selectedCredential: {}, pin: 1 }, ['property pin should not exist']],
  ])('a confirmation %j: 400', async (body, message) => {
    const { json } = await world.start((await world.offering()).offering_full_url)
    const answer = await world.service.request('POST', `/flows/${json.data.processId}/confirm`, {
      authorization: world.wallet.authorization,
      body,
    })
    expect([answer.status, answer.json.message]).toEqual([400, message])
  })

  it('a holder that no longer has the DID is denied', async () => {
    const holder = await newWallet(world.service, 'kate')
    const { json } = await world.start((await world.offering()).offering_full_url, holder.did, holder.authorization)
    await holder.request('DELETE', `/dids/${encodeURIComponent(holder.did)}`)
    const answer = await world.confirm(json.data.processId, 'claim', {}, holder.authorization)
    expect([answer.status, answer.json.message]).toEqual([403, 'Access to holder denied.'])
  })

  it('expired flows are deleted in batches', async () => {
    const { json } = await world.start((await world.offering()).offering_full_url)
    const { flows } = world.service.platform.stores
    const rows = () => query(world.service.databaseUrl, 'SELECT 1 FROM flows WHERE id = $1', [json.data.processId])
    expect(await flows.removeExpired(new Date(Date.now() + 9 * 60_000), 200)).toMatchObject({ count: 0, more: false })
    expect(await rows()).toHaveLength(1)
    expect(await flows.removeExpired(new Date(Date.now() + 11 * 60_000), 1)).toMatchObject({ count: 1, more: true })
    while ((await flows.removeExpired(new Date(Date.now() + 11 * 60_000), 200)).more);
    expect(await rows()).toEqual([])
  })
})

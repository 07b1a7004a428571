import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRemoteServer } from '../../support/wallet-http.js'
import { type HostileWorld, makeHostileWorld } from '../hostile-world.js'

let world: HostileWorld

beforeAll(async () => {
  world = await makeHostileWorld()
})
afterAll(() => world.close())

describe('actions that a request may not cause in the wallet', () => {
  it('fetch metadata by reference, without the outbound guard', async () => {
    const payload = { client_metadata: undefined, client_metadata_uri: `${world.elsewhere.url}/metadata` }
    const signed = await world.refusalOf({ payload })
    expect(signed).toMatchObject({ status: 500, presented: 0 })
    expect(signed.message).toContain('client_metadata_uri')
    const unsigned = await world.refusalOf({
      prefix: 'redirect_uri',
      payload: { client_metadata_uri: `${world.elsewhere.url}/metadata` },
    })
    expect(unsigned).toMatchObject({ status: 500, presented: 0 })
    expect(unsigned.message).toContain('client_metadata_uri')
    expect(world.elsewhere.seen).toEqual([])
  })

  it('answer an unknown query language', async () => {
    const payload = { dcql_query: undefined, scope: 'com.example.diploma' }
    const refusal = await world.refusalOf({ payload })
    expect(refusal).toEqual({
      status: 500,
      message: 'The authorization request has no dcql_query.',
      presented: 0,
    })
  })

  it('approve a transaction that no user has seen (§5.1)', async () => {
    const entry = { type: 'payment', credential_ids: ['diploma'], amount: '1000000' }
    const transactionData = [Buffer.from(JSON.stringify(entry)).toString('base64url')]
    const refusal = await world.refusalOf({ payload: { transaction_data: transactionData } })
    expect(refusal).toEqual({
      status: 400,
      message: 'Request has transaction data, which a person confirms: start a flow with it.',
      presented: 0,
    })
  })

  it.each([['fragment'], ['query'], ['dc_api'], ['dc_api.jwt'], [undefined]])(
    'answer in the response mode %s',
    async (mode) => {
      const refusal = await world.refusalOf({ payload: { response_mode: mode } })
      expect(refusal).toMatchObject({ status: 500, presented: 0 })
      expect(refusal.message).toMatch(/response_mode|response mode/)
    },
  )

  it('encrypt for a key that is not in the request', async () => {
    const refusal = await world.refusalOf({ mode: 'direct_post.jwt', payload: { client_metadata: {} } })
    expect(refusal).toMatchObject({ status: 500, presented: 0 })
    expect(refusal.message).toContain("Missing 'jwks'")
  })

  it.each([
    ['is malformed', { credentials: [{ id: 'a b', format: 'dc+sd-jwt', meta: {} }] }, 'The DCQL query is not valid.'],
    ['has no credentials', { credentials: [] }, 'The DCQL query is not valid.'],
    [
      'names a query that does not exist',
      {
        ...JSON.parse('{"credentials":[{"id":"a","format":"dc+sd-jwt","meta":{"vct_values":["x"]}}]}'),
        credential_sets: [{ options: [['b']] }],
      },
      'The DCQL query is not valid.',
    ],
    [
      'asks for too many credentials',
      {
        credentials: Array.from({ length: 21 }, (_, index) => ({
          id: `q${index}`,
          format: 'dc+sd-jwt',
          meta: { vct_values: ['x'] },
        })),
      },
      'The DCQL query asks for too much at once.',
    ],
    [
      'is too large',
      { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['x'.repeat(40_000)] } }] },
      'The DCQL query is too large.',
    ],
  ])('process a query that %s', async (_what, query, message) => {
    expect(await world.refusalOf({}, query)).toEqual({ status: 500, message, presented: 0 })
  })

  it('read an endless request object', async () => {
    await using flooding = await startRemoteServer(() => ({ '/request': () => ({ body: 'a'.repeat(300_000) }) }))
    const params = { client_id: 'decentralized_identifier:did:jwk:x', request_uri: `${flooding.url}/request` }
    const answer = await world.wallet.process(`openid4vp://?${new URLSearchParams(params)}`)
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('answered with more than 262144 bytes')
  })

  it('fetch a request object from this service’s own management routes', async () => {
    const params = {
      client_id: 'decentralized_identifier:did:jwk:x',
      request_uri: `${world.service.url}/agent/holders`,
    }
    const answer = await world.wallet.process(`openid4vp://?${new URLSearchParams(params)}`)
    expect(answer.status).toBe(500)
    expect(answer.json.message).toContain('this service itself')
  })
})

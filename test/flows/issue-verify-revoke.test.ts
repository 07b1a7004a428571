import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'

const SCHEMA = {
  name: 'ProofOfPurchase',
  version: 1,
  schema: {
    type: 'object',
    properties: { product: { type: 'string' }, price: { type: 'number' } },
    required: ['product'],
    additionalProperties: false,
  },
}

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

describe('the life of a credential', () => {
  it('a credential is offered, claimed, verified, revoked and then refused', async () => {
    const authorization = await service.bearer('alice')
    const schema = await service.request('POST', '/schemas', { authorization, body: SCHEMA })
    expect(schema.status).toBe(201)
    const offering = await service.request('POST', '/api/v1/offerings', {
      client: true,
      body: { credential_type: 'ProofOfPurchase', credential_subject: { product: 'Espresso machine', price: 249 } },
    })
    expect(offering.status).toBe(201)
    const claimed = await service.request('POST', `/api/v1/offerings/${offering.json.id}/claim`, { authorization })
    expect(claimed.status).toBe(200)
    const credential = claimed.json.vc.proof.jws

    const verified = await service.request('POST', '/credentials/verify', { authorization, body: { credential } })
    expect(verified.json).toMatchObject({ isValid: true, format: 'jwt_vc' })

    const revoked = await service.request('POST', `/api/v1/credentials/${claimed.json.id}/revoke`, { client: true })
    expect([revoked.status, revoked.text]).toEqual([200, ''])

    const refused = await service.request('POST', '/credentials/verify', { authorization, body: { credential } })
    expect(refused.json).toEqual({ isValid: false, error: 'Credential has been revoked.' })
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../support/service.js'
import { LOOPBACK, newWallet } from '../../support/wallet.js'
import { postOffering, postSchema } from '../purchase.js'

let service: TestService
let id: string
let offeringId: string

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
  const { name } = await postSchema(service, await service.bearer('alice'))
  const { id: offering, offering_full_url } = await postOffering(service, { credential_type: name })
  offeringId = offering
  const wallet = await newWallet(service, 'wally')
  expect((await wallet.process(offering_full_url)).status).toBe(200)
  const { json } = await service.request('GET', `/api/v1/credentials?offeringId=${offering}`, { client: true })
  id = json.items[0].id
})
afterAll(() => service.close())

const read = () => service.request('GET', `/api/v1/credentials/${id}/history`, { client: true })

describe('GET /api/v1/credentials/{id}/history', () => {
  it('shows each copy, its status, and the events of credential and offering', async () => {
    const { status, json, text } = await read()
    expect(status, text).toBe(200)
    expect(json.credential).toMatchObject({ id, offeringId, status: 'active' })
    expect(json.instanceCount).toBe(json.instances.length)
    expect(json.instances.length).toBeGreaterThan(0)
    for (const instance of json.instances)
      expect(instance).toEqual({
        configurationId: expect.any(String),
        format: expect.any(String),
        statusListId: expect.any(String),
        statusListIndex: expect.any(Number),
        status: 'active',
      })
    const acts = json.events.map(({ action }: { action: string }) => action)
    expect(acts.at(-1)).toBe('offering.created')
    expect(new Set(acts)).toEqual(new Set(['credential.issued', 'offering.created']))
    expect(text).not.toMatch(/Espresso|eyJ/)
  })

  it('has the time of the revocation in every copy', async () => {
    await service.request('POST', `/api/v1/credentials/${id}/revoke`, { client: true })
    const { json } = await read()
    expect(json.credential.status).toBe('revoked')
    for (const { status, revokedAt } of json.instances)
      expect([status, revokedAt]).toEqual(['revoked', json.credential.revokedAt])
    expect(json.events[0].action).toBe('credential.revoked')
  })

  it('an unknown credential is a 404, and a token alone is not enough', async () => {
    const unknown = await service.request('GET', `/api/v1/credentials/${crypto.randomUUID()}/history`, { client: true })
    expect([unknown.status, unknown.json.message]).toEqual([404, 'Credential not found.'])
    const authorization = await service.bearer('wally')
    expect((await service.request('GET', `/api/v1/credentials/${id}/history`, { authorization })).status).toBe(403)
  })
})

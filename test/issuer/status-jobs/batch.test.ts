import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { credentialOf, type Issuer, startIssuer } from '../openid4vci/actors.js'
import { newTypeName, postSchema, SUBJECT } from '../purchase.js'
import { begin, ended, post, sign } from './jobs.js'

const NOBODY = '00000000-0000-4000-8000-000000000000'

let issuer: Issuer
let type: string
beforeAll(async () => {
  issuer = await startIssuer({ maintenance: false })
  const members = { name: newTypeName(), suspendable: true }
  type = (await postSchema(issuer.service, await issuer.authorization(), members)).name
})
afterAll(() => issuer.service.close())

interface Batch {
  readonly id: string
  readonly offers: readonly string[]
}

async function batchOf(count: number): Promise<Batch> {
  const rows = Array.from({ length: count }, () => ({
    key: randomUUID(),
    credentialConfigurationIds: [`${type}-sd-jwt`],
    credentialSubject: SUBJECT,
  }))
  const answer = await issuer.service.request('POST', '/api/v1/credential-offers/batch', {
    authorization: await issuer.authorization(),
    body: { rows },
  })
  expect(answer.status, answer.text).toBe(200)
  const offers: readonly { readonly credentialOfferSessionId: string }[] = answer.json.offers
  return { id: answer.json.batchId, offers: offers.map((offer) => offer.credentialOfferSessionId) }
}

/** A wallet takes an offer of a batch. Returns the id of the record. */
async function taken({ offers }: Batch, at: number): Promise<string> {
  const offer = offers[at] ?? ''
  credentialOf(await issuer.take(await issuer.token(offer), `${type}-sd-jwt`))
  const { json } = await issuer.service.request('GET', `/api/v1/credentials?offeringId=${offer}`, { client: true })
  return json.items[0].id
}

const statusesOf = (...ids: string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const { json } = await issuer.service.request('GET', `/api/v1/credentials/${id}/status`, { client: true })
      return json.status
    }),
  )

describe('a status job for a batch of offers', () => {
  it('changes the credentials of the taken offers, and no others', async () => {
    const [batch, other] = [await batchOf(3), await batchOf(1)]
    const [first, second] = [await taken(batch, 0), await taken(batch, 1)]
    const foreign = await taken(other, 0)
    const { id: alone } = await sign(issuer.service, await issuer.authorization(), type)
    const filter = { batch: batch.id }
    const dry = await post(issuer.service, { action: 'suspend', filter, dryRun: true })
    expect([dry.status, dry.json]).toMatchObject([200, { matched: 2, change: 2 }])
    const job = await begin(issuer.service, { action: 'suspend', filter })
    expect(job.filter).toEqual(filter)
    expect(await ended(issuer.service, job.id)).toMatchObject({ matched: 2, done: 2, failed: 0 })
    expect(await statusesOf(first, second, foreign, alone)).toEqual(['suspended', 'suspended', 'active', 'active'])
    // The other members of the filter narrow the batch.
    const narrow = { ...filter, ids: [second, foreign] }
    const one = await begin(issuer.service, { action: 'reinstate', filter: narrow })
    expect(await ended(issuer.service, one.id)).toMatchObject({ matched: 1, done: 1 })
    expect(await statusesOf(first, second, foreign, alone)).toEqual(['suspended', 'active', 'active', 'active'])
  })

  it('is refused while another job has a credential of the batch', async () => {
    const batch = await batchOf(1)
    const id = await taken(batch, 0)
    const waiting = await begin(issuer.service, { action: 'suspend', filter: { batch: batch.id } })
    const answer = await post(issuer.service, { action: 'revoke', filter: { ids: [id] } })
    expect([answer.status, answer.json.message]).toEqual([409, expect.stringContaining(waiting.id)])
    await ended(issuer.service, waiting.id)
  })

  it('matches nothing for an unknown batch, or for the id of an offer', async () => {
    const batch = await batchOf(1)
    await taken(batch, 0)
    for (const unknown of [NOBODY, batch.offers[0]]) {
      const answer = await post(issuer.service, { action: 'revoke', filter: { batch: unknown }, dryRun: true })
      expect([answer.status, answer.json.matched]).toEqual([200, 0])
    }
  })

  it.each([[''], [7], [[NOBODY]], [null]])('is refused for the id %j, by the name of the field', async (batch) => {
    const { status, json } = await post(issuer.service, { action: 'revoke', filter: { batch } })
    expect([status, [json.message].flat().join()]).toEqual([400, expect.stringContaining('filter.batch')])
  })
  it('takes the id that GET of the batch returns, also in upper case', async () => {
    const batch = await batchOf(1)
    const id = await taken(batch, 0)
    const { json } = await issuer.service.request('GET', `/api/v1/offer-batches/${batch.id}`, { client: true })
    for (const [action, given, status] of [
      ['suspend', json.id, 'suspended'],
      ['reinstate', json.id.toUpperCase(), 'active'],
    ] as const) {
      const job = await begin(issuer.service, { action, filter: { batch: given } })
      expect(job).toMatchObject({ filter: { batch: batch.id }, matched: 1 })
      await ended(issuer.service, job.id)
      expect(await statusesOf(id)).toEqual([status])
    }
  })
})

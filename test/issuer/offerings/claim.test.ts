import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { postOffering, postSchema, SUBJECT } from '../purchase.js'

const RECIPIENT = 'did:example:recipient'

let service: TestService
let now = Date.now()
let alice: string
let type: string

beforeAll(async () => {
  service = await startService({ clock: () => new Date(now) })
  alice = await service.bearer('alice')
  type = (await postSchema(service, alice)).name
})
afterAll(() => service.close())

const offer = async (members: Readonly<Record<string, unknown>> = {}): Promise<string> =>
  (await postOffering(service, { credential_type: type, ...members })).id

const claim = (id: string, authorization: string) =>
  service.request('POST', `/api/v1/offerings/${id}/claim`, { authorization })

const redemptionsOf = (id: string) =>
  query(
    service.databaseUrl,
    `SELECT r.recipient_did, r.redeemed_by, o.redemption_count FROM redemptions r JOIN offerings o ON o.id = r.offering_id
     WHERE r.offering_id = $1`,
    [id],
  )

const newHolder = async (sub: string): Promise<string> => {
  const authorization = await service.bearer(sub, { roles: ['admin'] })
  const answer = await service.request('POST', '/agent/holder', { authorization, body: { method: 'key' } })
  expect(answer.status).toBe(201)
  return answer.json.did
}

describe('POST /api/v1/offerings/{id}/claim', () => {
  it('answers 200 with `id` and `vc` alone, signed, with the subject and schema of the offering', async () => {
    const answer = await claim(await offer(), alice)
    expect(answer.status).toBe(200)
    const { id, vc } = answer.json
    expect(answer.json).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), vc })
    expect(vc).toMatchObject({
      id: `urn:uuid:${id}`,
      type: ['VerifiableCredential', type],
      credentialSubject: SUBJECT,
      credentialSchema: { type: 'JsonSchemaValidator2018' },
    })
    expect(decodeJwt(vc.proof.jws)).toMatchObject({ jti: `urn:uuid:${id}`, vc: { credentialSubject: SUBJECT } })
  })

  it('is a redemption without a DID if the caller has none', async () => {
    const id = await offer()
    await claim(id, await service.bearer('nobody'))
    const { json } = await service.request('GET', '/api/v1/offerings', { client: true })
    const listed = json.find((each: { id: string }) => each.id === id)
    expect(listed.redemptions).toMatchObject([{ offering_id: id, recipient_did: '' }])
  })

  it('works without a body and without a content type, and refuses a member in a body', async () => {
    const id = await offer()
    const path = `/api/v1/offerings/${id}/claim`
    const empty = await service.request('POST', path, { authorization: alice, body: {} })
    expect(empty.status).toBe(200)
    const answer = await service.request('POST', path, { authorization: alice, body: { did: RECIPIENT } })
    expect([answer.status, answer.json.message]).toEqual([400, ['property did should not exist']])
  })

  it('answers 401 without a token; the client secret does not count as one', async () => {
    const id = await offer({ redemption_limit: 1 })
    const answer = await service.request('POST', `/api/v1/offerings/${id}/claim`, { client: true })
    expect([answer.status, answer.json.message]).toEqual([401, 'Unauthorized'])
    expect(await redemptionsOf(id)).toEqual([])
  })

  it.each([randomUUID(), 'unknown'])('answers 404 `Offering not found.` for %s', async (id) => {
    const answer = await claim(id, alice)
    expect([answer.status, answer.json.message, answer.json.error]).toEqual([404, 'Offering not found.', 'Not Found'])
  })

  it('answers 409 `Offering redemption limit reached.` after the allowed number of claims by any callers', async () => {
    const id = await offer({ redemption_limit: 2 })
    expect((await claim(id, alice)).status).toBe(200)
    expect((await claim(id, await service.bearer('bob'))).status).toBe(200)
    const answer = await claim(id, alice)
    expect([answer.status, answer.json.message, answer.json.error]).toEqual([
      409,
      'Offering redemption limit reached.',
      'Conflict',
    ])
    expect(await redemptionsOf(id)).toHaveLength(2)
  })

  it('answers 410 `Offering has expired.` from expires_at, to the millisecond, also if the limit is reached', async () => {
    const expiresAt = now + 60_000
    const id = await offer({ redemption_limit: 1, expires_at: new Date(expiresAt).toISOString() })
    now = expiresAt - 1
    expect((await claim(id, alice)).status).toBe(200)
    now = expiresAt
    const answer = await claim(id, alice)
    expect([answer.status, answer.json.message, answer.json.error]).toEqual([410, 'Offering has expired.', 'Gone'])
    expect(await redemptionsOf(id)).toHaveLength(1)
  })

  it('answers 403 `Offering is for another recipient.` unless the recipient is one of the caller’s DIDs', async () => {
    const id = await offer({ recipient: RECIPIENT, redemption_limit: 1 })
    for (const did of [undefined, 'did:example:other', `${RECIPIENT}2`, `${RECIPIENT}#key`]) {
      const answer = await claim(id, await service.bearer('bob', did === undefined ? {} : { did }))
      expect([answer.status, answer.json.message, answer.json.error]).toEqual([
        403,
        'Offering is for another recipient.',
        'Forbidden',
      ])
    }
    const admin = await claim(id, await service.bearer('root', { roles: ['admin'] }))
    expect(admin.status).toBe(403)
    expect(await redemptionsOf(id)).toEqual([])
    const answer = await claim(id, await service.bearer('bob', { did: ['did:example:other', RECIPIENT] }))
    expect(answer.json.vc.credentialSubject).toEqual({ id: RECIPIENT, ...SUBJECT })
    expect(await redemptionsOf(id)).toEqual([{ recipient_did: RECIPIENT, redeemed_by: 'bob', redemption_count: 1 }])
  })

  it('accepts a DID of a holder that the caller created, and not a DID of another caller’s holder', async () => {
    const did = await newHolder('holly')
    const id = await offer({ recipient: did })
    expect((await claim(id, await service.bearer('bob'))).status).toBe(403)
    const answer = await claim(id, await service.bearer('holly'))
    expect([answer.status, answer.json.vc.credentialSubject.id]).toEqual([200, did])
  })

  it('names the caller as the subject if the caller has exactly one DID, in the token or in a holder', async () => {
    const id = await offer()
    const subjectIdFor = async (authorization: string) => {
      const { json } = await claim(id, authorization)
      const { sub } = decodeJwt(json.vc.proof.jws)
      expect(sub).toBe(json.vc.credentialSubject.id)
      return sub
    }
    expect(await subjectIdFor(await service.bearer('none'))).toBeUndefined()
    expect(await subjectIdFor(await service.bearer('one', { did: 'did:example:one' }))).toBe('did:example:one')
    expect(await subjectIdFor(await service.bearer('two', { did: ['did:example:1', 'did:example:2'] }))).toBeUndefined()
    const held = await newHolder('helen')
    expect(await subjectIdFor(await service.bearer('helen'))).toBe(held)
    expect(await subjectIdFor(await service.bearer('helen', { did: held }))).toBe(held)
    expect(await subjectIdFor(await service.bearer('helen', { did: 'did:example:helen' }))).toBeUndefined()
  })

  it('reads only DIDs from the token claim', async () => {
    const { json } = await claim(await offer(), await service.bearer('mallory', { did: 'https://example.org/me' }))
    expect(json.vc.credentialSubject).toEqual(SUBJECT)
  })

  it('issues with the schema version with which the offering was made', async () => {
    const schema = await postSchema(service, alice)
    const id = (await postOffering(service, { credential_type: schema.name })).id
    await postSchema(service, alice, { name: schema.name, version: 2, schema: { required: ['serial'] } })
    const answer = await claim(id, alice)
    expect([answer.status, answer.json.vc.credentialSchema.id]).toEqual([200, schema.schemaUri])
  })

  it('sets `exp` and `expirationDate` from the expiry of the type', async () => {
    const schema = await postSchema(service, alice, { expiresInDays: 30 })
    const { json } = await claim((await postOffering(service, { credential_type: schema.name })).id, alice)
    const { exp = 0, nbf = 0 } = decodeJwt(json.vc.proof.jws)
    expect(exp - nbf).toBe(30 * 24 * 60 * 60)
    expect(Date.parse(json.vc.expirationDate)).toBe(exp * 1000)
    expect(Date.parse(json.vc.issuanceDate)).toBe(nbf * 1000)
  })

  it('leaves no redemption, no credential and no audit row if the last redemption was used meanwhile', async () => {
    const id = await offer({ redemption_limit: 1 })
    const answers = await Promise.all(Array.from({ length: 12 }, () => claim(id, alice)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)])
    expect(await redemptionsOf(id)).toHaveLength(1)
    const [counts] = await query(
      service.databaseUrl,
      `SELECT (SELECT count(*)::int FROM credentials) AS credentials, (SELECT count(*)::int FROM credential_instances) AS instances,
         (SELECT count(*)::int FROM redemptions) AS redemptions,
         (SELECT count(*)::int FROM audit_events WHERE action = 'credential.claimed') AS claimed`,
    )
    const { credentials } = counts ?? {}
    expect(counts).toEqual({ credentials, instances: credentials, redemptions: credentials, claimed: credentials })
  })
})

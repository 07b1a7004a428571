import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postOffering, postSchema, SUBJECT } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { ask } from '../verifier/actors.js'

let service: TestService
let root: string
let other: string

beforeAll(async () => {
  service = await startService()
  root = await service.bearer('root', { roles: ['admin'] })
  other = await service.bearer('other', { roles: ['admin'] })
})
afterAll(() => service.close())

const KINDS = ['issuer', 'verifier'] as const

const create = (kind: string, body: unknown, authorization = root) =>
  service.request('POST', `/agent/${kind}`, { authorization, body })

describe.each(KINDS)('%s records', (kind) => {
  const unknown = kind === 'issuer' ? 'Issuer not found.' : 'Verifier not found.'

  it(`POST /agent/${kind} makes a record with its own DID: 201`, async () => {
    const display = [{ name: 'Registry', locale: 'en' }, { name: 'Anagrafe' }]
    const created = await create(kind, { method: 'key', display })
    expect(created.status).toBe(201)
    expect(created.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      did: expect.stringMatching(/^did:key:z/),
      method: 'key',
      display,
      isDefault: false,
      createdAt: expect.stringMatching(/Z$/),
      ...(kind === 'issuer' ? { signing: 'every' } : {}),
    })
    const further = await create(kind, { method: 'web' })
    expect(further.json.did).not.toBe(created.json.did)
    expect(further.json.display).toEqual([])
  })

  it(`GET /agent/${kind}s lists the records of the caller and the default record, the newest first`, async () => {
    const { id } = (await create(kind, { method: 'key' })).json
    const listed = await service.request('GET', `/agent/${kind}s`, { authorization: root })
    expect(listed.status).toBe(200)
    expect(listed.json[0].id).toBe(id)
    expect(listed.json.filter(({ isDefault }: { isDefault: boolean }) => isDefault)).toHaveLength(1)
    const others = await service.request('GET', `/agent/${kind}s`, { authorization: other })
    expect(others.json.map(({ isDefault }: { isDefault: boolean }) => isDefault)).toEqual([true])
  })

  it(`GET /agent/${kind}s answers in pages`, async () => {
    await create(kind, { method: 'key' })
    const page = await service.request('GET', `/agent/${kind}s?limit=1`, { authorization: root })
    expect(page.json).toHaveLength(1)
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? []
    const second = await service.request('GET', next, { authorization: root })
    expect(second.json[0].id).not.toBe(page.json[0].id)
  })

  it(`GET /agent/${kind}/{id} reads the records of the caller and the default record`, async () => {
    const { json } = await create(kind, { method: 'key', display: [{ name: 'Shown' }] })
    const read = await service.request('GET', `/agent/${kind}/${json.id}`, { authorization: root })
    expect([read.status, read.json]).toEqual([200, json])
    const [standard] = (await service.request('GET', `/agent/${kind}s`, { authorization: other })).json
    const shared = await service.request('GET', `/agent/${kind}/${standard.id}`, { authorization: root })
    expect(shared.json).toEqual(standard)
  })

  it.each([
    ['one that does not exist', () => crypto.randomUUID()],
    ['an id of no known form', () => 'x'],
  ])(`GET /agent/${kind}/{id} of %s: 500 ${unknown}`, async (_what, id) => {
    const read = await service.request('GET', `/agent/${kind}/${id()}`, { authorization: root })
    expect([read.status, read.json.message, read.json.error]).toEqual([500, unknown, undefined])
  })

  it(`a record of another caller is unknown: 500 ${unknown}`, async () => {
    const { json } = await create(kind, { method: 'key' })
    const read = await service.request('GET', `/agent/${kind}/${json.id}`, { authorization: other })
    expect([read.status, read.json.message]).toEqual([500, unknown])
  })

  it.each([
    [{}, ['method must be defined']],
    [{ method: 'jwk' }, ['method must be one of key, web']],
    [{ method: 'key', did: 'did:key:z' }, ['property did should not exist']],
    [{ method: 'key', display: [{ name: '' }] }, ['display.0.name must not be empty']],
    [{ method: 'key', display: [{ name: 'x', mark: 1 }] }, ['property mark should not exist']],
    [{ method: 'key', display: [{ name: 'x', logo: 1 }] }, ['display.0.logo must be an object']],
  ])(`POST /agent/${kind} with %j: 400`, async (body, message) => {
    const answer = await create(kind, body)
    expect([answer.status, answer.json.message]).toEqual([400, message])
  })

  it('is recorded in the audit events with its key', async () => {
    const { id } = (await create(kind, { method: 'key' })).json
    const rows = await query(service.databaseUrl, 'SELECT actor, action FROM audit_events WHERE subject_id = $1', [id])
    expect(rows).toEqual([{ actor: 'root', action: `${kind}.created` }])
  })
})

describe('a record that a caller has made signs', () => {
  it('an issuer: credentials and offerings that name it', async () => {
    const { id, did } = (await create('issuer', { method: 'key' })).json
    const { name: type } = await postSchema(service, root)
    const signed = await service.request('POST', '/credentials/sign', {
      authorization: root,
      body: { type, credential_subject: SUBJECT, format: 'jwt_vc_json', issuerId: id },
    })
    expect(signed.status).toBe(201)
    const verified = await service.request('POST', '/credentials/verify', {
      authorization: root,
      body: { credential: signed.json.credential },
    })
    expect(verified.json).toMatchObject({ isValid: true, payload: { iss: did } })
    const offering = await postOffering(service, { credential_type: type, issuerId: id })
    const claimed = await service.request('POST', `/api/v1/offerings/${offering.id}/claim`, { authorization: other })
    expect(claimed.json.vc.issuer).toBe(did)
  })

  it('an issuer of another caller signs only for that caller: 500', async () => {
    const { id } = (await create('issuer', { method: 'key' })).json
    const { name: type } = await postSchema(service, other)
    const signed = await service.request('POST', '/credentials/sign', {
      authorization: other,
      body: { type, credential_subject: SUBJECT, format: 'jwt_vc_json', issuerId: id },
    })
    expect([signed.status, signed.json.message]).toEqual([500, 'Issuer not found.'])
  })

  it('a verifier: requests that name it, and their sessions', async () => {
    const { id, did } = (await create('verifier', { method: 'key' })).json
    const dcqlQuery = { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['urn:x'] } }] }
    const asked = await ask(service, { dcqlQuery, verifierId: id }, 'root')
    const read = await service.request('GET', `/verification-sessions/${asked.verificationSessionId}`, {
      authorization: root,
    })
    expect(read.json.verifierId).toBe(did)
    expect(asked.authorizationRequestUri).toContain(encodeURIComponent(`decentralized_identifier:${did}`))
    const stolen = await service.request('POST', '/authorization-requests', {
      authorization: other,
      body: { dcqlQuery, verifierId: id },
    })
    expect([stolen.status, stolen.json.message]).toEqual([500, 'Verifier not found.'])
  })

  it('both are in the DID configuration, because they sign in the name of this host', async () => {
    const issuer = (await create('issuer', { method: 'web' })).json
    const verifier = (await create('verifier', { method: 'web' })).json
    const { json } = await service.request('GET', '/.well-known/did-configuration')
    const dids = json.entries.map(({ did }: { did: string }) => did)
    expect(dids).toEqual(expect.arrayContaining([issuer.did, verifier.did]))
  })
})

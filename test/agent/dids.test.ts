import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let root: string
let other: string

beforeAll(async () => {
  service = await startService()
  root = await service.bearer('root', { roles: ['admin'] })
  other = await service.bearer('other', { roles: ['admin'] })
})
afterAll(() => service.close())

const create = (method: string, authorization = root) =>
  service.request('POST', '/agent/did', { authorization, body: { method } })

const read = (did: string, authorization = root) => service.request('GET', `/agent/did/${did}`, { authorization })

describe('POST /agent/did', () => {
  it('makes a did:key with its document: 201', async () => {
    const { status, json } = await create('key')
    expect(status).toBe(201)
    expect(json).toMatchObject({ did: expect.stringMatching(/^did:key:z/), method: 'key', document: { id: json.did } })
    expect(json.document.verificationMethod[0].publicKeyJwk).toMatchObject({ kty: 'EC', crv: 'P-256' })
    expect(JSON.stringify(json)).not.toContain('"d":')
  })

  it('makes a did:web whose document anyone can read at its address', async () => {
    const { json } = await create('web')
    const [uuid] = json.did.split(':').slice(-1)
    const hosted = await service.request('GET', `/${uuid}/did.json`)
    expect([hosted.status, hosted.json]).toEqual([200, json.document])
    // The document of a DID that an admin makes lists no services: the DID does not represent the host.
    expect(hosted.json.service).toBeUndefined()
  })

  it.each([
    [{}, ['method must be defined']],
    [{ method: 'jwk' }, ['method must be one of key, web']],
    [{ method: 'key', seed: '1' }, ['property seed should not exist']],
  ])('with %j: 400', async (body, message) => {
    const answer = await service.request('POST', '/agent/did', { authorization: root, body })
    expect([answer.status, answer.json.message]).toEqual([400, message])
  })
})

describe('GET /agent/dids', () => {
  it('lists the caller’s records, also the DIDs of the caller’s holders, the newest first', async () => {
    const key = (await create('key')).json.did
    const { json } = await service.request('POST', '/agent/holder', { authorization: root, body: { method: 'key' } })
    const listed = await service.request('GET', '/agent/dids', { authorization: root })
    const dids = listed.json.map(({ did }: { did: string }) => did)
    expect(dids.slice(0, 2)).toEqual([json.did, key])
    expect(Object.keys(listed.json[0]).sort()).toEqual(['createdAt', 'did', 'method'])
    const others = await service.request('GET', '/agent/dids', { authorization: other })
    expect(others.json).toEqual([])
  })
})

describe('GET /agent/did/{did}', () => {
  it('reads every DID of this service, for any creator', async () => {
    const { json } = await create('key')
    expect((await read(json.did)).json).toEqual(json)
    expect((await read(json.did, other)).json).toEqual(json)
  })

  it('accepts a did:web with a port that is encoded once or twice', async () => {
    const { did } = (await create('web')).json
    expect(did).toContain('%3A')
    expect((await read(did)).json.did).toBe(did)
    expect((await read(encodeURIComponent(did))).json.did).toBe(did)
  })

  it('is 200 with a null body for a DID that this service did not create', async () => {
    const answer = await read('did:web:elsewhere.example')
    expect([answer.status, answer.text]).toEqual([200, 'null'])
  })
})

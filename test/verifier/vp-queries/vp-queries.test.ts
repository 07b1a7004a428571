import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { query as sql } from '../../support/postgres.js'
import { ITEM } from '../actors.js'
import { useWorld } from '../world.js'

const world = useWorld()
const PATH = '/api/v1/verifier/vp-queries'

const create = (body: unknown) => world.service.request('POST', PATH, { client: true, body })
const get = (path: string) => world.service.request('GET', path, { client: true })

describe('POST /api/v1/verifier/vp-queries', () => {
  it('accepts the items as `query` and shows them as `queryBody`, with the time in milliseconds', async () => {
    const before = Date.now()
    const created = await create({ query: [ITEM] })
    expect(created.status).toBe(201)
    expect(created.json).toEqual({ id: expect.any(String), queryBody: [ITEM], createdAt: expect.any(Number) })
    expect(created.json.createdAt).toBeGreaterThanOrEqual(before)
    expect(created.json.createdAt).toBeLessThanOrEqual(Date.now())
    expect(created.json.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  it('accepts a field without a filter', async () => {
    expect((await create({ query: [{ fields: [{ path: ['$.credentialSubject.product'] }] }] })).status).toBe(201)
  })

  it('writes an audit row without the content of the query', async () => {
    const { json } = await create({ query: [ITEM] })
    const rows = await sql(
      world.service.databaseUrl,
      'SELECT actor, action, subject FROM audit_events WHERE subject_id = $1',
      [json.id],
    )
    expect(rows).toEqual([{ actor: null, action: 'vp-query.created', subject: 'vp-query' }])
  })

  it.each([
    [{}, ['query must be defined']],
    [{ query: 'x' }, ['query must be an array']],
    [{ query: [{ fields: {} }] }, ['query.0.fields must be an array']],
    [{ query: [] }, ['query must not be empty']],
    [{ query: [{ fields: [{ path: 'x' }] }] }, ['query.0.fields.0.path must be an array']],
    [{ query: [ITEM], queryBody: [ITEM] }, ['property queryBody should not exist']],
    [{ query: [{ fields: [], name: 'x' }] }, ['property name should not exist']],
    [{ query: [{ fields: [{ path: ['$.a'], optional: true }] }] }, ['property optional should not exist']],
    [{ query: [{ fields: [{ path: ['$.a'], filter: { kind: 1 } }] }] }, ['property kind should not exist']],
    [
      { query: [{ fields: [{ path: ['$.a'], filter: { properties: { b: { not: { x: 1 } } } } }] }] },
      ['property x should not exist'],
    ],
    [{ query: [{ fields: [{ path: ['$['] }] }] }, [expect.stringMatching(/^query\.0\.fields\.0\.path\.0 /)]],
    [
      { query: [{ fields: [{ path: ['$.a'], filter: { pattern: '(' } }] }] },
      [expect.stringMatching(/^query\.0\.fields\.0\.filter\.pattern /)],
    ],
  ])('refuses %j', async (body, message) => {
    const refused = await create(body)
    expect([refused.status, refused.json.message]).toEqual([400, message])
  })

  it('needs the client secret, not a token', async () => {
    expect((await world.service.request('POST', PATH, { body: { query: [ITEM] } })).status).toBe(401)
    const authorization = await world.service.bearer('admin', { roles: ['admin'] })
    const refused = await world.service.request('POST', PATH, { authorization, body: { query: [ITEM] } })
    expect([refused.status, refused.json.message]).toEqual([401, 'Unauthorized'])
  })
})

describe('GET /api/v1/verifier/vp-queries and /{id}', () => {
  it('lists the newest first, in pages', async () => {
    const made = [await create({ query: [ITEM] }), await create({ query: [ITEM] })].map(({ json }) => json)
    const page = await get(`${PATH}?limit=1`)
    expect(page.json).toEqual([made[1]])
    const next = /^<(.+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
    expect((await get(next)).json).toEqual([made[0]])
  })

  it('reads a query', async () => {
    const { json } = await create({ query: [ITEM] })
    expect((await get(`${PATH}/${json.id}`)).json).toEqual(json)
  })

  it.each([randomUUID(), 'not-a-uuid', 'a%2Fb'])('an unknown id is a 404: %s', async (id) => {
    const missing = await get(`${PATH}/${id}`)
    expect([missing.status, missing.json.message]).toEqual([404, 'VP query not found.'])
  })
})

describe('DELETE /api/v1/verifier/vp-queries/{id}', () => {
  const remove = (id: string) => world.service.request('DELETE', `${PATH}/${id}`, { client: true })

  it('is 204 once, then 404', async () => {
    const { json } = await create({ query: [ITEM] })
    const removed = await remove(json.id)
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect((await remove(json.id)).status).toBe(404)
    expect((await get(`${PATH}/${json.id}`)).status).toBe(404)
  })

  it('is a 400 with an id that is not a UUID', async () => {
    const refused = await remove('not-a-uuid')
    expect([refused.status, refused.json.message]).toEqual([400, ['id must be a valid uuid']])
  })
})

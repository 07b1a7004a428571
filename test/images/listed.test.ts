import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { UNUSED_DAYS } from '../../server/images/images.contract.js'
import { newTypeName, PURCHASE } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { until } from '../support/until.js'
import { png } from './pictures.js'

let service: TestService
let ada: string
let bob: string
let admin: string
let seed = 0

beforeAll(async () => {
  service = await startService({ maintenance: false })
  ada = await service.bearer('ada')
  bob = await service.bearer('bob')
  admin = await service.bearer('root', { roles: ['admin'] })
})
afterAll(() => service.close())

/** A picture that no other test uploads. */
const fresh = () => png(9, 9, ++seed)

const post = async (authorization: string, bytes = fresh()): Promise<string> =>
  (
    await service.request('POST', '/api/v1/images', {
      authorization,
      body: { data: Buffer.from(bytes).toString('base64') },
    })
  ).json.id

const list = async (authorization: string, filters = '') =>
  (await service.request('GET', `/api/v1/images?limit=200${filters}`, { authorization })).json
const ids = async (authorization: string, filters = ''): Promise<string[]> =>
  (await list(authorization, filters)).items.map(({ id }: { id: string }) => id)

const remove = async (authorization: string, id: string) => {
  const { status, json } = await service.request('DELETE', `/api/v1/images/${id}`, { authorization })
  return [status, json?.message]
}

const typeWith = (image: string, authorization = ada) =>
  service.request('POST', '/schemas', {
    authorization,
    body: { name: newTypeName(), version: 1, schema: PURCHASE, display: [{ name: 'Card', logo: { image } }] },
  })

describe('GET /api/v1/images', () => {
  it('lists the own uploads, newest first, with size, uses and the date of removal', async () => {
    const bytes = fresh()
    const [older, newer] = [await post(ada, bytes), await post(ada)]
    expect((await typeWith(older)).status).toBe(201)
    expect((await typeWith(older)).status).toBe(201)
    const { items } = await list(ada)
    expect(items.map(({ id }: { id: string }) => id).slice(0, 2)).toEqual([newer, older])
    const [first, second] = items
    expect(second).toMatchObject({
      uri: `${service.url}/images/${older}`,
      mediaType: 'image/png',
      width: 9,
      height: 9,
      size: bytes.length,
      uses: 2,
    })
    expect(second.removedAfter).toBeUndefined()
    expect(first.uses).toBe(0)
    const days = (Date.parse(first.removedAfter) - Date.parse(first.createdAt)) / 86_400_000
    expect(Math.round(days)).toBe(UNUSED_DAYS)
    expect(await ids(ada, '&unused=true')).toContain(newer)
    expect(await ids(ada, '&unused=true')).not.toContain(older)
  })

  it('shows users their own uploads, and admins and the client secret the images of all callers', async () => {
    const [adas, bobs] = [await post(ada), await post(bob)]
    expect(await ids(ada)).not.toContain(bobs)
    expect(await ids(bob)).not.toContain(adas)
    expect(await ids(admin)).toEqual(expect.arrayContaining([adas, bobs]))
    expect(await ids(admin, '&mine=true')).toEqual([])
    const { json } = await service.request('GET', '/api/v1/images?limit=200', { client: true })
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([adas, bobs]))
    expect((await service.request('GET', '/api/v1/images')).status).toBe(401)
  })

  it('has pages', async () => {
    await post(ada)
    await post(ada)
    const whole = await ids(ada)
    const { json: first } = await service.request('GET', '/api/v1/images?limit=1', { authorization: ada })
    const rest = await ids(ada, `&cursor=${first.nextCursor}`)
    expect([first.items[0].id, ...rest]).toEqual(whole)
  })
})

describe('DELETE /api/v1/images/{id}', () => {
  it('removes an unused image of the caller, and records it', async () => {
    const id = await post(ada)
    expect(await remove(ada, id)).toEqual([204, undefined])
    expect((await fetch(`${service.url}/images/${id}`)).status).toBe(404)
    expect(await remove(ada, id)).toEqual([404, 'Image not found.'])
    expect(
      await query(service.databaseUrl, 'SELECT actor, action, subject FROM audit_events WHERE subject_id = $1', [id]),
    ).toEqual([{ actor: 'ada', action: 'image.deleted', subject: 'image' }])
  })

  it('refuses an image in use, and says how many records use it', async () => {
    const id = await post(ada)
    await typeWith(id)
    expect(await remove(ada, id)).toEqual([409, 'Image is used by 1 record.'])
    await typeWith(id)
    expect(await remove(admin, id)).toEqual([409, 'Image is used by 2 records.'])
    expect((await fetch(`${service.url}/images/${id}`)).status).toBe(200)
  })

  it('an image that a verifier no longer shows may be removed', async () => {
    const id = await post(admin)
    const display = [{ name: 'Shop', logo: { image: id } }]
    const { json } = await service.request('POST', '/agent/verifier', {
      authorization: admin,
      body: { method: 'web', display },
    })
    expect((await remove(admin, id))[0]).toBe(409)
    const changed = await service.request('POST', `/api/v1/verifiers/${json.id}/display`, {
      authorization: admin,
      body: { before: json.display, display: [{ name: 'Shop' }] },
    })
    expect(changed.status, changed.text).toBe(200)
    expect((await remove(admin, id))[0]).toBe(204)
  })

  it.each(['0'.repeat(64), 'x'])('answers 404 for %s', async (id) => {
    expect(await remove(admin, id)).toEqual([404, 'Image not found.'])
  })

  it('a caller cannot remove the image of another caller; shared bytes stay for the other caller', async () => {
    const bobs = await post(bob)
    expect(await remove(ada, bobs)).toEqual([404, 'Image not found.'])
    const bytes = fresh()
    const shared = await post(ada, bytes)
    await post(bob, bytes)
    expect((await remove(ada, shared))[0]).toBe(204)
    expect(await ids(ada)).not.toContain(shared)
    expect(await ids(bob)).toContain(shared)
    expect((await fetch(`${service.url}/images/${shared}`)).status).toBe(200)
    expect((await remove(bob, shared))[0]).toBe(204)
    expect((await fetch(`${service.url}/images/${shared}`)).status).toBe(404)
  })

  it('an admin removes the image of every caller', async () => {
    const id = await post(ada)
    expect((await remove(admin, id))[0]).toBe(204)
    expect(await ids(ada)).not.toContain(id)
  })

  it('is refused if a record began to use the image after the deletion had looked for uses', async () => {
    const id = await post(ada)
    const record = new pg.Client({ connectionString: service.databaseUrl })
    await record.connect()
    await record.query('BEGIN')
    await record.query(`INSERT INTO image_uses (image_id, used_by, used_by_id) VALUES ($1, 'schema', 'late')`, [id])
    const removed = remove(ada, id)
    // The deletion has looked for uses, and waits for the lock of the image.
    await until(async () => {
      const waiting = await query(
        service.databaseUrl,
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      return waiting.length > 0
    })
    await record.query('COMMIT')
    await record.end()
    expect(await removed).toEqual([409, expect.stringContaining('1')])
  })

  it('while a type begins to use the image, either the deletion or the type is refused', async () => {
    for (let round = 0; round < 25; round++) {
      const id = await post(ada)
      const [type, [removed]] = await Promise.all([typeWith(id), remove(ada, id)])
      expect([
        [201, 409],
        [400, 204],
      ]).toContainEqual([type.status, removed])
    }
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allOf, idsOf } from '../../support/listed.js'
import { startService, type TestService } from '../../support/service.js'
import { postSchema } from '../purchase.js'

const PATH = '/api/v1/schemas'

let service: TestService
let alice: string
/**
 * Four versions, the oldest first: two of one type, one of a second type, and one of a third type, which is withdrawn.
 */
let made: { id: string; name: string }[]

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice')
  const one = await postSchema(service, alice, { display: [{ name: 'Purchase', locale: 'en' }], title: 'Purchase' })
  const next = await postSchema(service, alice, { name: one.name, version: 2 })
  const other = await postSchema(service, alice, {
    display: Array.from({ length: 50 }, (_, at) => ({
      name: 'x',
      locale: `de-x-l${at}`,
      description: 'd'.repeat(1_000),
    })),
  })
  const withdrawn = await postSchema(service, alice)
  await service.request('DELETE', `/schemas/${withdrawn.id}`, { authorization: alice })
  made = [one, next, other, withdrawn]
})
afterAll(() => service.close())

const list = (filters: Record<string, string> = {}) =>
  service.bearer('bob').then((authorization) => allOf(service, PATH, filters, { authorization }))
const newestFirst = (...at: number[]) => at.map((index) => made[index]?.id).reverse()

describe('GET /api/v1/schemas', () => {
  it('lists every version for everyone with a token, the newest first, without the schema itself', async () => {
    const entries = await list()
    expect(idsOf(entries)).toEqual(newestFirst(0, 1, 2, 3))
    expect(entries.at(-1)).toEqual({
      id: made[0]?.id,
      name: made[0]?.name,
      version: 1,
      schemaUri: `${service.url}/api/v1/schemas/${made[0]?.id}`,
      title: 'Purchase',
      display: [{ name: 'Purchase', locale: 'en' }],
      active: false,
      createdAt: expect.stringMatching(/Z$/),
    })
    expect(entries[0]).toMatchObject({ active: false, withdrawn: true })
  })

  it('omits members that would make a page large', async () => {
    expect((await list())[1]).not.toHaveProperty('display')
  })

  it.each<[Record<string, string>, number[]]>([
    [{ active: 'true' }, [1, 2]],
    [{ active: 'false' }, [0, 3]],
    [{ name: 'first' }, [0, 1]],
    [{ name: 'first', active: 'true' }, [1]],
    [{ to: '2026-01-01T00:00:00Z' }, []],
  ])('of %j', async (filters, at) => {
    const named = filters.name === undefined ? filters : { ...filters, name: made[0]?.name ?? '' }
    expect(idsOf(await list(named))).toEqual(newestFirst(...at))
    expect(idsOf(await list({ ...named, limit: '1' }))).toEqual(newestFirst(...at))
  })

  it('is a separate route from the public address of a schema', async () => {
    const answer = await service.request('GET', `${PATH}/${made[0]?.id}`)
    expect(answer.json).toHaveProperty('properties')
    expect((await service.request('GET', PATH)).status).toBe(401)
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../../server/log/log.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let authorization: string
let written = ''

const destination = {
  write(text: string) {
    written += text
  },
}

beforeAll(async () => {
  service = await startService({ log: createLog('warn', destination) })
  authorization = await service.bearer('alice')
  const schema = { type: 'object', properties: { seats: { items: { type: 'number' } } } }
  const body = { name: 'Wide', version: 1, schema }
  expect((await service.request('POST', '/schemas', { authorization, body })).status).toBe(201)
})
afterAll(() => service.close())
beforeEach(() => {
  written = ''
})

const names = (count: number) => Array.from({ length: count }, (_, index) => `member${index}`)
const members = (count: number, value: unknown) => Object.fromEntries(names(count).map((name) => [name, value]))
const unknown = (count: number) => names(count).map((name) => `property ${name} should not exist`)

/**
 * Sends a request with too many faults. REST and /trpc report twenty faults, and the number of the remaining faults.
 */
describe('a list of errors is limited', () => {
  it('of a contract, by path', async () => {
    const body = { credential: 'x', ...members(332, 1) }
    const { json } = await service.request('POST', '/credentials/verify', { authorization, body })
    expect(json.message).toEqual([...unknown(20), 'and 312 more'])
  })

  it('of a contract, on /trpc', async () => {
    const body = { json: { credential: 'x', ...members(332, 1) } }
    const { json } = await service.request('POST', '/trpc/verify.verify', { authorization, body })
    const { message, data } = json.error.json
    expect(data.messages).toEqual([...unknown(20), 'and 312 more'])
    expect(message).toBe(data.messages.join('; '))
  })

  it('of a query', async () => {
    const search = new URLSearchParams(members(332, '1') as Record<string, string>)
    for (const [method, path] of [
      ['POST', '/credentials/verify'],
      ['GET', '/agent/holders'],
    ] as const) {
      const admin = await service.bearer('root', { roles: ['admin'] })
      const { json } = await service.request(method, `${path}?${search}`, { authorization: admin })
      expect(json.message).toEqual([...unknown(20), 'and 312 more'])
    }
  })

  it("of a subject that breaks its type's schema", async () => {
    const body = { type: 'Wide', credential_subject: { seats: names(332) } }
    const { json } = await service.request('POST', '/api/v1/credentials', { authorization, body })
    expect(json.message).toHaveLength(21)
    expect(json.message[0]).toBe('credential_subject.seats.0 must be number')
    expect(json.message[20]).toBe('and 312 more')
  })

  it('and its line in the log is limited too', async () => {
    const body = { credential: 'x', ...members(19_000, 1) }
    const answer = await service.request('POST', '/credentials/verify', { authorization, body })
    expect(answer.json.message.at(-1)).toBe('and 18980 more')
    expect(written.length).toBeLessThan(1_500)
  })
})

/**
 * If many values below one member are wrong, each fault repeats the name of the member. A name of 500 KB in 900 faults
 * would make an answer of 450 MB.
 */
describe('a long name is shortened', () => {
  const filter = (length: number) => ({ properties: { ['n'.repeat(length)]: { properties: members(900, 1) } } })
  const query = (length: number) => [{ fields: [{ path: ['$.x'], filter: filter(length) }] }]
  const create = (length: number) =>
    service.request('POST', '/api/v1/verifier/vp-queries', { client: true, body: { query: query(length) } })

  it('of a VP query whose size is checked before it is read', async () => {
    const { json } = await create(500_000)
    expect(json.message).toEqual(['query must not be larger than 64 KiB'])
  })

  it('of a VP query within its bounds', async () => {
    const { json, text } = await create(40_000)
    const place = `query.0.fields.0.filter.properties.${'n'.repeat(100)}….properties`
    expect(json.message[0]).toBe(`${place}.member0 must be an object`)
    expect(json.message).toHaveLength(21)
    expect(text.length).toBeLessThan(10_000)
  })

  it('of an unknown property', async () => {
    const name = 'n'.repeat(500_000)
    const { json } = await service.request('POST', '/credentials/verify', {
      authorization,
      body: { credential: 'x', [name]: 1 },
    })
    expect(json.message).toEqual([`property ${'n'.repeat(100)}… should not exist`])
  })

  it('in the log, to 2 KiB for every refusal', async () => {
    const refused = await service.request('GET', `/trpc/${'n'.repeat(12_000)}`, { authorization })
    expect(refused.json.error.json.message.length).toBeLessThan(1_100)
    expect(written.length).toBeLessThan(6_000)
  })
})

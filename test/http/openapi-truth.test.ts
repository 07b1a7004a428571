import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
  readonly responses: Readonly<
    Record<string, { content?: Readonly<Record<string, { readonly example?: { message?: unknown } }>> }>
  >
}

let service: TestService
let operations: { path: string; method: string; operation: Operation }[]

beforeAll(async () => {
  service = await startService({ env: { AUTH_DISABLED: 'true' } })
  // What `npm start` finds there.
  const seed = JSON.parse(await readFile('prisma/seed/proof-of-purchase.json', 'utf8'))
  expect((await service.request('POST', '/schemas', { body: seed })).status).toBe(201)
  const { json } = await service.request('GET', '/api-docs-json')
  operations = Object.entries<Record<string, Operation>>(json.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
})
afterAll(() => service.close())

const example = (operation: Operation, status: string) =>
  operation.responses[status]?.content?.['application/json']?.example?.message
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, crypto.randomUUID())

describe('the document’s examples are what the service says', () => {
  it('of a 400, to a body without its members and to a query with one too many', async () => {
    let tried = 0
    for (const { path, method, operation } of operations) {
      // Ownership comes first there, and every protocol route ignores what it does not know.
      if (path.startsWith('/holders/') || path.startsWith('/openid4v')) continue
      const message = example(operation, '400')
      if (message === undefined) continue
      const surplus = String(message) === 'property surplus should not exist'
      const body = method === 'POST' ? (surplus ? { surplus: 1 } : {}) : undefined
      const address = filled(path) + (surplus && method !== 'POST' ? '?surplus=1' : '')
      const answer = await service.request(method, address, body === undefined ? {} : { body })
      expect([method, path, answer.status, answer.json.message]).toEqual([
        method,
        path,
        400,
        expect.arrayContaining(message as string[]),
      ])
      tried += 1
    }
    expect(tried).toBeGreaterThan(40)
  })

  it('of a 404, where an id is unknown', async () => {
    let tried = 0
    for (const { path, method, operation } of operations) {
      const message = example(operation, '404')
      if (message === undefined || method === 'POST' || !path.includes('{') || path.startsWith('/holders/')) continue
      const answer = await service.request(method, filled(path))
      expect([method, path, answer.status, answer.json.message]).toEqual([method, path, 404, message])
      tried += 1
    }
    expect(tried).toBeGreaterThan(10)
  })

  it.each([
    '/api/v1/offerings',
    '/api/v1/credentials',
    '/credentials/sign',
    '/credential-offers',
    '/authorization-requests',
    '/api/v1/verifier/vp-queries',
    '/agent/holder',
    '/agent/issuer',
  ])('of a request: POST %s with it is a 201', async (path) => {
    const found = operations.find((each) => each.path === path && each.method === 'POST')
    const body = found?.operation.requestBody?.content['application/json']?.example
    const answer = await service.request('POST', path, { body })
    expect([answer.status, answer.json.message]).toEqual([201, undefined])
  })
})

import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client'
import superjson from 'superjson'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AppRouter } from '../../server/router.js'
import { appRouter, protocolRouter } from '../support/contracts.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let authorization: string

beforeAll(async () => {
  service = await startService()
  authorization = await service.bearer('alice')
})
afterAll(() => service.close())

const input = (value: unknown) => encodeURIComponent(JSON.stringify(value))

/** A batch of version queries. */
const batch = (count: number) =>
  service.request(
    'GET',
    `/trpc/${Array(count).fill('service.version').join(',')}?batch=1&input=${input(
      Object.fromEntries(Array.from({ length: count }, (_, index) => [index, { json: {} }])),
    )}`,
  )

describe('/trpc', () => {
  it('answers queries and mutations through superjson', async () => {
    const answer = await service.request('GET', `/trpc/service.version?input=${input({ json: {} })}`)
    expect([answer.status, answer.json]).toEqual([
      200,
      { result: { data: { json: { name: 'credence', version: expect.any(String) } } } },
    ])
    const verified = await service.request('POST', '/trpc/verify.verify', {
      authorization,
      body: { json: { credential: 'x' } },
    })
    expect(verified.json.result.data.json).toMatchObject({ isValid: false })
  })

  it('batches up to ten calls', async () => {
    const ten = await batch(10)
    expect([ten.status, ten.json.length]).toEqual([200, 10])
  })

  it('refuses eleven', async () => {
    const eleven = await batch(11)
    expect(eleven.status).toBe(400)
    expect(eleven.json.error.json.data).toMatchObject({
      httpStatus: 400,
      messages: ['Batch call exceeds maximum size'],
    })
  })

  it('answers each call of a batch separately', async () => {
    const calls = input({ 0: { json: {} }, 1: { json: { id: 'unknown' } } })
    const answer = await service.request('GET', `/trpc/service.version,offerings.read?batch=1&input=${calls}`)
    expect(answer.status).toBe(207)
    const [first, second] = answer.json
    expect(first.result.data.json.name).toBe('credence')
    expect(second.error.json).toEqual({
      message: 'Offering not found.',
      code: -32004,
      data: { code: 'NOT_FOUND', path: 'offerings.read', httpStatus: 404, messages: ['Offering not found.'] },
    })
  })
})

describe('errors on /trpc', () => {
  it('have the message list of a validation error in data.messages', async () => {
    const answer = await service.request('POST', '/trpc/verify.verify', {
      authorization,
      body: { json: { colour: 1 } },
    })
    expect(answer.status).toBe(400)
    expect(answer.json.error.json).toEqual({
      message: 'credential must be defined; property colour should not exist',
      code: -32600,
      data: {
        code: 'BAD_REQUEST',
        path: 'verify.verify',
        httpStatus: 400,
        messages: ['credential must be defined', 'property colour should not exist'],
      },
    })
  })

  it('have the true status even if RPC has no code for it: 410', async () => {
    const post = (version: number) =>
      service.request('POST', '/schemas', {
        authorization,
        body: { name: 'Old', version, schema: { type: 'object' } },
      })
    const { json: first } = await post(1)
    await post(2)
    const answer = await service.request('GET', `/trpc/schemas.read?input=${input({ json: { schemaId: first.id } })}`, {
      authorization,
    })
    expect([answer.status, answer.json.error.json.data.httpStatus]).toEqual([410, 410])
  })

  it.each([
    ['GET', 'nothing.here', 404],
    ['GET', 'service', 404],
    ['GET', '', 404],
    ['POST', 'service.version', 405],
    ['GET', 'verify.verify', 405],
    ['PUT', 'service.version', 405],
  ])('%s %s is a %i', async (method, path, status) => {
    const answer = await service.request(method, `/trpc/${path}`, {
      authorization,
      ...(method === 'GET' ? {} : { body: { json: {} } }),
    })
    expect([answer.status, answer.json.error.json.data.httpStatus]).toEqual([status, status])
  })

  it.each(['text/plain', 'multipart/form-data; boundary=x', 'application/octet-stream'])(
    'a mutation in %s is refused',
    async (type) => {
      const answer = await service.request('POST', '/trpc/verify.verify', {
        authorization,
        headers: { 'content-type': type },
        body: '{"json":{"credential":"x"}}',
      })
      expect([400, 415]).toContain(answer.status)
      expect(answer.json.error.json.data.httpStatus).toBe(answer.status)
    },
  )

  it('by the rate limit have the same form', async () => {
    const { databaseUrl, identityProvider } = service
    await using limited = await startService({ databaseUrl, identityProvider, env: { RATE_LIMIT_MAX: '1' } })
    const call = () => limited.request('GET', `/trpc/service.version?input=${input({ json: {} })}`)
    expect((await call()).status).toBe(200)
    const refused = await call()
    expect([refused.status, refused.json.error.json.data]).toEqual([
      429,
      { code: 'TOO_MANY_REQUESTS', httpStatus: 429, messages: ['Too Many Requests'] },
    ])
  })

  it('reach a typed client with status and messages', async () => {
    const client = createTRPCClient<AppRouter>({
      links: [httpBatchLink({ url: `${service.url}/trpc`, transformer: superjson })],
    })
    await expect(client.service.version.query()).resolves.toMatchObject({ name: 'credence' })
    const error = await client.agentHolders.list.query().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TRPCClientError)
    expect(error).toMatchObject({ message: 'Unauthorized', data: { httpStatus: 401, messages: ['Unauthorized'] } })
  })
})

describe('routes that wallets and probes call by path', () => {
  const kinds = (router: { _def: { procedures: object } }) =>
    Object.entries<{ _def: { meta?: { rest?: { kind?: string } } } }>(router._def.procedures as never).map(
      ([name, { _def }]) => [name, _def.meta?.rest?.kind ?? 'json'] as const,
    )

  it('is of kind protocol or a page, and no route of these kinds is on /trpc', () => {
    const isAskedByPath = (kind: string) => kind === 'protocol' || kind === 'page'
    // The address of a share page's event stream is below the address of the page.
    const ofPages = ['peoplePages.presentEvents', 'peoplePages.receiveEvents'].map((name) => [name, 'events'])
    const files = ['exportFiles.content', 'offerBatchFiles.result'].map((name) => [name, 'download'])
    expect(kinds(protocolRouter).filter(([, kind]) => !isAskedByPath(kind))).toEqual([...ofPages, ...files])
    expect(kinds(appRouter).filter(([, kind]) => isAskedByPath(kind))).toEqual([])
  })

  it('is unknown on /trpc', async () => {
    for (const [name] of kinds(protocolRouter)) {
      for (const method of ['GET', 'POST']) {
        const answer = await service.request(method, `/trpc/${name}`, method === 'POST' ? { body: { json: {} } } : {})
        expect([name, answer.status]).toEqual([name, 404])
      }
    }
  })
})

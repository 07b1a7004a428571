import { createTRPCClient, httpBatchLink, httpLink } from '@trpc/client'
import superjson from 'superjson'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { type CredenceClient, type CredenceInputs, createCredenceClient } from '../../client/index.js'
import type { AppRouter } from '../../server/router.js'
import { calledProcedures } from '../contract/procedures.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'

/** The names of the procedures whose input type accepts an empty object but does not allow a call without input. */
type NeedingEmptyObject = {
  [Router in keyof CredenceInputs & string]: {
    [Name in keyof CredenceInputs[Router] & string]: Record<string, never> extends CredenceInputs[Router][Name]
      ? undefined extends CredenceInputs[Router][Name]
        ? never
        : `${Router}.${Name}`
      : never
  }[keyof CredenceInputs[Router] & string]
}[keyof CredenceInputs & string]

/** The settings of a client for sign-in, which open the console. */
const ISSUER = 'http://login.example'

let service: TestService
let clients: Record<string, CredenceClient>
let headers: Record<string, string>

beforeAll(async () => {
  service = await startService({ env: { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: 'credence' }, maintenance: false })
  const accessToken = await service.identityProvider.token('root', { roles: ['admin'], iss: ISSUER })
  headers = { authorization: `Bearer ${accessToken}`, 'x-client-secret': CLIENT_SECRET }
  const link = { url: `${service.url}/trpc`, transformer: superjson, headers: () => headers }
  clients = {
    'the project’s client': createCredenceClient({ url: service.url, accessToken, clientSecret: CLIENT_SECRET }),
    '@trpc/client with superjson, in batches': createTRPCClient<AppRouter>({ links: [httpBatchLink(link)] }),
    '@trpc/client with superjson': createTRPCClient<AppRouter>({ links: [httpLink(link)] }),
  }
})
afterAll(() => service.close())

const withoutInput = calledProcedures.filter(({ type, inputs: [input] }) => {
  if (type !== 'query') return false
  const validate = input?.['~standard'].validate({})
  return validate !== undefined && !(validate instanceof Promise) && validate.issues === undefined
})

type Query = (input?: unknown) => Promise<unknown>

/** A procedure of a client by its name. */
function queryOf(client: CredenceClient, name: string): Query {
  const [router = '', procedure = ''] = name.split('.')
  // The type of a client declares each procedure by its name, so it cannot be indexed with an arbitrary text.
  return (client as unknown as Record<string, Record<string, { query: Query }>>)[router]?.[procedure]?.query as Query
}

it('the types require no input for a procedure that needs none', () => {
  // Reasons: some inputs need at least one of several members, and a client that follows a stream always names the
  // start.
  expectTypeOf<NeedingEmptyObject>().toEqualTypeOf<
    'authorizationRequests.create' | 'console.events' | 'exports.create' | 'pages.create' | 'trustLists.explain'
  >()
  expectTypeOf<CredenceClient['service']['version']['query']>().toBeCallableWith()
  expectTypeOf<CredenceClient['offerings']['list']['query']>().toBeCallableWith()
  expectTypeOf<CredenceClient['offerings']['list']['query']>().toBeCallableWith({ limit: 1 })
  expectTypeOf<CredenceInputs['offerings']['read']>().toEqualTypeOf<{ id: string }>()
})

it('covers the procedures of the service', () => {
  expect(withoutInput.map(({ name }) => name)).toEqual(expect.arrayContaining(['service.version', 'offerings.list']))
})

describe.each(withoutInput.map(({ name }) => [name] as const))('%s', (name) => {
  it('is called without input', async () => {
    const empty = await queryOf(clients['the project’s client'] as CredenceClient, name)({})
    for (const [client, each] of Object.entries(clients)) {
      expect([client, await queryOf(each, name)()]).toEqual([client, empty])
      expect([client, await queryOf(each, name)(undefined)]).toEqual([client, empty])
    }
    const bare = await service.request('GET', `/trpc/${name}`, { headers })
    expect([bare.status, bare.json.result.data.json]).toEqual([200, empty])
    const nothing = await service.request('GET', `/trpc/${name}?input=%7B%7D`, { headers })
    expect([nothing.status, nothing.json.result.data.json]).toEqual([200, empty])
  })

  it('accepts an empty object too', async () => {
    for (const json of [null, [], 'x', 0, { colour: 'red' }]) {
      const input = encodeURIComponent(JSON.stringify({ json }))
      expect((await service.request('GET', `/trpc/${name}?input=${input}`, { headers })).status).toBe(400)
    }
  })
})

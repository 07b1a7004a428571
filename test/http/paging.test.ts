import { createTRPCClient, httpBatchLink } from '@trpc/client'
import superjson from 'superjson'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AppRouter } from '../../server/router.js'
import { postOffering, postSchema } from '../issuer/purchase.js'
import { query } from '../support/postgres.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'
import { LOOPBACK, newWallet } from '../support/wallet.js'
import { ITEM } from '../verifier/actors.js'

interface List {
  readonly path: string
  readonly table: string
  readonly idColumn?: string
}

let service: TestService
let headers: Record<string, string>
let holderId: string

const LISTS: readonly List[] = [
  { path: '/api/v1/offerings', table: 'offerings' },
  { path: '/agent/dids', table: 'dids', idColumn: 'did' },
  { path: '/agent/issuers', table: 'issuers' },
  { path: '/agent/verifiers', table: 'verifiers' },
  { path: '/api/v1/verifier/vp-queries', table: 'vp_queries' },
  { path: '/holders/{holderId}/credentials', table: 'wallet_credentials' },
  { path: '/holders/{holderId}/presentations', table: 'wallet_presentations' },
  // This list is tested last, because deleting the holder also deletes the holder's records.
  { path: '/agent/holders', table: 'holders' },
]

const LISTED = 4

beforeAll(async () => {
  service = await startService({ env: LOOPBACK })
  const wallet = await newWallet(service, 'alice')
  holderId = wallet.id
  headers = { authorization: wallet.authorization, 'x-client-secret': CLIENT_SECRET }
  const { name: credential_type } = await postSchema(service, wallet.authorization)
  for (let count = 0; count < LISTED; count += 1) {
    for (const path of ['/agent/did', '/agent/issuer', '/agent/verifier', '/agent/holder']) {
      await post(path, { method: 'key' })
    }
    await post('/api/v1/verifier/vp-queries', { query: [ITEM] })
    const offering = await postOffering(service, { credential_type })
    expect((await wallet.process(offering.offering_full_url)).status).toBe(200)
    await service.features.walletPresentations.record(holderId, 'alice', {
      verifier: 'x',
      credentials: [],
      state: 'accepted',
    })
  }
  // These rows would prevent the deletion of other rows.
  for (const table of ['redemptions', 'credential_instances', 'credentials', 'issuance_tokens']) {
    await query(service.databaseUrl, `DELETE FROM ${table}`)
  }
  // All rows have the same time, so only their ids decide the order.
  for (const { table } of LISTS)
    await query(service.databaseUrl, `UPDATE ${table} SET created_at = '2026-03-01T12:00:00Z'`)
})
afterAll(() => service.close())

async function post(path: string, body: unknown): Promise<void> {
  const answer = await service.request('POST', path, { headers, body })
  expect(answer.status, answer.text).toBe(201)
}

const get = ({ path }: List, search = '') =>
  service.request('GET', path.replace('{holderId}', holderId) + search, { headers })

const idsOf = (list: List, entries: readonly Record<string, string>[]) =>
  entries.map((entry) => entry[list.idColumn ?? 'id'])

describe.each(LISTS)('GET $path', (list) => {
  it.each([
    ['an id', '9f0c6f9e-3b7d-4a4e-9d93-0f6a5d3c2b1a'],
    ['nothing', ''],
    ['no place', Buffer.from('2026-03-01T12:00:00.000Z').toString('base64url')],
    ['a place without an id', Buffer.from('2026-03-01T12:00:00.000Z ').toString('base64url')],
    ['an id that PostgreSQL cannot store', Buffer.from('2026-03-01T12:00:00.000Z a\0b').toString('base64url')],
    ['a time that does not exist', Buffer.from('2026-13-01T12:00:00.000Z a').toString('base64url')],
    ['a time that PostgreSQL cannot represent', Buffer.from('0000-01-01T12:00:00.000Z a').toString('base64url')],
    ['another spelling', `${Buffer.from('2026-03-01T12:00:00.000Z ab').toString('base64url')}=`],
    ['longer than every id', Buffer.from(`2026-03-01T12:00:00.000Z ${'a'.repeat(8_000)}`).toString('base64url')],
  ])('a cursor that is %s: 400', async (_what, cursor) => {
    const answer = await get(list, `?cursor=${encodeURIComponent(cursor)}`)
    expect([answer.status, answer.json.message]).toEqual([400, ['cursor must be the cursor of a page before']])
  })

  it('continues after a deleted row, page by page, with each row exactly once', async () => {
    const whole = idsOf(list, (await get(list)).json)
    expect(whole.length).toBeGreaterThanOrEqual(LISTED)
    const seen: unknown[] = []
    let search: string | undefined = '?limit=1'
    while (search !== undefined) {
      const answer = await get(list, search)
      const ids = idsOf(list, answer.json)
      seen.push(...ids)
      const cursor = answer.headers.get('x-next-cursor')
      search = /^<[^>]+(\?[^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
      expect(search).toBe(cursor === null ? undefined : `?limit=1&cursor=${cursor}`)
      await query(service.databaseUrl, `DELETE FROM ${list.table} WHERE ${list.idColumn ?? 'id'} = $1`, [ids[0]])
    }
    expect(seen).toEqual(whole)
    expect((await get(list)).json).toEqual([])
  })
})

describe('a list over /trpc', () => {
  it('returns the next cursor like REST, but not in a batch, where it would be ambiguous', async () => {
    for (const _ of [1, 2, 3]) await post('/api/v1/verifier/vp-queries', { query: [ITEM] })
    const cursors: (string | null)[] = []
    const client = createTRPCClient<AppRouter>({
      links: [
        httpBatchLink({
          url: `${service.url}/trpc`,
          transformer: superjson,
          headers: () => headers,
          fetch: async (url, options) => {
            const response = await fetch(url, options as RequestInit)
            cursors.push(response.headers.get('x-next-cursor'))
            return response
          },
        }),
      ],
    })
    const whole = await client.vpQueries.list.query({})
    const first = await client.vpQueries.list.query({ limit: 2 })
    const rest = await client.vpQueries.list.query({ limit: 2, cursor: cursors.at(-1) ?? '' })
    expect([...first, ...rest]).toEqual(whole)
    await Promise.all([client.vpQueries.list.query({ limit: 1 }), client.vpQueries.list.query({ limit: 1 })])
    expect(cursors).toEqual([null, expect.any(String), null, null])
  })
})

describe('a list under a base URL with a path that the proxy removes', () => {
  it.each([
    ['/agent/dids', '/issuing'],
    ['/api/v1/verifier/vp-queries', '/verifying/here'],
  ])('%s continues at an address that clients can reach', async (path, basePath) => {
    const { databaseUrl, identityProvider } = service
    await using behindProxy = await startService({
      databaseUrl,
      identityProvider,
      env: {
        ISSUER_BASE_URL: 'http://proxy.example/issuing',
        VERIFIER_BASE_URL: 'http://proxy.example/verifying/here/',
      },
    })
    for (const _ of [1, 2]) {
      await post('/agent/did', { method: 'key' })
      await post('/api/v1/verifier/vp-queries', { query: [ITEM] })
    }
    const first = await behindProxy.request('GET', `${path}?limit=1`, { headers })
    const [, link = ''] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? []
    const next = new URL(link, `http://proxy.example${basePath}${path}?limit=1`)
    expect([next.origin, next.pathname]).toEqual(['http://proxy.example', `${basePath}${path}`])
    const second = await behindProxy.request('GET', `${path}${next.search}`, { headers })
    expect(second.json).toHaveLength(1)
    expect(second.json).not.toEqual(first.json)
  })
})

import { connect, createServer } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newTypeName, PURCHASE, SUBJECT } from '../issuer/purchase.js'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'
import { type ServiceProcess, startService } from './service-process.js'

const CLIENT_SECRET = 'test-client-secret'

let database: TestDatabase
let identityProvider: IdentityProvider
let service: ServiceProcess
let type: string

const start = () => startService(database.url, identityProvider.jwksUrl)

beforeAll(async () => {
  database = await createTestDatabase()
  identityProvider = await startIdentityProvider()
  service = await start()
  type = newTypeName()
  const authorization = `Bearer ${await identityProvider.token('alice')}`
  await service.request('POST', '/schemas', { authorization, body: { name: type, version: 1, schema: PURCHASE } })
}, 600_000)
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await identityProvider?.close()
  await database?.drop()
})

const body = () => ({ credential_type: type, credential_subject: SUBJECT })
const offer = (key: string) =>
  service.request('POST', '/api/v1/offerings', { body: body(), headers: { 'idempotency-key': key } })

const stored = async () => {
  const [row] = await query<{ offerings: number; audited: number; answered: number; claimed: number }>(
    database.url,
    `SELECT (SELECT count(*)::int FROM offerings) AS offerings,
       (SELECT count(*)::int FROM audit_events WHERE action = 'offering.created') AS audited,
       (SELECT count(*)::int FROM idempotency_keys WHERE answered_at IS NOT NULL) AS answered,
       (SELECT count(*)::int FROM idempotency_keys WHERE answered_at IS NULL) AS claimed`,
  )
  return row
}

it('kill -9 between claim and commit leaves nothing, and the next try is clean when the lease has ended', async () => {
  const before = await stored()
  const lock = new pg.Client({ connectionString: database.url })
  await lock.connect()
  await lock.query('BEGIN; LOCK TABLE offerings IN ACCESS EXCLUSIVE MODE')
  const lost = offer('before-commit').catch(() => 'lost')
  // The maintenance job may wait for the same lock, so the claim is awaited too.
  await expect
    .poll(() =>
      query(
        database.url,
        `SELECT 1 FROM pg_stat_activity, idempotency_keys
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND answered_at IS NULL`,
      ),
    )
    .not.toEqual([])
  await service.kill()
  expect(await lost).toBe('lost')
  await lock.query('COMMIT')
  await lock.end()
  service = await start()
  expect(await stored()).toEqual({ ...before, claimed: 1 })

  // Until the lease has ended, the request may still be running in a process.
  expect((await offer('before-commit')).status).toBe(409)
  // As if a minute had passed.
  await query(database.url, "UPDATE idempotency_keys SET leased_until = leased_until - interval '60 s'")
  const again = await offer('before-commit')
  expect(again.status, again.text).toBe(201)
  expect(await stored()).toEqual({
    offerings: (before?.offerings ?? 0) + 1,
    audited: (before?.audited ?? 0) + 1,
    answered: (before?.answered ?? 0) + 1,
    claimed: 0,
  })
}, 300_000)

it('kill -9 after the commit, before the answer reaches the client, leaves one offering and its answer', async () => {
  const before = await stored()
  let killed: Promise<void> | undefined
  // The service dies when the first octet of its answer arrives. The client never gets the answer.
  const proxy = createServer((client) => {
    const upstream = connect(Number(new URL(service.url).port), '127.0.0.1')
    client.pipe(upstream)
    upstream.once('data', () => {
      killed = service.kill()
      client.destroy()
    })
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as { port: number }
  const headers = {
    'content-type': 'application/json',
    'x-client-secret': CLIENT_SECRET,
    'idempotency-key': '"after-commit"',
  }
  const lost = await fetch(`http://127.0.0.1:${port}/api/v1/offerings`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body()),
  }).catch(() => 'lost')
  expect(lost).toBe('lost')
  await killed
  await new Promise((resolve) => proxy.close(resolve))
  service = await start()

  const [first, second] = [await offer('after-commit'), await offer('after-commit')]
  expect([first.status, second.status]).toEqual([201, 201])
  expect(second.text).toBe(first.text)
  expect(await stored()).toEqual({
    offerings: (before?.offerings ?? 0) + 1,
    audited: (before?.audited ?? 0) + 1,
    answered: (before?.answered ?? 0) + 1,
    claimed: 0,
  })
  const found = await query(database.url, 'SELECT id FROM offerings WHERE id = $1', [first.json.id])
  expect(found).toHaveLength(1)
}, 300_000)

import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'
import { until } from '../support/until.js'
import { type Receiver, startReceiver, subjectOf } from '../webhooks/receiver.js'
import { inParallel, scaled } from './parallel.js'
import { type ServiceProcess, startService } from './service-process.js'

/** Sessions with three transitions each: created, retrieved, declined. */
const SESSIONS = scaled(3_334, 60)
const AT_ONCE = scaled(32, 8)
/** Tries that one process makes at once for one webhook. A kill may repeat them. */
const SLOTS = 4

let database: TestDatabase
let identityProvider: IdentityProvider
let receiver: Receiver
let services: ServiceProcess[]
let authorization: string

const start = () => startService(database.url, identityProvider.jwksUrl, { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' })

beforeAll(async () => {
  database = await createTestDatabase()
  identityProvider = await startIdentityProvider()
  authorization = `Bearer ${await identityProvider.token('verifier', { expiresIn: 7_200 })}`
  receiver = await startReceiver()
  services = [await start(), await start()]
}, 600_000)
afterAll(async () => {
  await Promise.all((services ?? []).map((service) => service[Symbol.asyncDispose]()))
  await receiver?.[Symbol.asyncDispose]()
  await identityProvider?.close()
  await database?.drop()
})

it(`two processes, each killed once (-9), deliver each of ${3 * SESSIONS} transitions, in the order of each session`, async () => {
  const made = await services[0]?.request('POST', '/api/v1/webhooks', {
    authorization,
    body: { url: `${receiver.url}/hook`, events: ['*'] },
  })
  expect(made?.status, made?.text).toBe(201)
  receiver.secrets.push(made?.json.secret)
  const kills = [Math.floor(SESSIONS / 3), Math.floor((2 * SESSIONS) / 3)]

  /** The restarts of the processes. */
  const ready = [Promise.resolve(), Promise.resolve()]
  const restart = async (at: number): Promise<void> => {
    await services[at]?.kill()
    services[at] = await start()
  }
  /** Sends a request to one of the processes, after its restart. */
  const send = async (at: number, ...request: Parameters<ServiceProcess['request']>) => {
    await ready[at]
    const answer = await services[at]?.request(...request)
    if (answer === undefined) throw new Error('There is no such process.')
    return answer
  }
  const exchange = async (number: number): Promise<void> => {
    const killed = kills.indexOf(number)
    if (killed >= 0) ready[killed] = restart(killed)
    const at = number % 2
    const query = [{ fields: [{ path: ['$.type'], filter: { type: 'array', contains: { const: 'Receipt' } } }] }]
    const asked = await send(at, 'POST', '/authorization-requests', {
      authorization,
      body: { query, responseMode: 'direct_post' },
    })
    const fetched = await send(at, 'GET', new URL(asked.json.request_uri).pathname)
    const { response_uri, state } = decodeJwt<{ response_uri: string; state: string }>(fetched.text)
    await send(at, 'POST', new URL(response_uri).pathname, { form: { error: 'access_denied', state } })
  }
  // Requests that a killed process was answering are lost. Their transitions may have happened nevertheless.
  await inParallel(SESSIONS, AT_ONCE, (number) => exchange(number).catch(() => undefined))

  const waiting = async () => {
    const [row] = await query<{ count: number }>(database.url, 'SELECT count(*)::int AS count FROM webhook_lines')
    return row?.count
  }
  // The tries of a killed process are made again after the lease of a minute.
  await until(async () => (await waiting()) === 0, 300)

  const sessions = await query<{ id: string; seq: number }>(database.url, 'SELECT id, seq FROM verification_sessions')
  expect(sessions.length).toBeGreaterThanOrEqual(SESSIONS - kills.length * AT_ONCE)
  const bySession = new Map<string, string[]>()
  const ids = new Map<string, number>()
  for (const delivery of receiver.received) {
    const times = ids.get(delivery.id) ?? 0
    ids.set(delivery.id, times + 1)
    if (times > 0) continue
    const session = subjectOf(delivery)
    bySession.set(session, [...(bySession.get(session) ?? []), delivery.json.type])
  }
  const states = ['verification.created', 'verification.retrieved', 'verification.declined']
  // Each transition increments `seq`, independently of the outbox.
  for (const { id, seq } of sessions) expect(bySession.get(id), id).toEqual(states.slice(0, seq))
  expect([...bySession.keys()].filter((id) => !sessions.some((session) => session.id === id))).toEqual([])
  const recorded = await query<{ id: string }>(database.url, 'SELECT id FROM webhook_deliveries')
  expect([...ids.keys()].sort()).toEqual(recorded.map(({ id }) => id).sort())
  const repeated = [...ids.values()].filter((times) => times > 1).length
  expect(repeated).toBeLessThanOrEqual(kills.length * SLOTS)
  expect(receiver.refused).toEqual([])
}, 1_800_000)

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRaw } from '../http/raw.js'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'
import { makeSchema } from '../verifier/actors.js'
import { grown, ofMetric, type Samples, startOperations } from './scrape.js'

let service: TestService
let operations: Awaited<ReturnType<typeof startOperations>>

beforeAll(async () => {
  service = await startService({ env: { METRICS_PORT: '0', RATE_LIMIT_MAX: '' } })
  operations = await startOperations(service)
})
afterAll(async () => {
  await operations.close()
  await service.close()
})

const REQUESTS = 'credence_requests_total'
const DURATIONS = 'credence_request_duration_seconds_count'

/** Returns by how much a metric grows during an action. */
async function counted(metric: string, act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await operations.samples()
  await act()
  return grown(before, await operations.samples(), metric)
}

const rpc = (path: string, init: RequestInit = {}) =>
  fetch(`${service.url}/trpc/${path}`, { ...init, headers: { 'x-client-secret': CLIENT_SECRET, ...init.headers } })

describe('without a rate limit', () => {
  let free: TestService
  let its: typeof operations
  beforeAll(async () => {
    free = await startService({
      databaseUrl: service.databaseUrl,
      identityProvider: service.identityProvider,
      env: { METRICS_PORT: '0' },
    })
    its = await startOperations(free)
  })
  afterAll(async () => {
    await its.close()
    await free.close()
  })

  it('1,000 different paths, ids and RPC names are one series for each route', async () => {
    const before = await its.samples()
    const paths = Array.from({ length: 250 }, (_, index) => [
      `/nothing/${index}`,
      `/${crypto.randomUUID()}/nothing.json?q=${index}`,
      `/trpc/nothing${index}.list`,
      `/api/v1/offerings/${crypto.randomUUID()}`,
    ]).flat()
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await sendRaw(free.url, `${requests.join('')}GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    const after = await its.samples()
    expect(grown(before, after, REQUESTS)).toEqual({
      '{procedure="none",status="404"}': 750,
      '{procedure="offerings.read",status="404"}': 250,
      '{procedure="greeting.greeting",status="200"}': 1,
    })
    const names = (samples: Samples) => [...samples.keys()].filter((name) => !before.has(name))
    expect(names(after).filter((name) => /nothing|[0-9a-f]{8}-/.test(name))).toEqual([])
  })

  it('unknown methods are one series', async () => {
    const before = await its.samples()
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE']) await free.request(method, '/version')
    expect(grown(before, await its.samples(), REQUESTS)).toEqual({ '{procedure="none",status="404"}': 5 })
  })
})

describe('requests', () => {
  it('are counted by procedure and status, and timed by procedure', async () => {
    const before = await operations.samples()
    await service.request('GET', '/version')
    await service.request('GET', '/version')
    await service.request('GET', '/agent/holders')
    await service.request('GET', '/api-docs')
    const after = await operations.samples()
    expect(grown(before, after, REQUESTS)).toEqual({
      '{procedure="service.version",status="200"}': 2,
      '{procedure="agentHolders.list",status="401"}': 1,
      '{procedure="api-docs",status="200"}': 1,
    })
    expect(grown(before, after, DURATIONS)).toEqual({
      '{procedure="service.version"}': 2,
      '{procedure="agentHolders.list"}': 1,
      '{procedure="api-docs"}': 1,
    })
  })

  it('of a batch are counted separately, each with its own status', async () => {
    const input = encodeURIComponent(
      JSON.stringify({ 0: { json: {} }, 1: { json: { id: crypto.randomUUID() } }, 2: { json: {} }, 3: {} }),
    )
    expect(
      await counted(REQUESTS, () =>
        rpc(`service.version,offerings.read,service.version,nothing.here?batch=1&input=${input}`),
      ),
    ).toEqual({
      '{procedure="service.version",status="200"}': 2,
      '{procedure="offerings.read",status="404"}': 1,
      '{procedure="none",status="404"}': 1,
    })
  })

  it('that the rate limit refuses are counted, as are statements to the database', async () => {
    const statements = await counted('credence_database_statements_total', () =>
      service.request('GET', `/api/v1/offerings/${crypto.randomUUID()}`),
    )
    expect(Object.values(statements)[0]).toBeGreaterThanOrEqual(1)
    const limited = await counted('credence_rate_limited_total', async () => {
      for (let sent = 0; sent < 70; sent += 1) await service.request('GET', '/version')
    })
    expect(Object.values(limited)[0]).toBeGreaterThanOrEqual(10)
    // The port for operators has no rate limit, so it always answers.
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => fetch(`${operations.url}/health/readiness`).then(({ status }) => status)),
    )
    expect(new Set(answers)).toEqual(new Set([200]))
    expect((await service.request('GET', '/health/readiness')).status).toBe(429)
  })
})

describe('event streams', () => {
  it('are shown while they are open, and are not timed', async () => {
    await using other = await startService({ env: { METRICS_PORT: '0' } })
    const its = await startOperations(other)
    await makeSchema(other)
    const authorization = await other.bearer('issuer')
    const offer = await other.request('POST', '/credential-offers', {
      authorization,
      body: { credentialConfigurationIds: ['ProofOfPurchase'], credentialSubject: { product: 'Cup' } },
    })
    const path = `/credential-offer-sessions/${offer.json.credentialOfferSessionId}/events`
    {
      await using first = await readEvents(other, path, { authorization })
      await using second = await readEvents(other, path, { authorization })
      await Promise.all([first.next(), second.next()])
      expect(ofMetric(await its.samples(), 'credence_event_streams')).toEqual({ credence_event_streams: 2 })
    }
    await expect.poll(async () => (await its.samples()).get('credence_event_streams')).toBe(0)
    const samples = await its.samples()
    expect(ofMetric(samples, REQUESTS)).toMatchObject({
      'credence_requests_total{procedure="credentialOffers.events",status="200"}': 2,
    })
    expect(Object.keys(ofMetric(samples, DURATIONS)).filter((name) => name.includes('.events'))).toEqual([])
    await its.close()
  })
})

describe('the port for operators', () => {
  it('has the same health results as the main port, and no other routes', async () => {
    const liveness = await fetch(`${operations.url}/health/liveness?x=1`)
    expect([liveness.status, await liveness.json()]).toEqual([200, { status: 'ok', info: {}, error: {}, details: {} }])
    const metrics = await fetch(`${operations.url}/metrics`)
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect((await fetch(`${operations.url}/metrics`, { method: 'HEAD' })).status).toBe(200)
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/version'],
      ['GET', '/agent/holders'],
      ['POST', '/metrics'],
    ] as const) {
      const answer = await fetch(`${operations.url}${path}`, { method })
      expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
        404,
        `Cannot ${method} ${path}`,
      ])
    }
  })
})

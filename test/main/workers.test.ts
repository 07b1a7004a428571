import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workerSources, worst } from '../../server/process/operations.js'
import { sendPath } from '../http/raw.js'
import { ofMetric, type Samples, scrape } from '../metrics/scrape.js'
import { listenLocally } from '../support/local-server.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'
import { localEnvironment, startProcess } from './process.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Sends each request on a new connection, so that the workers take turns. */
const statuses = (url: string, count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await sendPath(url, 'GET', '/version')).status))

const isAlive = (pid: unknown) => {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

const REQUESTS = 'credence_requests_total'
const CPU = 'process_cpu_seconds_total'

/**
 * Checks the sums on METRICS_PORT after 30 requests. The rate limit refused ten of these requests. It is not known
 * which worker received which request.
 */
function expectSums(samples: Samples): void {
  expect(ofMetric(samples, REQUESTS)).toEqual({
    [`${REQUESTS}{procedure="service.version",status="200"}`]: 20,
    [`${REQUESTS}{procedure="none",status="429"}`]: 10,
  })
  expect(samples.get('credence_rate_limited_total')).toBe(10)
  expect(samples.get('credence_workers')).toBe(2)
  expect(samples.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
}

const ready = async (operations: string) => {
  const answer = await fetch(`${operations}/health/readiness`)
  return [answer.status, await answer.json()]
}

describe('WEB_CONCURRENCY=2', () => {
  it('serves from two processes with a common rate limit and common metrics, replaces a worker that ends, and stops all processes together', async () => {
    await using service = startProcess({
      ...localEnvironment(database.url),
      WEB_CONCURRENCY: '2',
      RATE_LIMIT_MAX: '20',
      // The last requests of this test must fall into the window of the first, also on a slow machine.
      RATE_LIMIT_WINDOW_SECONDS: '3600',
      METRICS_PORT: '0',
    })
    const workers = await service.logged('listening', 2)
    const pids = workers.map(({ pid }) => Number(pid))
    expect(new Set([...pids, service.child.pid]).size).toBe(3)
    const url = await service.url()

    const answers = await statuses(url, 30)
    expect(answers.toSorted()).toEqual([...Array(20).fill(200), ...Array(10).fill(429)])

    const operations = await service.operationsUrl()
    const before = await scrape(operations)
    expectSums(before)
    // This port has no rate limit. A client that has reached the limit of the main port does not make the service
    // unhealthy.
    for (let asked = 0; asked < 25; asked += 1) {
      expect(await ready(operations)).toMatchObject([200, { status: 'ok', info: { database: { status: 'up' } } }])
    }

    const [victim = 0, other = 0] = pids
    process.kill(victim, 'SIGKILL')
    const [ended] = await service.logged('worker ended')
    expect(ended).toMatchObject({ level: 50, signal: 'SIGKILL' })
    const [, , replacement] = await service.logged('listening', 3)
    expect(pids).not.toContain(replacement?.pid)
    const after = await scrape(operations)
    expectSums(after)
    expect(after.get(CPU)).toBeGreaterThanOrEqual(before.get(CPU) ?? Number.POSITIVE_INFINITY)
    // A worker that does not answer is reported, and the counts of this worker stay in the sums.
    process.kill(other, 'SIGSTOP')
    expect(await ready(operations)).toMatchObject([503, { error: { workers: { status: 'down' } } }])
    expectSums(await scrape(operations))
    process.kill(other, 'SIGCONT')
    expect(await statuses(url, 4)).toEqual([429, 429, 429, 429])

    service.child.kill('SIGTERM')
    expect(await service.exit()).toBe(0)
    for (const pid of [...pids, replacement?.pid]) expect(isAlive(pid)).toBe(false)
    expect(service.log().filter(({ msg }) => msg === 'stopped')).toHaveLength(2)
    // Only the primary runs migrations and makes the default records.
    expect(service.log().filter(({ msg }) => msg?.startsWith('AUTH_DISABLED'))).toHaveLength(1)
  })

  it.each(['PORT', 'PUBLIC_PORT'])(
    'exits 1 if a worker ends before it listens at %s, because it would end again and again',
    async (name) => {
      const other = createServer()
      const { port } = new URL(await listenLocally(other))
      await using service = startProcess({ ...localEnvironment(database.url), WEB_CONCURRENCY: '2', [name]: port })
      expect(await service.exit()).toBe(1)
      expect(service.stderr()).toContain(`127.0.0.1:${port} is already in use.`)
      expect((await service.logged('worker ended')).length).toBeLessThanOrEqual(2)
      other.close()
    },
  )

  it('continues with the running workers if another worker cannot start, and tries to start it again', async () => {
    await using own = await createTestDatabase()
    const admin = Object.assign(new URL(own.url), { pathname: '/postgres' }).href
    const takesConnections = (takes: boolean) =>
      query(admin, `ALTER DATABASE "${new URL(own.url).pathname.slice(1)}" ALLOW_CONNECTIONS ${takes}`)
    await using service = startProcess({ ...localEnvironment(own.url), WEB_CONCURRENCY: '2', METRICS_PORT: '0' })
    const [victim, other] = await service.logged('listening', 2)
    const url = await service.url()
    await statuses(url, 4)
    await takesConnections(false)
    process.kill(Number(victim?.pid), 'SIGKILL')
    const ended = await service.logged('worker ended', 3)
    expect(ended.slice(1).map(({ exitCode }) => exitCode)).toEqual([1, 1])
    expect(isAlive(other?.pid)).toBe(true)
    expect(await statuses(url, 2)).toEqual([200, 200])
    await takesConnections(true)
    await service.logged('listening', 3)
    service.child.kill('SIGTERM')
    expect(await service.exit()).toBe(0)
  })

  it.each(['up', 'degraded', 'down'] as const)('has the worst value of all workers: %s', (status) => {
    const better = (['up', 'degraded', 'down'] as const).filter((_, index, all) => index <= all.indexOf(status))
    for (const order of [better, better.toReversed()])
      expect(worst(order.map((one) => ({ database: { status: one } })))).toEqual({ database: { status } })
    expect(worst([{ database: { status: 'up' } }, { service: { status } }])).toEqual({
      database: { status: 'up' },
      service: { status },
    })
  })

  it('is not ready until a worker serves', async () => {
    expect(await workerSources().readiness()).toEqual({ service: { status: 'down' } })
  })
})

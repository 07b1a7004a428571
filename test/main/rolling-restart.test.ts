import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasProgram } from '../events/servers.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'
import { type Balancer, createBalancer, type Place } from './balancer.js'
import { load, type Met } from './load.js'
import { localEnvironment, type ServiceProcess, startProcess } from './process.js'

/** The delay in the deployment files. */
const DELAY_SECONDS = '5'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.drop())

const start = ({ url }: Balancer, { port, probe }: Place, delaySeconds: string, workers: string) =>
  startProcess({
    ...localEnvironment(database.url),
    ISSUER_BASE_URL: url,
    VERIFIER_BASE_URL: url,
    PORT: String(port),
    METRICS_PORT: String(probe),
    SHUTDOWN_DELAY_SECONDS: delaySeconds,
    WEB_CONCURRENCY: workers,
    // For the service, all clients have the balancer's address.
    TRUST_PROXY: 'loopback',
    RATE_LIMIT_MAX: '0',
    LOG_LEVEL: 'warn',
  })

const isReady = ({ probe }: Place) =>
  fetch(`http://127.0.0.1:${probe}/health/readiness`).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * Replaces two services behind a balancer, one after the other, while clients send requests.
 *
 * @param probeEvery time between two probes; by default the value of the deployment's file.
 * @param workers number of workers of each service; 1 means a process without workers.
 * @param stop ends a service after its stop signal. Needed if the service has no delay
 */
async function restart(
  delaySeconds: string,
  probeEvery: string | undefined,
  workers: string,
  stop: (service: ServiceProcess, place: Place, noticed: () => Promise<void>) => Promise<void>,
): Promise<Met> {
  await using balancer = await createBalancer(probeEvery)
  const processes: ServiceProcess[] = []
  const startAt = (place: Place) => {
    const service = start(balancer, place, delaySeconds, workers)
    processes.push(service)
    return service
  }
  const places = Object.entries(balancer.places)
  const running = places.map(([name, place]) => ({ name, place, service: startAt(place) }))
  for (const [, place] of places) await expect.poll(() => isReady(place)).toBe(true)
  balancer.start()
  await expect.poll(() => isReady({ port: 0, probe: Number(new URL(balancer.url).port) })).toBe(true)

  const met: Met = { answers: 0, streamsEnded: 0, failures: [] }
  const over = new AbortController()
  const loaded = load(balancer.url, 8, 4, met, over.signal)
  try {
    for (const { name, place, service } of running) {
      await expect.poll(() => met.answers).toBeGreaterThan(50)
      const before = balancer.said().length
      const says = (what: string) => expect.poll(() => balancer.said().slice(before)).toContain(what)
      service.child.kill('SIGTERM')
      await stop(service, place, () => says(`${name} is DOWN`))
      expect(await service.exit()).toBe(0)
      startAt(place)
      await says(`${name} is UP`)
    }
    const { answers } = met
    await expect.poll(() => met.answers).toBeGreaterThan(answers + 50)
  } finally {
    over.abort()
    await loaded
    for (const service of processes) await service[Symbol.asyncDispose]()
  }
  return met
}

// This test needs HAProxy on the machine (Debian: apt-get install haproxy). Otherwise it is skipped.
describe.skipIf(!hasProgram('haproxy'))('two processes behind HAProxy, replaced one after the other under load', () => {
  it('lose no request and no stream after the balancer has noticed the stop', async () => {
    const met = await restart('300', '200ms', '1', async (service, { port }, noticed) => {
      await noticed()
      // When this request is answered, all earlier requests from the balancer have arrived at the service.
      await fetch(`http://127.0.0.1:${port}/health/liveness`)
      service.child.kill('SIGTERM')
    })
    expect(met.failures).toEqual([])
    expect(met.streamsEnded).toBeGreaterThanOrEqual(4)
  })

  describe.runIf(process.env.PROOF)('with the probes and the delay of the deployment files', () => {
    it.each(['1', '2'])('lose none, WEB_CONCURRENCY=%s', async (workers) => {
      const met = await restart(DELAY_SECONDS, undefined, workers, async () => {})
      const { answers, failures, streamsEnded } = met
      process.stdout.write(
        `WEB_CONCURRENCY=${workers}: ${answers} answered, ${failures.length} failed, ${streamsEnded} streams ended\n`,
      )
      expect(failures).toEqual([])
      expect(streamsEnded).toBeGreaterThanOrEqual(4)
    })
  })
})

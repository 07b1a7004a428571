import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRedisCounter } from '../../server/http/rate-limit-redis.js'
import { createLog } from '../../server/log/log.js'
import { INTERNAL_HEADER, ownRequestMac } from '../../server/outbound/own-origin.js'
import { type ServiceOptions, startService, type TestService } from '../support/service.js'
import { sendPath } from './raw.js'
import { startRedisServer } from './redis-server.js'

/** Starts services that share one database and one identity provider. */
let base: TestService

beforeAll(async () => {
  base = await startService()
})
afterAll(() => base.close())

const limited = (env: Record<string, string>, options: ServiceOptions = {}) =>
  startService({
    databaseUrl: base.databaseUrl,
    identityProvider: base.identityProvider,
    ...options,
    env: { RATE_LIMIT_MAX: '', ...env },
  })

async function statuses(service: TestService, count: number, headers: Record<string, string> = {}): Promise<number[]> {
  const answers: number[] = []
  for (let sent = 0; sent < count; sent += 1) {
    answers.push((await service.request('GET', '/version', { headers })).status)
  }
  return answers
}

describe('the rate limit', () => {
  it('is 60 requests in 60 seconds by default; the 61st is a 429 with the envelope and Retry-After', async () => {
    await using service = await limited({})
    expect(await statuses(service, 60)).toEqual(Array(60).fill(200))
    const refused = await service.request('GET', '/version?q=1')
    expect(refused.status).toBe(429)
    expect(refused.json).toEqual({
      statusCode: 429,
      message: 'Too Many Requests',
      path: '/version',
      timestamp: expect.any(String),
    })
    const retryAfter = Number(refused.headers.get('retry-after'))
    expect(retryAfter).toBeGreaterThan(0)
    expect(retryAfter).toBeLessThanOrEqual(60)
    expect(refused.headers.get('ratelimit')).toMatch(/^limit=60, remaining=0, reset=\d+$/)
    expect(refused.headers.get('ratelimit-policy')).toBe('60;w=60')
  })

  it('counts REST, /trpc and every outcome together, before authentication', async () => {
    await using service = await limited({ RATE_LIMIT_MAX: '6' })
    for (const path of [
      '/version',
      '/nothing',
      '/agent/holders',
      '/trpc/service.version',
      '/health/liveness',
      '/api-docs-json',
    ]) {
      expect((await service.request('GET', path)).status).not.toBe(429)
    }
    for (const path of ['/version', '/nothing', '/agent/holders', '/trpc/service.version', '/health/liveness']) {
      expect((await service.request('GET', path)).status).toBe(429)
    }
  })

  describe('each call of a batch counts', () => {
    const batch = (service: TestService, count: number, comma = ',') =>
      service.request('GET', `/trpc/${Array(count).fill('service.version').join(comma)}?batch=1&input=%7B%7D`)

    it('ten calls count as ten', async () => {
      await using service = await limited({ RATE_LIMIT_MAX: '13' })
      const ten = await batch(service, 10)
      expect([ten.status, ten.json.length, ten.headers.get('ratelimit')]).toEqual([
        200,
        10,
        expect.stringMatching(/^limit=13, remaining=3, /),
      ])
      expect(await statuses(service, 4)).toEqual([200, 200, 200, 429])
    })

    it('attack: a batch beyond the remaining requests is refused as a whole, with the comma percent-encoded too', async () => {
      await using service = await limited({ RATE_LIMIT_MAX: '6' })
      expect((await batch(service, 3)).status).toBe(200)
      const refused = await batch(service, 4, '%2C')
      expect([refused.status, refused.json.error.json.data]).toEqual([
        429,
        expect.objectContaining({ code: 'TOO_MANY_REQUESTS', httpStatus: 429, messages: ['Too Many Requests'] }),
      ])
      expect(await statuses(service, 1)).toEqual([429])
    })

    it('attack: a path of a thousand commas is refused and counts ten', async () => {
      await using service = await limited({ RATE_LIMIT_MAX: '12' })
      expect((await batch(service, 1_000)).status).toBe(400)
      expect(await statuses(service, 3)).toEqual([200, 200, 429])
    })
  })

  it('reports the remaining requests', async () => {
    await using service = await limited({ RATE_LIMIT_MAX: '3', RATE_LIMIT_WINDOW_SECONDS: '30' })
    const answer = await service.request('GET', '/version')
    expect(answer.headers.get('ratelimit')).toMatch(/^limit=3, remaining=2, reset=(30|2\d)$/)
    expect(answer.headers.get('ratelimit-policy')).toBe('3;w=30')
  })

  it('exempts hosted DID documents, also after the limit is reached', async () => {
    await using service = await limited({ RATE_LIMIT_MAX: '1' })
    const uuid = crypto.randomUUID()
    for (const path of [`/${uuid}/did.json`, `/${uuid}/.well-known/did.json`, `/${uuid.toUpperCase()}/did.json`]) {
      expect((await service.request('GET', path)).status).toBe(404)
      expect((await service.request('GET', path)).headers.get('ratelimit')).toBeNull()
    }
    expect(await statuses(service, 2)).toEqual([200, 429])
    expect((await service.request('GET', `/${uuid}/did.json`)).status).toBe(404)
    expect((await service.request('GET', '/not-a-uuid/did.json')).status).toBe(429)
  })

  it('does not count the files of the API reference, but counts its page, its document and missing files', async () => {
    await using service = await limited({ RATE_LIMIT_MAX: '3' })
    for (const file of ['start.js', 'swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']) {
      for (let time = 0; time < 2; time += 1) {
        const answer = await service.request('GET', `/api-docs/${file}`)
        expect([answer.status, answer.headers.get('ratelimit')]).toEqual([200, null])
      }
    }
    const counted = ['/api-docs', '/api-docs-json', '/api-docs/other.js', '/api-docs', '/api-docs/../version']
    const answers: number[] = []
    for (const path of counted) answers.push((await sendPath(service.url, 'GET', path)).status)
    expect(answers).toEqual([200, 200, 404, 429, 429])
    expect((await service.request('GET', '/api-docs/start.js')).status).toBe(200)
  })

  it('does not count the service’s requests to itself; a stranger cannot imitate them', async () => {
    await using service = await limited({ RATE_LIMIT_MAX: '1' })
    const sign = ownRequestMac(service.platform.sealingKey('own-request'), () => new Date(), [service.url])
    const own = { [INTERNAL_HEADER]: sign('GET', `${service.url}/version`) }
    expect(await statuses(service, 3, own)).toEqual([200, 200, 200])
    const stranger = ownRequestMac(new Uint8Array(32), () => new Date(), [service.url])
    const forged = { [INTERNAL_HEADER]: stranger('GET', `${service.url}/version`) }
    expect(await statuses(service, 2, forged)).toEqual([200, 429])
  })

  it('is off with RATE_LIMIT_MAX=0', async () => {
    expect(await statuses(base, 70)).toEqual(Array(70).fill(200))
    expect((await base.request('GET', '/version')).headers.get('ratelimit')).toBeNull()
  })
})

describe('TRUST_PROXY', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address })

  it('unset: a client cannot name another address', async () => {
    await using service = await limited({ RATE_LIMIT_MAX: '1' })
    expect(await statuses(service, 1, from('192.0.2.1'))).toEqual([200])
    expect(await statuses(service, 1, from('192.0.2.2'))).toEqual([429])
  })

  it.each(['1', 'loopback', '127.0.0.0/8'])('%s: the address that the proxy names is counted', async (value) => {
    await using service = await limited({ RATE_LIMIT_MAX: '1', TRUST_PROXY: value })
    expect(await statuses(service, 2, from('192.0.2.1'))).toEqual([200, 429])
    expect(await statuses(service, 1, from('192.0.2.2'))).toEqual([200])
    // In the header, addresses that the client wrote come before the address that the proxy added.
    expect(await statuses(service, 1, from('192.0.2.9, 192.0.2.2'))).toEqual([429])
  })

  it('addresses of one IPv6 network are one client', async () => {
    await using service = await limited({ RATE_LIMIT_MAX: '1', TRUST_PROXY: '1' })
    expect(await statuses(service, 1, from('2001:db8:1:1::1'))).toEqual([200])
    expect(await statuses(service, 1, from('2001:db8:1:1:ffff::2'))).toEqual([429])
    expect(await statuses(service, 1, from('2001:db8:2:1::1'))).toEqual([200])
  })
})

describe('REDIS_URL', () => {
  const log = createLog('silent')

  it('counts in Redis, so that the limit applies to all processes together', async () => {
    await using redis = await startRedisServer()
    const first = await createRedisCounter(redis.url, log)
    const second = await createRedisCounter(redis.url, log)
    await using one = await limited({ RATE_LIMIT_MAX: '4' }, { rateLimitStore: first.store })
    await using two = await limited({ RATE_LIMIT_MAX: '4' }, { rateLimitStore: second.store })
    expect(await statuses(one, 2)).toEqual([200, 200])
    expect(await statuses(two, 3)).toEqual([200, 200, 429])
    expect(await statuses(one, 1)).toEqual([429])
    expect(redis.hits()).toEqual({ 'credence:rate:127.0.0.1': 6 })
    await first.close()
    await second.close()
  })

  const readinessOf = async (service: TestService) => {
    const { status, json } = await service.request('GET', '/health/readiness')
    return [status, json.status, json.info, json.error, json.details]
  }
  const withRedis = (status: string) => {
    const components = { database: { status: 'up' }, identityProvider: { status: 'up' }, redis: { status } }
    return [200, 'ok', components, {}, components]
  }

  it('unreachable: each process counts separately and stays ready, degraded; reachable again: it is used again', async () => {
    const redis = await startRedisServer()
    const counter = await createRedisCounter(redis.url, log)
    const options = { rateLimitStore: counter.store, checks: { redis: counter.check } }
    await using service = await limited({ RATE_LIMIT_MAX: '4' }, options)
    expect(await readinessOf(service)).toEqual(withRedis('up'))
    expect(await statuses(service, 1)).toEqual([200])
    await redis.stop()
    // Two requests were counted while Redis was reachable. These two count after the outage of Redis began, too.
    expect(await readinessOf(service)).toEqual(withRedis('degraded'))
    expect(await statuses(service, 3)).toEqual([200, 429, 429])
    await redis.start()
    // The restarted Redis has lost its counts. So if requests are accepted again, Redis counts them.
    await expect.poll(async () => (await statuses(service, 1))[0], { timeout: 60_000 }).toBe(200)
    expect(Object.values(redis.hits())).toEqual([1])
    expect(await readinessOf(service)).toEqual(withRedis('up'))
    expect(await statuses(service, 3)).toEqual([200, 200, 429])
    await counter.close()
    await redis.stop()
  })

  it.each(['silent', 'readonly'] as const)('%s: the limit still applies, and readiness says degraded', async (mode) => {
    await using redis = await startRedisServer()
    const counter = await createRedisCounter(redis.url, log)
    const options = { rateLimitStore: counter.store, checks: { redis: counter.check } }
    await using service = await limited({ RATE_LIMIT_MAX: '3' }, options)
    redis.mode = mode
    expect(await statuses(service, 2)).toEqual([200, 200])
    expect(await readinessOf(service)).toEqual(withRedis('degraded'))
    expect(await statuses(service, 1)).toEqual([429])
    await counter.close()
  })

  it('unreachable at the start: the service starts and counts, and counts in Redis as soon as it is reachable', async () => {
    const redis = await startRedisServer()
    await redis.stop()
    const counter = await createRedisCounter(redis.url, log)
    await using service = await limited({ RATE_LIMIT_MAX: '2' }, { rateLimitStore: counter.store })
    expect(await statuses(service, 3)).toEqual([200, 200, 429])
    await redis.start()
    await expect
      .poll(async () => (await sendPath(service.url, 'GET', '/version')).status, { timeout: 60_000 })
      .toBe(200)
    expect(Object.values(redis.hits())).toEqual([1])
    await counter.close()
    await redis.stop()
  })

  it('a loss and a return of Redis are logged once each, for any number of requests', async () => {
    const lines: string[] = []
    const told = () => lines.map((line) => JSON.parse(line).msg).filter((msg) => /^redis is /.test(msg))
    const redis = await startRedisServer()
    const counter = await createRedisCounter(redis.url, createLog('info', { write: (line) => lines.push(line) }))
    await using service = await limited({ RATE_LIMIT_MAX: '1000' }, { rateLimitStore: counter.store })
    await redis.stop()
    await statuses(service, 5)
    expect(told()).toEqual(['redis is away: the rate limit is counted in each process'])
    await redis.start()
    await expect
      .poll(
        async () => {
          await statuses(service, 2)
          return told().length
        },
        { timeout: 60_000 },
      )
      .toBe(2)
    expect(told()[1]).toBe('redis is back: the rate limit is counted there')
    await counter.close()
    await redis.stop()
  })
})

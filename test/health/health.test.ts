import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { createLog } from '../../server/log/log.js'
import { accessToken, newSigningKey, startJwksServer } from '../auth/jwks-server.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const UP = { database: { status: 'up' }, identityProvider: { status: 'up' } }

describe('health', () => {
  it.each([
    ['/health/liveness', { status: 'ok', info: {}, error: {}, details: {} }],
    ['/health/readiness', { status: 'ok', info: UP, error: {}, details: UP }],
  ])('%s', async (path, result) => {
    const answer = await service.request('GET', path)
    expect([answer.status, answer.json]).toEqual([200, result])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toBe('application/json')
  })

  it('readiness names every component; if a component is down, it is a 503', async () => {
    const { databaseUrl, identityProvider } = service
    const checks = { queue: () => Promise.reject(new Error('away')), cache: async () => 'here' }
    const lines: string[] = []
    const log = createLog('error', { write: (line) => lines.push(line) })
    await using other = await startService({ databaseUrl, identityProvider, checks, log })
    const answer = await other.request('GET', '/health/readiness')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { component: 'queue', err: { message: 'away', stack: expect.stringContaining('health.test') } },
    ])
    const up = { ...UP, cache: { status: 'up' } }
    const down = { queue: { status: 'down' } }
    expect(answer.status).toBe(503)
    expect(answer.json).toEqual({
      status: 'error',
      info: up,
      error: down,
      details: { ...up, ...down },
      statusCode: 503,
      message: 'Health check failed: queue.',
      path: '/health/readiness',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    expect((await other.request('GET', '/health/liveness')).status).toBe(200)
  })

  it('a component that does not answer is down', async () => {
    const { databaseUrl, identityProvider } = service
    const checks = { stuck: () => new Promise(() => {}) }
    await using other = await startService({ databaseUrl, identityProvider, checks })
    const answer = await other.request('GET', '/health/readiness')
    expect([answer.status, answer.json.error]).toEqual([503, { stuck: { status: 'down' } }])
  })
})

describe('an unreachable identity provider', () => {
  const ready = async (at: TestService) => {
    const { status, json } = await at.request('GET', '/health/readiness')
    return [status, json.status, json.details.identityProvider.status]
  }

  afterEach(() => {
    vi.useRealTimers()
  })

  it('does not affect readiness: degraded when its keys expire, up when it is reachable again', async () => {
    const { databaseUrl } = service
    const key = await newSigningKey('RS256', 'one')
    await using jwks = await startJwksServer([key.publicJwk])
    await using other = await startService({ databaseUrl, env: { OIDC_JWKS_URL: jwks.url } })
    const ask = async (exp: number) => {
      const authorization = `Bearer ${await accessToken(key.privateKey, { alg: 'RS256', kid: 'one' }, { exp })}`
      return (await other.request('GET', '/api/v1/offerings', { authorization })).status
    }
    const later = Math.floor(Date.now() / 1000) + 3_600
    expect([await ask(later), await ready(other)]).toEqual([200, [200, 'ok', 'up']])
    await jwks.stop()
    expect(await ready(other)).toEqual([200, 'ok', 'up'])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 })
    expect([await ask(later), await ready(other)]).toEqual([401, [200, 'ok', 'degraded']])
    await jwks.start()
    expect([await ask(later), await ready(other)]).toEqual([200, [200, 'ok', 'up']])
  })

  it('is asked at most once in five seconds by any number of probes, and not at all while its keys are cached', async () => {
    const { databaseUrl } = service
    const key = await newSigningKey('RS256', 'one')
    await using jwks = await startJwksServer([key.publicJwk])
    jwks.status = 500
    await using other = await startService({ databaseUrl, env: { OIDC_JWKS_URL: jwks.url } })
    const before = performance.now()
    await expect.poll(() => ready(other)).toEqual([200, 'ok', 'degraded'])
    for (let probed = 0; probed < 5; probed += 1) expect(await ready(other)).toEqual([200, 'ok', 'degraded'])
    expect(jwks.requests).toBeLessThanOrEqual(1 + Math.floor((performance.now() - before) / 5_000))
    jwks.status = 200
    const authorization = `Bearer ${await accessToken(key.privateKey, { alg: 'RS256', kid: 'one' })}`
    expect((await other.request('GET', '/api/v1/offerings', { authorization })).status).toBe(200)
    const asked = jwks.requests
    for (let probed = 0; probed < 5; probed += 1) expect(await ready(other)).toEqual([200, 'ok', 'up'])
    expect(jwks.requests).toBe(asked)
  })
})

describe('the root and the version', () => {
  it('GET / greets', async () => {
    const answer = await service.request('GET', '/')
    expect([answer.status, answer.text]).toEqual([
      200,
      'Credence issues, holds and verifies digital credentials. Its API is described at /api-docs.',
    ])
  })

  it('GET /version has only service and version', async () => {
    const answer = await service.request('GET', '/version')
    expect([answer.status, answer.json]).toEqual([200, { name: 'credence', version: packageJson.version }])
  })
})

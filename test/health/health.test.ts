import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { createLog } from '../../server/log.js'
import { startService, type TestService } from '../support/service.js'

let service: TestService

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.close())

const UP = { database: { status: 'up' } }

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

  it('readiness names every component; one that is down makes it a 503', async () => {
    const { databaseUrl, identityProvider } = service
    const checks = { queue: () => Promise.reject(new Error('away')), cache: async () => 'here' }
    const lines: string[] = []
    const log = createLog('error', { write: (line) => lines.push(line) })
    await using other = await startService({ databaseUrl, identityProvider, checks, log })
    const answer = await other.request('GET', '/health/readiness')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { component: 'queue', err: { message: 'away', stack: expect.stringContaining('health.test') } },
    ])
    const up = { database: { status: 'up' }, cache: { status: 'up' } }
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

describe('the root and the version', () => {
  it('GET / greets', async () => {
    const answer = await service.request('GET', '/')
    expect([answer.status, answer.text]).toEqual([
      200,
      'Credence issues, holds and verifies digital credentials. Its API is described at /api-docs.',
    ])
  })

  it('GET /version names service and version, and nothing else', async () => {
    const answer = await service.request('GET', '/version')
    expect([answer.status, answer.json]).toEqual([200, { name: 'credence', version: packageJson.version }])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'

let postgres: OwnPostgres
let service: TestService

beforeAll(async () => {
  postgres = await startOwnPostgres()
  service = await startService({ databaseUrl: postgres.url })
  // One of the pooled connections breaks while it is used. The service then finds out that the other connections are
  // broken too.
  expect((await service.request('GET', '/health/readiness')).status).toBe(200)
  await postgres.stop()
})
afterAll(async () => {
  await service.close()
  await postgres.remove()
})

interface Operation {
  readonly method: string
  readonly path: string
}

/** Calls every operation with each kind of credentials, without a body. */
async function operations(): Promise<Operation[]> {
  const { paths } = (await service.request('GET', '/api-docs-json')).json
  return Object.entries<object>(paths).flatMap(([template, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: template
        .replace('{uuid}', '6f2c3b5e-5e4e-4f8e-9a57-0d6f5f0c4f11')
        .replaceAll(/\{\w+\}/g, '6f2c3b5e-5e4e-4f8e-9a57-0d6f5f0c4f12'),
    })),
  )
}

const LIST = '/status-lists/6f2c3b5e-5e4e-4f8e-9a57-0d6f5f0c4f11'

const ENVELOPE = {
  statusCode: 503,
  message: 'Database is unavailable.',
  timestamp: expect.any(String),
  error: 'Service Unavailable',
}

describe('while the database is unreachable', () => {
  it('a JSON route answers 503 with the envelope', async () => {
    for (const path of [
      '/api/v1/offerings',
      '/api/v1/offerings/x',
      '/.well-known/did-configuration',
      '/.well-known/openid-credential-issuer',
      LIST,
    ]) {
      const answer = await service.request('GET', path)
      expect([answer.status, answer.json]).toEqual([503, { ...ENVELOPE, path }])
    }
  })

  it('a protocol route answers 503 with an OAuth error body', async () => {
    const answer = await service.request('GET', '/openid4vci/offers/6f2c3b5e-5e4e-4f8e-9a57-0d6f5f0c4f11')
    expect([answer.status, answer.json]).toEqual([
      503,
      { error: 'temporarily_unavailable', error_description: 'Database is unavailable.' },
    ])
  })

  it('a call answers 503 in its own shape', async () => {
    const answer = await service.request('GET', '/trpc/offerings.list?input={"json":{}}')
    expect(answer.status).toBe(503)
    expect(answer.json.error.json.data).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      path: 'offerings.list',
      httpStatus: 503,
      messages: ['Database is unavailable.'],
    })
  })

  it('no operation answers with another 5xx', async () => {
    const admin = await service.bearer('root', { roles: ['admin'] })
    for (const { method, path } of await operations()) {
      for (const credentials of [{ authorization: admin }, { client: true }]) {
        const { status, json, text } = await service.request(method, path, credentials)
        const fine = status < 500 || status === 503
        expect([method, path, fine ? 'fine' : status, fine ? '' : (json ?? text)]).toEqual([method, path, 'fine', ''])
      }
    }
  })

  it('readiness reports it in the health result together with the envelope; liveness does not check the database', async () => {
    const readiness = await service.request('GET', '/health/readiness')
    const down = { database: { status: 'down' } }
    const provider = { identityProvider: { status: 'up' } }
    expect([readiness.status, readiness.json]).toEqual([
      503,
      {
        status: 'error',
        info: provider,
        error: down,
        details: { ...down, ...provider },
        statusCode: 503,
        message: 'Health check failed: database.',
        path: '/health/readiness',
        timestamp: expect.any(String),
      },
    ])
    const liveness = await service.request('GET', '/health/liveness')
    expect([liveness.status, liveness.json]).toEqual([200, { status: 'ok', info: {}, error: {}, details: {} }])
    expect((await service.request('GET', '/version')).status).toBe(200)
  })

  it('when the database is reachable again, requests are answered without a restart', async () => {
    await postgres.restart()
    const up = { database: { status: 'up' }, identityProvider: { status: 'up' } }
    const readiness = await service.request('GET', '/health/readiness')
    expect([readiness.status, readiness.json]).toEqual([200, { status: 'ok', info: up, error: {}, details: up }])
    expect((await service.request('GET', '/api/v1/offerings')).status).toBe(200)
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { query } from '../support/postgres.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'
import { sendPath } from './raw.js'

let service: TestService
let production: TestService
let user: string
let admin: string

beforeAll(async () => {
  service = await startService()
  const { databaseUrl, identityProvider } = service
  production = await startService({ databaseUrl, identityProvider, env: { NODE_ENV: 'production' } })
  user = await service.bearer('alice')
  admin = await service.bearer('root', { roles: ['admin'] })
})
afterAll(async () => {
  await production.close()
  await service.close()
})
afterEach(() => {
  vi.restoreAllMocks()
})

const json = { 'content-type': 'application/json' }
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

describe('the error envelope', () => {
  it('of a validation error: a list, each message begins with the path of its field', async () => {
    const body = {
      query: [{ fields: 'x' }, { fields: [{ path: ['$.a', 5], filter: {} }, { path: '$.a' }], purpose: 'none' }],
      extra: 1,
    }
    const answer = await service.request('POST', '/api/v1/verifier/vp-queries', { client: true, body })
    expect(answer.status).toBe(400)
    expect(answer.json).toEqual({
      statusCode: 400,
      message: expect.arrayContaining([
        'query.0.fields must be an array',
        'query.1.fields.0.path.1 must be a string',
        'query.1.fields.1.path must be an array',
        'property purpose should not exist',
        'property extra should not exist',
      ]),
      path: '/api/v1/verifier/vp-queries',
      timestamp,
      error: 'Bad Request',
    })
  })

  it.each([
    [{ query: 'x'.repeat(2_000) }, 'query must be an array'],
    [{ query: '' }, 'query must be an array'],
    [{ query: [{ fields: '' }] }, 'query.0.fields must be an array'],
  ])('for a text instead of an array does not name its size', async (body, message) => {
    const answer = await service.request('POST', '/api/v1/verifier/vp-queries', { client: true, body })
    expect([answer.status, answer.json.message]).toEqual([400, [message]])
  })

  it.each([
    [{}, ['credential must be defined']],
    [{ credential: '' }, ['credential must not be empty']],
    [{ credential: null }, ['credential must be a string']],
    [{ credential: 7 }, ['credential must be a string']],
    [{ credential: ['x'] }, ['credential must be a string']],
    [{ credential: 'x', colour: 'red' }, ['property colour should not exist']],
  ])('of %o', async (body, message) => {
    const answer = await service.request('POST', '/credentials/verify', { authorization: user, body })
    expect([answer.status, answer.json.message]).toEqual([400, message])
  })

  it('of a missing body', async () => {
    const answer = await service.request('POST', '/credentials/verify', { authorization: user })
    expect([answer.status, answer.json.message]).toEqual([400, ['credential must be defined']])
  })

  it.each([
    ['an unknown route', 'GET', '/nothing/here'],
    ['an unknown route below a known route', 'GET', '/version/x'],
    ['a known path with another method', 'PUT', '/credentials/verify'],
    ['a known path with another method', 'GET', '/credentials/verify'],
    ['a known path with another method', 'DELETE', '/version'],
    ['a method of one’s own', 'PROPFIND', '/version'],
    ['OPTIONS without an origin', 'OPTIONS', '/version'],
  ])('of %s: %s %s', async (_, method, path) => {
    const answer = await sendPath(service.url, method, `${path}?q=1`)
    expect(answer.status).toBe(404)
    expect(JSON.parse(answer.body)).toEqual({
      statusCode: 404,
      message: `Cannot ${method} ${path}`,
      path,
      timestamp,
      error: 'Not Found',
    })
  })

  it('has the reason phrase as `error` only if the message is another text', async () => {
    const unauthorized = await service.request('GET', '/agent/holders')
    expect(unauthorized.json).toEqual({ statusCode: 401, message: 'Unauthorized', path: '/agent/holders', timestamp })
    const insufficient = await service.request('GET', '/agent/holders', { authorization: user })
    expect(insufficient.json).toEqual({
      statusCode: 403,
      message: 'Insufficient role.',
      path: '/agent/holders',
      timestamp,
      error: 'Forbidden',
    })
  })

  it('of a superseded schema: 410 with error Gone', async () => {
    const schema = (version: number) =>
      service.request('POST', '/schemas', {
        authorization: user,
        body: { name: 'Versioned', version, schema: { type: 'object' } },
      })
    const { json: first } = await schema(1)
    await schema(2)
    const answer = await service.request('GET', `/schemas/${first.id}`, { authorization: user })
    expect(answer.json).toMatchObject({ statusCode: 410, message: 'Schema version is superseded.', error: 'Gone' })
    const conflict = await schema(2)
    expect(conflict.json).toMatchObject({ statusCode: 409, error: 'Conflict' })
  })
})

describe('internal errors', () => {
  const failing = (on: TestService) => {
    vi.spyOn(on.platform.stores.offerings, 'find').mockRejectedValue(new Error('relation "x" does not exist'))
    return on.request('GET', '/api/v1/offerings/some')
  }
  const called = (on: TestService) =>
    on.request('GET', `/trpc/offerings.read?input=${encodeURIComponent('{"json":{"id":"some"}}')}`)

  it('have the error’s message in development, without `error`', async () => {
    expect((await failing(service)).json).toEqual({
      statusCode: 500,
      message: 'relation "x" does not exist',
      path: '/api/v1/offerings/some',
      timestamp,
    })
    expect((await called(service)).json.error.json).toMatchObject({
      message: 'relation "x" does not exist',
      data: { code: 'INTERNAL_SERVER_ERROR', httpStatus: 500 },
    })
  })

  it('have no details in production', async () => {
    const answer = await failing(production)
    expect(answer.status).toBe(500)
    expect(answer.json).toEqual({
      statusCode: 500,
      message: 'Internal server error',
      path: '/api/v1/offerings/some',
      timestamp,
    })
    const rpc = await called(production)
    expect(rpc.text).not.toContain('relation')
    expect(rpc.json.error.json).toEqual({
      message: 'Internal server error',
      code: -32603,
      data: {
        code: 'INTERNAL_SERVER_ERROR',
        path: 'offerings.read',
        httpStatus: 500,
        messages: ['Internal server error'],
      },
    })
  })

  it('that the interface defines have no details in production either', async () => {
    const path = '/verification-sessions/unknown'
    const plain = await service.request('GET', path, { authorization: user })
    expect([plain.status, plain.json.statusCode]).toEqual([500, 500])
    expect(plain.json.message).not.toBe('Internal server error')
    expect((await production.request('GET', path, { authorization: user })).json.message).toBe('Internal server error')
  })

  it('include answers that break their own contract', async () => {
    await query(service.databaseUrl, `UPDATE issuers SET method = 'of no contract'`)
    expect((await service.request('GET', '/agent/issuers', { authorization: admin })).status).toBe(500)
  })
})

describe('the order of checks', () => {
  const malformed = { headers: json, body: '{' }

  it('authentication before validation', async () => {
    expect((await service.request('POST', '/credentials/verify', malformed)).status).toBe(401)
    expect((await service.request('POST', '/api/v1/offerings', malformed)).status).toBe(401)
    expect((await service.request('POST', '/credentials/verify', { ...malformed, authorization: user })).status).toBe(
      400,
    )
  })

  it('authentication before a body that is too long', async () => {
    const long = { headers: json, body: 'a'.repeat(1_100_000) }
    expect((await service.request('POST', '/credentials/verify', long)).status).toBe(401)
  })

  it('the role before validation', async () => {
    const answer = await service.request('POST', '/agent/holder', { ...malformed, authorization: user })
    expect([answer.status, answer.json.message]).toEqual([403, 'Insufficient role.'])
    expect((await service.request('POST', '/agent/holder', { ...malformed, authorization: admin })).status).toBe(400)
  })

  it('ownership before validation; an unknown holder is treated like the holder of another caller', async () => {
    const { json: holder } = await service.request('POST', '/agent/holder', {
      authorization: admin,
      body: { method: 'key' },
    })
    const other = await service.bearer('other-admin', { roles: ['admin'] })
    const ask = (id: string, authorization: string) =>
      service.request('POST', `/holders/${id}/process`, { ...malformed, authorization })
    const denied = await ask(holder.id, other)
    const unknown = await ask(crypto.randomUUID(), other)
    expect([denied.status, denied.json.message]).toEqual([403, 'Access to holder denied.'])
    expect([unknown.status, unknown.json.message]).toEqual([403, 'Access to holder denied.'])
    const nul = await ask('a%00b', other)
    expect([nul.status, nul.json.message]).toEqual([403, 'Access to holder denied.'])
    expect((await ask('%', other)).status).toBe(400)
    expect((await ask(holder.id, admin)).json.message).toBe('Request body is not valid JSON.')
    expect((await ask(holder.id.replace('-', '%2d'), admin)).json.message).toBe('Request body is not valid JSON.')
  })

  it('validation before existence', async () => {
    const path = `/api/v1/offerings/${crypto.randomUUID()}`
    expect((await service.request('GET', `${path}?colour=red`)).status).toBe(400)
    expect((await service.request('GET', path)).status).toBe(404)
    const claim = { authorization: user, body: { colour: 'red' } }
    expect((await service.request('POST', `${path}/claim`, claim)).status).toBe(400)
  })
})

describe('request ids', () => {
  const idOf = async (headers: Record<string, string>, path = '/version') =>
    (await service.request('GET', path, { headers })).headers.get('x-request-id')

  it('are new for every request', async () => {
    const ids = await Promise.all([
      idOf({}),
      idOf({}, '/nothing'),
      idOf({}, '/trpc/nothing'),
      idOf({}, '/agent/holders'),
    ])
    expect(new Set(ids).size).toBe(4)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  it('are the ids of a proxy, if they are plain tokens', async () => {
    expect(await idOf({ 'x-request-id': 'trace-1.a_B' })).toBe('trace-1.a_B')
    for (const id of ['a b', 'a\tb', '<script>', 'a'.repeat(129), 'é']) {
      expect(await idOf({ 'x-request-id': id })).not.toBe(id)
    }
  })
})

describe('HEAD', () => {
  it.each(['/version', '/', '/health/liveness', '/.well-known/openid-credential-issuer', '/nothing', '/api-docs-json'])(
    'answers like GET, without the body: %s',
    async (path) => {
      const get = await sendPath(service.url, 'GET', path)
      const head = await sendPath(service.url, 'HEAD', path)
      expect([head.status, head.body]).toEqual([get.status, ''])
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
    },
  )

  it('also needs authentication', async () => {
    expect((await sendPath(service.url, 'HEAD', '/agent/holders')).status).toBe(401)
  })
})

describe('the client secret', () => {
  it('must be one of the accepted values; without a configured value every request is refused', async () => {
    const { databaseUrl, identityProvider } = service
    const ask = async (on: TestService, headers: Record<string, string>) => {
      const answer = await on.request('GET', '/api/v1/verifier/vp-queries', { headers })
      return answer.status === 200 ? 200 : [answer.status, answer.json.message, answer.headers.get('www-authenticate')]
    }
    const refused = [401, 'Unauthorized', null]
    expect(await ask(service, {})).toEqual(refused)
    for (const secret of ['wrong', '', CLIENT_SECRET.slice(1), `${CLIENT_SECRET}x`, CLIENT_SECRET.toUpperCase()]) {
      expect(await ask(service, { 'x-client-secret': secret })).toEqual(refused)
    }
    expect(await ask(service, { authorization: admin })).toEqual(refused)
    expect(await ask(service, { 'x-client-secret': CLIENT_SECRET })).toBe(200)

    const shared = { databaseUrl, identityProvider }
    await using rotating = await startService({
      ...shared,
      env: { CLIENT_SECRET: 'new', CLIENT_SECRET_PREVIOUS: 'old' },
    })
    expect(await ask(rotating, { 'x-client-secret': 'new' })).toBe(200)
    expect(await ask(rotating, { 'x-client-secret': 'old' })).toBe(200)
    expect(await ask(rotating, { 'x-client-secret': 'older' })).toEqual(refused)

    await using unset = await startService({ ...shared, env: { CLIENT_SECRET: '' } })
    for (const secret of ['', 'undefined', CLIENT_SECRET]) {
      expect(await ask(unset, { 'x-client-secret': secret })).toEqual(refused)
    }
  })

  it('is refused if it is sent twice', async () => {
    const headers = { 'x-client-secret': [CLIENT_SECRET, CLIENT_SECRET] }
    expect((await sendPath(service.url, 'GET', '/api/v1/verifier/vp-queries', { headers })).status).toBe(401)
  })
})

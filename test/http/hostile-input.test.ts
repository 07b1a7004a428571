import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { sendPath, sendRaw } from './raw.js'

const SCHEMA = { name: 'Ticket', version: 1, schema: { type: 'object', properties: { seat: { type: 'string' } } } }
const MEBIBYTE = 1_048_576

let service: TestService
let authorization: string
let admin: string

beforeAll(async () => {
  service = await startService()
  authorization = await service.bearer('alice')
  admin = await service.bearer('root', { roles: ['admin'] })
  expect((await service.request('POST', '/schemas', { authorization, body: SCHEMA })).status).toBe(201)
})
afterAll(() => service.close())

/** Sends a text as the JSON body of a route over REST. */
const verify = (body: string | Buffer, headers: Record<string, string> = {}) =>
  sendPath(service.url, 'POST', '/credentials/verify', {
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body,
  })

/** Sends the same text as the input of a call on /trpc. */
const call = (body: string, headers: Record<string, string> = {}) =>
  sendPath(service.url, 'POST', '/trpc/verify.verify', {
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body,
  })

const messageOf = (answer: { body: string }) => JSON.parse(answer.body).message
const rpcMessagesOf = (answer: { body: string }) => JSON.parse(answer.body).error.json.data.messages

describe('invalid JSON, and JSON with unusable values', () => {
  it.each(['{', '{"credential":"x"', '{"credential":}', "{'credential':'x'}", 'undefined', '{"a":1}{', 'NaN'])(
    'malformed: %s',
    async (body) => {
      const answer = await verify(body)
      expect([answer.status, messageOf(answer)]).toEqual([400, 'Request body is not valid JSON.'])
      const called = await call(body)
      expect([called.status, rpcMessagesOf(called)]).toEqual([400, ['Request body is not valid JSON.']])
    },
  )

  it('bytes that are not UTF-8', async () => {
    const answer = await verify(Buffer.from('{"credential":"\xff"}', 'latin1'))
    expect([answer.status, messageOf(answer)]).toEqual([400, ['Request body must be UTF-8.']])
  })

  it.each([`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, '['.repeat(100_000) + ']'.repeat(100_000)])(
    'nesting beyond 100 levels, over REST and /trpc',
    async (nested) => {
      const answer = await verify(`{"credential":${nested}}`)
      expect([answer.status, messageOf(answer)]).toEqual([400, ['Request body is nested too deeply.']])
      const called = await call(`{"json":{"credential":${nested}}}`)
      expect([called.status, rpcMessagesOf(called)]).toEqual([400, ['Request body is nested too deeply.']])
    },
  )

  it('nesting beyond 100 levels in the address of a call', async () => {
    const input = encodeURIComponent(`{"json":{"limit":${'['.repeat(2_000)}${']'.repeat(2_000)}}}`)
    const called = await sendPath(service.url, 'GET', `/trpc/offerings.list?input=${input}`)
    expect([called.status, rpcMessagesOf(called)]).toEqual([400, ['Request body is nested too deeply.']])
  })

  it('brackets within strings do not count as nesting', async () => {
    const answer = await verify(JSON.stringify({ credential: '[{"\\'.repeat(500) }))
    expect([answer.status, JSON.parse(answer.body).isValid]).toEqual([200, false])
  })

  it.each(['"\\ud800"', '"a\\udc00b"', '{"\\ud83d":1}', '["\\ude00\\ud83d"]'])(
    'half of a surrogate pair (RFC 7493 §2.1): %s',
    async (value) => {
      const body = `{"credential_type":"Ticket","credential_subject":{"seat":${value}}}`
      const answer = await sendPath(service.url, 'POST', '/api/v1/offerings', {
        headers: { 'x-client-secret': 'test-client-secret', 'content-type': 'application/json' },
        body,
      })
      expect([answer.status, messageOf(answer)[0]]).toEqual([
        400,
        expect.stringMatching(/^credential_subject\.seat(\.0)? must be well-formed Unicode$/),
      ])
      const called = await sendPath(service.url, 'POST', '/trpc/offerings.create', {
        headers: { 'x-client-secret': 'test-client-secret', 'content-type': 'application/json' },
        body: `{"json":${body}}`,
      })
      expect(called.status).toBe(400)
    },
  )

  it('complete surrogate pairs and other escapes are accepted', async () => {
    const body = '{"credential_type":"Ticket","credential_subject":{"seat":"\\ud83d\\ude00 \\u00e9"}}'
    const answer = await sendPath(service.url, 'POST', '/api/v1/offerings', {
      headers: { 'x-client-secret': 'test-client-secret', 'content-type': 'application/json' },
      body,
    })
    expect(JSON.parse(answer.body).credential_subject).toEqual({ seat: '😀 é' })
  })
})

describe('NUL characters, which PostgreSQL cannot store', () => {
  const NUL = 'Text must not contain a NUL character.'

  const ticket = { credential_type: 'Ticket', credential_subject: {} }
  const dcql = { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['https://a.example/\0'] } }
  it.each<[string, string, string, object, string]>([
    [
      'a subject',
      '/api/v1/offerings',
      'offerings.create',
      { ...ticket, credential_subject: { seat: 'a\0b' } },
      'credential_subject.seat',
    ],
    [
      'a claim name',
      '/api/v1/offerings',
      'offerings.create',
      { ...ticket, credential_subject: { 'a\0b': 1 } },
      'credential_subject',
    ],
    ['a type', '/api/v1/offerings', 'offerings.create', { ...ticket, credential_type: 'Tic\0ket' }, 'credential_type'],
    ['a recipient', '/api/v1/offerings', 'offerings.create', { ...ticket, recipient: 'did:web:\0' }, 'recipient'],
    [
      'a VP query',
      '/api/v1/verifier/vp-queries',
      'vpQueries.create',
      { query: [{ fields: [{ path: ['$.a'], filter: { const: '\0' } }] }] },
      'query.0.fields.0.filter.const',
    ],
    [
      'a DCQL query',
      '/authorization-requests',
      'authorizationRequests.create',
      { dcqlQuery: { credentials: [dcql] } },
      'dcqlQuery.credentials.0.meta.vct_values.0',
    ],
    [
      'a schema',
      '/schemas',
      'schemas.create',
      { name: 'T', version: 1, schema: { type: 'object', title: '\0' } },
      'schema.title',
    ],
  ])('in %s are a 400 that names it, over REST and /trpc', async (_, path, procedure, body, member) => {
    const caller = { client: true, authorization: admin }
    const answer = await service.request('POST', path, { ...caller, body })
    expect([answer.status, answer.json.message]).toEqual([400, [`${member} must not contain a NUL character`]])
    const called = await service.request('POST', `/trpc/${procedure}`, { ...caller, body: { json: body } })
    expect([called.status, called.json.error.json.message]).toEqual([
      400,
      `json.${member} must not contain a NUL character`,
    ])
  })

  it('in every path parameter and every text of a query are a 4xx', async () => {
    const { paths } = (await service.request('GET', '/api-docs-json')).json
    const secret = { 'x-client-secret': 'test-client-secret' }
    for (const [template, methods] of Object.entries<Record<string, { parameters?: { in: string; name: string }[] }>>(
      paths,
    )) {
      for (const [method, operation] of Object.entries(methods)) {
        const texts = (operation.parameters ?? []).filter(({ in: place }) => place === 'query')
        const inPath = template.replaceAll(/\{\w+\}/g, 'a%00b')
        const urls = [inPath, ...texts.map(({ name }) => `${template.replaceAll(/\{\w+\}/g, 'x')}?${name}=a%00b`)]
        for (const url of urls.filter((each) => each.includes('%00'))) {
          for (const headers of [{ authorization: admin }, secret]) {
            const answer = await sendPath(service.url, method.toUpperCase(), url, { headers })
            expect([method, url, answer.status, answer.body]).toEqual([
              method,
              url,
              expect.toSatisfy(isRefusal(template)),
              expect.anything(),
            ])
          }
        }
      }
    }
  })

  it('in an id are a 400 or the 404 of the resource', async () => {
    const offering = await sendPath(service.url, 'GET', '/api/v1/offerings/a%00b')
    expect(JSON.parse(offering.body)).toMatchObject({ statusCode: 400, message: NUL, error: 'Bad Request' })
    const document = await sendPath(service.url, 'GET', '/agent/did/did:web:%00', { headers: { authorization: admin } })
    expect(document.status).toBe(400)
  })
})

/** Statuses below 500, and the 500 of an unknown issuer, verifier or session (interface: Errors). */
const isRefusal = (template: string) => (status: number) =>
  (status >= 400 && status < 500) ||
  (status === 500 && /issuer|verifier|session/.test(template)) ||
  // The service does not keep former versions of lists, so a 501 is correct for every `time`.
  (status === 501 && template === '/token-status-lists/{id}')

describe('names with a meaning in JavaScript', () => {
  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    '%s is an unknown property of a body, a query and a nested object, over REST and /trpc',
    async (name) => {
      const refused = `property ${name} should not exist`
      const inBody = await verify(`{"credential":"x","${name}":{"credential":"y"}}`)
      expect([inBody.status, messageOf(inBody)]).toEqual([400, [refused]])
      const called = await call(`{"json":{"credential":"x","${name}":{"credential":"y"}}}`)
      expect([called.status, rpcMessagesOf(called)]).toEqual([400, [refused]])
      const inQuery = await sendPath(service.url, 'GET', `/api/v1/offerings?${name}=1`)
      expect([inQuery.status, messageOf(inQuery)]).toEqual([400, [refused]])
      const nested = await service.request('POST', '/api/v1/verifier/vp-queries', {
        client: true,
        headers: { 'content-type': 'application/json' },
        body: `{"query":[{"fields":[],"${name}":{}}]}`,
      })
      expect([nested.status, nested.json.message]).toEqual([400, expect.arrayContaining([refused])])
    },
  )

  it('inherited members do not count: __proto__ cannot supply missing members', async () => {
    for (const body of ['{"__proto__":{"credential":"x"}}', '{"\\u005f_proto__":{"credential":"x"}}']) {
      expect(messageOf(await verify(body))).toEqual(['property __proto__ should not exist'])
      expect(rpcMessagesOf(await call(`{"json":${body}}`))).toEqual(['property __proto__ should not exist'])
    }
  })

  it.each(['__proto__', 'constructor', 'toString', '__proto__.toString'])('there is no procedure %s', async (name) => {
    const called = await sendPath(service.url, 'GET', `/trpc/${name}`)
    expect([called.status, JSON.parse(called.body).error.json.data.httpStatus]).toEqual([404, 404])
  })

  it('the prototype of objects does not change', () => {
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as Record<string, unknown>).credential).toBeUndefined()
  })
})

describe('superjson annotations', () => {
  it.each([
    { __proto__x: ['Date'], '__proto__.y': ['Date'] },
    { credential: ['regexp'] },
    { credential: ['bigint'] },
    { credential: [['class', 'Deps']] },
    { credential: [['custom', 'x']] },
    { credential: [['typed-array', 'Function']] },
    { credential: ['URL'] },
    { 'constructor.prototype.polluted': ['Date'] },
  ])('%o give a 400', async (values) => {
    const called = await call(JSON.stringify({ json: { credential: 'x' }, meta: { values } }))
    expect([called.status, JSON.parse(called.body).error.json.data.httpStatus]).toEqual([400, 400])
  })

  it('referential equalities cannot reach prototypes', async () => {
    const called = await call(
      JSON.stringify({
        json: { credential: 'x' },
        meta: { referentialEqualities: { credential: ['__proto__.polluted', 'constructor.prototype.polluted'] } },
      }),
    )
    expect(called.status).toBeLessThan(500)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('size', () => {
  it('a body of one mebibyte is read, and a longer body is a 413, over REST and /trpc', async () => {
    const wrapping = JSON.stringify({ credential: '' }).length
    const longest = JSON.stringify({ credential: 'a'.repeat(MEBIBYTE - wrapping) })
    expect((await verify(longest)).status).toBe(200)
    const answer = await verify(`${longest} `)
    expect([answer.status, messageOf(answer)]).toEqual([413, 'Request body exceeds 1 MiB.'])
    const called = await call(`${longest} `)
    expect([called.status, rpcMessagesOf(called)]).toEqual([413, ['Request body exceeds 1 MiB.']])
  })

  it('a chunked body is counted as it arrives', async () => {
    const chunk = `${(65_536).toString(16)}\r\n${'a'.repeat(65_536)}\r\n`
    const answer = await sendRaw(
      service.url,
      `POST /credentials/verify HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`,
    )
    expect(answer.status).toBe(413)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('a body in %s is decompressed, up to one mebibyte', async (encoding, pack) => {
    const headers = { 'content-encoding': encoding }
    const answer = await verify(pack(JSON.stringify({ credential: 'x' })), headers)
    expect([answer.status, JSON.parse(answer.body).isValid]).toEqual([200, false])
    const packed = pack(Buffer.alloc(64 * MEBIBYTE, 32))
    const bomb = await verify(packed, headers)
    expect([bomb.status, messageOf(bomb)]).toEqual([413, 'Request body exceeds 1 MiB.'])
    const called = await sendPath(service.url, 'POST', '/trpc/verify.verify', {
      headers: { authorization, 'content-type': 'application/json', ...headers },
      body: packed,
    })
    expect(called.status).toBe(413)
  })

  it('an unknown encoding is a 415, and a damaged body a 400', async () => {
    expect((await verify('{}', { 'content-encoding': 'x-unknown' })).status).toBe(415)
    const broken = await verify(Buffer.from('no gzip'), { 'content-encoding': 'gzip' })
    expect([broken.status, messageOf(broken)]).toEqual([400, ['Request body could not be read.']])
  })

  it('headers and addresses beyond 16 KiB are a 431', async () => {
    for (const path of [`/version?${'a'.repeat(20_000)}`, '/version']) {
      const answer = await sendRaw(
        service.url,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
      )
      expect(answer.status).toBe(431)
    }
  })
})

describe('requests that two parsers would read differently', () => {
  const line = 'POST /credentials/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
  it.each([
    ['two content lengths', `${line}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`],
    ['a length beside chunks', `${line}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a length that is not a number', `${line}Content-Length: 2a\r\n\r\n{}`],
    ['a header over several lines', 'GET /version HTTP/1.1\r\nHost: x\r\nX-A: a\r\n b\r\n\r\n'],
    ['a space in a header name', 'GET /version HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['no host', 'GET /version HTTP/1.1\r\n\r\n'],
  ])('%s are a 400', async (_, bytes) => {
    expect((await sendRaw(service.url, bytes)).status).toBe(400)
  })
})

describe('queries', () => {
  it('a member that is given twice is not accepted as a text', async () => {
    const answer = await service.request('GET', '/schemas/Ticket?includeInactive=true&includeInactive=false', {
      authorization,
    })
    expect([answer.status, answer.json.message]).toEqual([400, ['includeInactive must be a boolean']])
  })

  it('brackets make no objects', async () => {
    const answer = await service.request('GET', '/api/v1/offerings?limit[a]=1')
    expect([answer.status, answer.json.message]).toEqual([400, ['property limit[a] should not exist']])
  })

  it('a path that is not percent-encoded UTF-8 is a 400', async () => {
    for (const id of ['%', '%zz', '%ff', '%ed%a0%80']) {
      const answer = await sendPath(service.url, 'GET', `/api/v1/offerings/${id}`)
      expect([id, answer.status, messageOf(answer)]).toEqual([id, 400, ['id must be percent-encoded UTF-8']])
    }
  })
})

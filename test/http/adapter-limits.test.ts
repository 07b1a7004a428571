import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'
import { sendPath } from './raw.js'

const SCHEMA = {
  name: 'Ticket',
  version: 1,
  schema: { type: 'object', properties: { seat: { type: 'number' } }, required: ['seat'] },
}
const UNSUPPORTED = 'Unsupported credential format. Expected compact JWT (x.y.z) or SD-JWT.'

let service: TestService
let authorization: string
let schemaId: string

beforeAll(async () => {
  service = await startService()
  authorization = await service.bearer('alice')
  const schema = await service.request('POST', '/schemas', { authorization, body: SCHEMA })
  schemaId = schema.json.id
})
afterAll(() => service.close())

const offer = (members: object = {}) =>
  service.request('POST', '/api/v1/offerings', {
    client: true,
    body: { credential_type: 'Ticket', credential_subject: { seat: 12 }, ...members },
  })

/** Known limits of the library that maps REST to procedures, and the service's own behaviour in these cases. */
describe('the façade over trpc-to-openapi', () => {
  describe('1. a body of another type than application/json, or no body', () => {
    it('accepts POST without body and content type if the route has only members in its path', async () => {
      const { json: offering } = await offer()
      const claimed = await sendPath(service.url, 'POST', `/api/v1/offerings/${offering.id}/claim`, {
        headers: { authorization },
      })
      expect(claimed.status).toBe(200)
      const { id } = JSON.parse(claimed.body)
      const revoked = await sendPath(service.url, 'POST', `/api/v1/credentials/${id}/revoke`, {
        headers: { 'x-client-secret': CLIENT_SECRET },
      })
      expect([revoked.status, revoked.body]).toEqual([200, ''])
    })

    it('treats a body of white space as missing, with any type', async () => {
      const { json: offering } = await offer()
      for (const type of ['application/json', 'text/plain']) {
        const claimed = await service.request('POST', `/api/v1/offerings/${offering.id}/claim`, {
          authorization,
          headers: { 'content-type': type },
          body: ' \r\n\t',
        })
        expect([type, claimed.status]).toEqual([type, 200])
      }
    })

    it('accepts JSON media types with parameters and +json suffixes', async () => {
      for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/ld+json']) {
        const answer = await service.request('POST', '/credentials/verify', {
          authorization,
          headers: { 'content-type': type },
          body: JSON.stringify({ credential: 'x' }),
        })
        expect(answer.json).toEqual({ isValid: false, error: UNSUPPORTED })
      }
    })

    it('answers 415 with the envelope to a body of another type', async () => {
      for (const type of [
        'text/plain',
        'application/xml',
        'multipart/form-data; boundary=x',
        'application/x-www-form-urlencoded',
      ]) {
        const answer = await service.request('POST', '/credentials/verify', {
          authorization,
          headers: { 'content-type': type },
          body: 'credential=x',
        })
        expect(answer.status).toBe(415)
        expect(answer.json).toEqual({
          statusCode: 415,
          message: `Content type ${type.split(';')[0]} is not supported.`,
          path: '/credentials/verify',
          timestamp: expect.any(String),
          error: 'Unsupported Media Type',
        })
      }
    })
  })

  it('2. error bodies are only the envelope: no code, no issues', async () => {
    const invalid = await service.request('POST', '/credentials/verify', { authorization, body: {} })
    expect(invalid.json).toEqual({
      statusCode: 400,
      message: ['credential must be defined'],
      path: '/credentials/verify',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      error: 'Bad Request',
    })
    const unknown = await service.request('GET', '/schemas/unknown', { authorization })
    expect(Object.keys(unknown.json)).toEqual(['statusCode', 'message', 'path', 'timestamp', 'error'])
  })

  describe('3. statuses, media types and bodies other than 200 and JSON', () => {
    it('201 for a creation', async () => {
      const offering = await offer()
      expect([offering.status, offering.headers.get('content-type')]).toEqual([201, 'application/json; charset=utf-8'])
    })

    it('204 without a body for a deletion', async () => {
      const query = await service.request('POST', '/api/v1/verifier/vp-queries', {
        client: true,
        body: { query: [{ fields: [{ path: ['$.vct'], filter: { type: 'string', const: 'x' } }] }] },
      })
      expect(query.status).toBe(201)
      const deleted = await service.request('DELETE', `/api/v1/verifier/vp-queries/${query.json.id}`, { client: true })
      expect([deleted.status, deleted.text, deleted.headers.get('content-type')]).toEqual([204, '', null])
    })

    it('text as text', async () => {
      const greeting = await service.request('GET', '/')
      expect(greeting.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(greeting.text).toMatch(/^Credence /)
    })

    it('a JSON string as a JSON string', async () => {
      const { json: offering } = await offer()
      const image = await service.request('GET', `/api/v1/offerings/${offering.id}/qr-code`)
      expect(image.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(image.json).toMatch(/^data:image\/png;base64,/)
    })
  })

  describe('4. coercion that would change the shared contracts', () => {
    const numberAsText = { credential_type: 'Ticket', credential_subject: { seat: 1 }, redemption_limit: '5' }
    const rpc = () => service.request('POST', '/trpc/offerings.create', { client: true, body: { json: numberAsText } })

    it('"5" is not a number over REST and /trpc, before and after REST calls of the same procedure', async () => {
      expect((await rpc()).status).toBe(400)
      expect((await offer({ redemption_limit: 5 })).status).toBe(201)
      expect((await service.request('GET', '/api/v1/offerings?limit=5', { client: true })).status).toBe(200)

      const rest = await offer({ redemption_limit: '5' })
      expect([rest.status, rest.json.message]).toEqual([400, ['redemption_limit must be a number']])
      const called = await rpc()
      expect(called.status).toBe(400)
      expect(called.json.error.json.data.messages).toEqual(['redemption_limit must be a number'])
    })

    it('a query member that must be a number arrives as a number; another value is refused', async () => {
      expect((await service.request('GET', '/api/v1/offerings?limit=1', { client: true })).json).toHaveLength(1)
      for (const limit of ['abc', '1.5', '0', '-1', '1e2', '', ' 1', '1001', '1&limit=2']) {
        const answer = await service.request('GET', `/api/v1/offerings?limit=${limit}`, { client: true })
        expect([limit, answer.status, answer.json.message[0]]).toEqual([
          limit,
          400,
          expect.stringMatching(/^limit must be /),
        ])
      }
    })

    it('a true/false query member arrives as a boolean; another value is refused', async () => {
      const read = (value: string) =>
        service.request('GET', `/schemas/${schemaId}?includeInactive=${value}`, { authorization })
      expect((await read('true')).status).toBe(200)
      const answer = await read('1')
      expect([answer.status, answer.json.message]).toEqual([400, ['includeInactive must be a boolean']])
    })
  })

  it('5. a fixed path has precedence over a path with a parameter, in any order of declaration', async () => {
    const verified = await service.request('POST', '/credentials/verify', { authorization, body: { credential: 'x' } })
    expect(verified.json).toEqual({ isValid: false, error: UNSUPPORTED })
    const holders = await service.request('GET', '/agent/holders', {
      authorization: await service.bearer('root', { roles: ['admin'] }),
    })
    expect(holders.json).toEqual([])
  })

  it('6. path parameters are decoded once: a did:web with a port is found if it is encoded once or twice', async () => {
    const admin = await service.bearer('root', { roles: ['admin'] })
    const created = await service.request('POST', '/agent/did', { authorization: admin, body: { method: 'web' } })
    const { did }: { did: string } = created.json
    expect(did).toContain(`did:web:127.0.0.1%3A${new URL(service.url).port}:`)
    for (const encoded of [did, encodeURIComponent(did), did.replace('%3A', '%253A')]) {
      const answer = await service.request('GET', `/agent/did/${encoded}`, { authorization: admin })
      expect([answer.status, answer.json?.did]).toEqual([200, did])
    }
  })

  describe('7. names in more than one part of a request', () => {
    it('a body member named like a path parameter is an unknown property', async () => {
      const { json: offering } = await offer()
      const answer = await service.request('POST', `/api/v1/offerings/${offering.id}/claim`, {
        authorization,
        body: { id: 'another' },
      })
      expect([answer.status, answer.json.message]).toEqual([400, ['property id should not exist']])
    })

    it('a query member named like a path parameter is an unknown property', async () => {
      const { json: offering } = await offer()
      const answer = await service.request('GET', `/api/v1/offerings/${offering.id}?id=another`)
      expect([answer.status, answer.json.message]).toEqual([400, ['property id should not exist']])
    })

    it('the query of a POST has no members', async () => {
      const answer = await service.request('POST', '/credentials/verify?credential=a~', {
        authorization,
        body: { credential: 'x' },
      })
      expect([answer.status, answer.json.message]).toEqual([400, ['property credential should not exist']])
    })
  })

  describe('8. paths are literal', () => {
    it.each([
      ['case', '/Version'],
      ['case of a parent', '/API/v1/offerings'],
      ['a dot is a dot', '/.well-known/did-configurationXjson'],
      ['a dot is a dot', '/Xwell-known/did-configuration'],
      ['a trailing slash', '/version/'],
      ['an empty segment', '//version'],
      ['an encoded letter of a fixed segment', '/%76ersion'],
      ['an encoded slash', '/health%2Fliveness'],
      ['a dot segment', '/health/../version'],
      ['an empty parameter', '/api/v1/offerings//qr-code'],
      ['case of /trpc', '/TRPC/service.version'],
    ])('%s: %s is 404', async (_, path) => {
      const answer = await sendPath(service.url, 'GET', path)
      expect(answer.status).toBe(404)
      expect(JSON.parse(answer.body)).toMatchObject({ statusCode: 404, message: `Cannot GET ${path}`, path })
    })

    it('/{uuid}/did.json is for UUIDs only', async () => {
      const other = await service.request('GET', '/version/did.json')
      expect([other.status, other.json.message]).toEqual([404, 'Cannot GET /version/did.json'])
      const uuid = await service.request('GET', `/${crypto.randomUUID()}/did.json`)
      expect([uuid.status, uuid.json.message]).toEqual([404, 'DID Document not found.'])
    })

    it('an array body is a 400, and is not spread into members 0, 1…', async () => {
      for (const body of [[], [{ credential: 'x' }], ['credential', 'x']]) {
        const answer = await service.request('POST', '/credentials/verify', { authorization, body })
        expect([answer.status, answer.json.message]).toEqual([400, ['Request body must be a JSON object']])
      }
    })

    it.each(['null', '1', '"credential"', 'true'])('a body of %s is refused too', async (body) => {
      const answer = await service.request('POST', '/credentials/verify', {
        authorization,
        headers: { 'content-type': 'application/json' },
        body,
      })
      expect([answer.status, answer.json.message]).toEqual([400, ['Request body must be a JSON object']])
    })
  })

  it('9. look-up does not depend on the number of routes: the last declared route answers like the first', async () => {
    const { paths } = (await service.request('GET', '/api-docs-json')).json
    const simple = Object.keys(paths).filter((path) => paths[path].get !== undefined && !path.includes('{'))
    const streams = (path: string) => path.endsWith('/events') || path.includes('/image')
    // This service has no sign-in, so its console is off: the paths below /console/ answer like unknown paths.
    for (const path of simple.filter((each) => !streams(each) && !each.startsWith('/console/'))) {
      const { json } = await service.request('GET', path)
      expect([path, json?.message]).not.toEqual([path, `Cannot GET ${path}`])
    }
  })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../support/postgres.js'
import { startService, type TestService } from '../../support/service.js'
import { newIssuer } from '../issuer-record.js'
import { newTypeName, PURCHASE, postSchema } from '../purchase.js'

let service: TestService
let alice: string

beforeAll(async () => {
  service = await startService()
  alice = await service.bearer('alice')
})
afterAll(() => service.close())

const post = (body: unknown) => service.request('POST', '/schemas', { authorization: alice, body })
const get = (path: string) => service.request('GET', path, { authorization: alice })

describe('POST /schemas', () => {
  it('answers 201 with the schema, its version, its public address and its body', async () => {
    const name = newTypeName()
    const answer = await post({
      name,
      version: 1,
      schema: PURCHASE,
      title: 'Proof of purchase',
      description: 'That something was bought.',
      display: [{ name: 'Kaufbeleg', locale: 'de-CH', logo: { uri: 'https://shop.example/logo.png' } }],
      selectivelyDisclosable: ['price', 'shop.city'],
      expiresInDays: 30,
    })
    expect(answer.status).toBe(201)
    const { id } = answer.json
    expect(answer.json).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name,
      type: name,
      version: 1,
      schemaUri: `${service.url}/api/v1/schemas/${id}`,
      schemaBody: PURCHASE,
      title: 'Proof of purchase',
      description: 'That something was bought.',
      display: [{ name: 'Kaufbeleg', locale: 'de-CH', logo: { uri: 'https://shop.example/logo.png' } }],
      selectivelyDisclosable: ['price', 'shop.city'],
      expiresInDays: 30,
      active: true,
      issuers: [],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  })

  it('answers 409 with `error` Conflict for an existing name and version', async () => {
    const { name } = await postSchema(service, alice)
    const answer = await post({ name, version: 1, schema: { type: 'object' } })
    expect(answer.status).toBe(409)
    expect(answer.json).toMatchObject({
      statusCode: 409,
      message: `Schema ${name} version 1 already exists.`,
      error: 'Conflict',
      path: '/schemas',
    })
    expect((await get(`/schemas/${name}/versions`)).json).toHaveLength(1)
  })

  it('lets only one of many simultaneous requests create the same version', async () => {
    const name = newTypeName()
    const body = { name, version: 1, schema: PURCHASE }
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => post(body)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([201, ...Array(7).fill(409)])
  })

  it.each([
    ['no name', { name: undefined }, ['name must be defined']],
    ['an empty name', { name: '' }, ['name must not be empty', 'name must match /^[a-zA-Z0-9_]+$/']],
    ['a name that is not a member of an object', { name: '__proto__' }, ['name must not be __proto__']],
    ['a name with spaces', { name: 'Proof of purchase' }, ['name must match /^[a-zA-Z0-9_]+$/']],
    ['a name with a hyphen', { name: 'Purchase-sd-jwt' }, ['name must match /^[a-zA-Z0-9_]+$/']],
    ['no version', { version: undefined }, ['version must be defined']],
    ['a version in quotation marks', { version: '1' }, ['version must be a number']],
    ['version 0', { version: 0 }, ['version must be greater than 0']],
    ['no schema', { schema: undefined }, ['schema must be defined']],
    ['a schema that is not an object', { schema: 'object' }, ['schema must be an object']],
    ['an expiry of no days', { expiresInDays: 0 }, ['expiresInDays must be at least 1']],
    ['an unknown property', { revoked: false }, ['property revoked should not exist']],
    ['a nested one', { display: [{ name: 'x', colour: 'red' }] }, ['property colour should not exist']],
  ])('answers 400 for %s and names the field', async (_what, members, message) => {
    const answer = await post({ name: newTypeName(), version: 1, schema: PURCHASE, ...members })
    expect(answer.status).toBe(400)
    expect(answer.json).toMatchObject({ statusCode: 400, message, error: 'Bad Request' })
  })

  const nested = (depth: number): unknown => (depth === 0 ? {} : { properties: { a: nested(depth - 1) } })
  const manyProperties = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, true]))

  it.each([
    [
      'a dialect that is neither draft-07 nor 2020-12',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      'schema.$schema must be one of http://json-schema.org/draft-07/schema, https://json-schema.org/draft/2020-12/schema',
    ],
    [
      'a keyword of the wrong type',
      { properties: { price: { type: 'money' } } },
      'schema.properties.price.type must match a schema in anyOf',
    ],
    [
      'a reference that leaves the schema',
      { properties: { price: { $ref: 'https://evil.example/price.json' } } },
      'schema.properties.price.$ref must be a reference within the schema (# or #/…)',
    ],
    ['$async', { $async: true }, 'schema.$async is not supported'],
    [
      '$data',
      { properties: { price: { maximum: { $data: '1/limit' } } } },
      'schema.properties.price.maximum.$data is not supported',
    ],
    [
      'a pattern with a backreference, which no engine matches in linear time',
      { properties: { product: { type: 'string', pattern: '(a)\\1' } } },
      'schema.properties.product.pattern is not a regular expression that can be matched in linear time',
    ],
    ['more than 64 KiB', { description: 'x'.repeat(65_536) }, 'schema must not be larger than 64 KiB'],
    ['more than 32 levels', nested(17), 'schema must not be nested deeper than 32 levels'],
    ['more than 2,000 values', { properties: manyProperties(2_000) }, 'schema must not hold more than 2000 values'],
  ])('answers 400 for a JSON Schema with %s', async (_what, schema, message) => {
    const answer = await post({ name: newTypeName(), version: 1, schema })
    expect([answer.status, answer.json.message]).toEqual([400, [message]])
  })

  it('answers 400 for claims with reserved names of an SD-JWT VC, at any place', async () => {
    const answer = await post({
      name: newTypeName(),
      version: 1,
      schema: { properties: { iss: { type: 'string' }, status: { type: 'string' }, product: { type: 'string' } } },
      selectivelyDisclosable: ['product', 'exp'],
    })
    expect([answer.status, answer.json.message]).toEqual([
      400,
      [
        'schema.properties.iss must not be declared: the name is reserved in an SD-JWT VC',
        'schema.properties.status must not be declared: the name is reserved in an SD-JWT VC',
        'selectivelyDisclosable.1 must not begin with exp: the name is reserved in an SD-JWT VC',
      ],
    ])
  })

  it('accepts both dialects, and checks subjects with the dialect of the schema', async () => {
    const { name } = await postSchema(service, alice, {
      schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        properties: { pair: { prefixItems: [{ type: 'string' }], items: false } },
      },
    })
    const refused = await service.request('POST', '/api/v1/credentials', {
      authorization: alice,
      body: { type: name, credential_subject: { pair: [1] } },
    })
    expect(refused.json.message).toEqual(['credential_subject.pair.0 must be string'])
  })

  it('accepts a pattern that blocks a backtracking engine, and answers at once for the text that blocks it', async () => {
    const { name } = await postSchema(service, alice, {
      schema: { properties: { product: { type: 'string', pattern: '^(a+)+$' } } },
    })
    const answer = await service.request('POST', '/api/v1/credentials', {
      authorization: alice,
      body: { type: name, credential_subject: { product: `${'a'.repeat(10_000)}!` } },
    })
    expect([answer.status, answer.json.message]).toEqual([
      400,
      ['credential_subject.product must match pattern "^(a+)+$"'],
    ])
  })

  it('needs a Bearer token, and nothing is stored without one', async () => {
    const name = newTypeName()
    const answer = await service.request('POST', '/schemas', { body: { name, version: 1, schema: PURCHASE } })
    expect([answer.status, answer.json.message]).toEqual([401, 'Unauthorized'])
    expect(await query(service.databaseUrl, 'SELECT 1 FROM schemas WHERE name = $1', [name])).toEqual([])
  })
})

describe('GET /schemas/{schemaId}', () => {
  it('answers 410 with `error` Gone for a superseded version, and returns it with includeInactive=true', async () => {
    const first = await postSchema(service, alice)
    const second = await postSchema(service, alice, { name: first.name, version: 2 })
    const gone = await get(`/schemas/${first.id}`)
    expect(gone.status).toBe(410)
    expect(gone.json).toEqual({
      statusCode: 410,
      message: 'Schema version is superseded.',
      error: 'Gone',
      path: `/schemas/${first.id}`,
      timestamp: expect.any(String),
    })
    expect((await get(`/schemas/${first.id}?includeInactive=false`)).status).toBe(410)
    expect((await get(`/schemas/${first.id}?includeInactive=true`)).json).toEqual({ ...first, active: false })
    expect((await get(`/schemas/${second.id}`)).json).toEqual(second)
  })

  it('has the highest version as the active version, in any order of creation', async () => {
    const newer = await postSchema(service, alice, { version: 2.5 })
    const older = await postSchema(service, alice, { name: newer.name, version: 2 })
    expect(older.active).toBe(false)
    expect((await get(`/schemas/${older.id}`)).status).toBe(410)
    expect((await get(`/schemas/${newer.id}`)).json.active).toBe(true)
  })

  it.each(['00000000-0000-4000-8000-000000000000', 'unknown', "' OR 1=1 --"])(
    'answers 404 `Schema not found.` for %s',
    async (id) => {
      const answer = await get(`/schemas/${encodeURIComponent(id)}`)
      expect([answer.status, answer.json.message, answer.json.error]).toEqual([404, 'Schema not found.', 'Not Found'])
    },
  )

  it('answers 400 for another value of includeInactive', async () => {
    const { id } = await postSchema(service, alice)
    const answer = await get(`/schemas/${id}?includeInactive=yes`)
    expect([answer.status, answer.json.message]).toEqual([400, ['includeInactive must be a boolean']])
  })
})

describe('GET /schemas/{schemaName}/versions', () => {
  it('lists every version, the newest first', async () => {
    const { name } = await postSchema(service, alice, { version: 2 })
    await postSchema(service, alice, { name, version: 10 })
    await postSchema(service, alice, { name, version: 1 })
    const { status, json } = await get(`/schemas/${name}/versions`)
    expect(status).toBe(200)
    expect(json.map(({ version, active }: { version: number; active: boolean }) => [version, active])).toEqual([
      [10, true],
      [2, false],
      [1, false],
    ])
  })

  it.each([
    ['', [3, 2, 1]],
    ['?includeInactive=true', [3, 2, 1]],
    ['?includeInactive=false', [2]],
  ])(
    'with the query %s lists the versions %j of a withdrawn, an active and a superseded version',
    async (query, expected) => {
      const { name } = await postSchema(service, alice, { version: 1 })
      await postSchema(service, alice, { name, version: 2 })
      const { id } = await postSchema(service, alice, { name, version: 3 })
      await service.request('DELETE', `/schemas/${id}`, { authorization: alice })
      const { status, json } = await get(`/schemas/${name}/versions${query}`)
      expect([status, json.map(({ version }: { version: number }) => version)]).toEqual([200, expected])
    },
  )

  it('lists no version with includeInactive=false if every version is withdrawn', async () => {
    const { id, name } = await postSchema(service, alice)
    await service.request('DELETE', `/schemas/${id}`, { authorization: alice })
    const { status, json } = await get(`/schemas/${name}/versions?includeInactive=false`)
    expect([status, json]).toEqual([200, []])
  })

  it.each(['1', 'yes', 'TRUE', ''])(
    'answers 400 to includeInactive=%s, like the read of one version',
    async (value) => {
      const { id, name } = await postSchema(service, alice)
      for (const path of [`/schemas/${id}`, `/schemas/${name}/versions`]) {
        const { status, json } = await get(`${path}?includeInactive=${value}`)
        expect([status, json.message]).toEqual([400, ['includeInactive must be a boolean']])
      }
    },
  )

  it('answers 404 for an unknown name', async () => {
    for (const query of ['', '?includeInactive=true', '?includeInactive=false']) {
      const answer = await get(`/schemas/Nobody/versions${query}`)
      expect([answer.status, answer.json.message]).toEqual([404, 'Schema not found.'])
    }
  })
})

describe('POST /schemas/{id}/issuers/{issuerId}', () => {
  const assign = (schemaId: string, issuerId: string, authorization = alice) =>
    service.request('POST', `/schemas/${schemaId}/issuers/${issuerId}`, { authorization })

  it('assigns a schema, once, and names its owner', async () => {
    const schema = await postSchema(service, alice)
    const issuer = await newIssuer(service, 'alice')
    const answer = await assign(schema.id, issuer.id)
    expect([answer.status, answer.json]).toEqual([200, { ...schema, issuers: [issuer.id] }])
    expect((await assign(schema.id, issuer.id)).json.issuers).toEqual([issuer.id])
    const audit = await query(
      service.databaseUrl,
      "SELECT actor, action FROM audit_events WHERE subject = 'schema' AND subject_id = $1 ORDER BY id",
      [schema.id],
    )
    expect(audit).toEqual([
      { actor: 'alice', action: 'schema.created' },
      { actor: 'alice', action: 'schema.assigned' },
    ])
  })

  it('answers 404 for an unknown schema, 500 for an unknown issuer or another caller’s issuer', async () => {
    const { id } = await postSchema(service, alice)
    const issuer = await newIssuer(service, 'bob')
    expect((await assign(randomUUID(), issuer.id)).json.message).toBe('Schema not found.')
    const unknown = await assign(id, randomUUID())
    expect([unknown.status, unknown.json.message]).toEqual([500, 'Issuer not found.'])
    const foreign = await assign(id, issuer.id)
    expect([foreign.status, foreign.json.message]).toEqual([500, 'Issuer not found.'])
  })
})

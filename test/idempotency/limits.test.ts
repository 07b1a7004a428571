import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Issuer, startIssuer } from '../issuer/openid4vci/actors.js'
import { query } from '../support/postgres.js'

const QUERY = { query: [{ fields: [{ path: ['$.type'], filter: { type: 'array', contains: { const: 'Receipt' } } }] }] }

let issuer: Issuer
let authorization: string
beforeAll(async () => {
  issuer = await startIssuer({ idempotency: { maxKeys: 3, maxAnswer: 1_000 } })
  authorization = await issuer.authorization()
})
afterAll(() => issuer?.service.close())

const ask = (key: string, by: string, body: object = QUERY) =>
  issuer.service.request('POST', '/authorization-requests', {
    authorization: by,
    body,
    headers: { 'idempotency-key': key },
  })

it('a caller with the highest number of keys gets a 429 for a new key, and still its stored answers', async () => {
  const by = await issuer.service.bearer('busy')
  const answers = [await ask('one', by), await ask('two', by), await ask('three', by)]
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  const refused = await ask('four', by)
  expect([refused.status, refused.json.message]).toEqual([429, 'Too many Idempotency-Keys of this caller are stored.'])
  expect(refused.headers.get('retry-after')).toBe('60')
  expect((await ask('two', by)).text).toBe(answers[1]?.text)
  // Other callers are not concerned.
  expect((await ask('four', await issuer.service.bearer('calm'))).status).toBe(201)
})

it('a request whose answer is too long to be stored is done once, and its repetition is told so', async () => {
  const count = async () =>
    (await query<{ count: number }>(issuer.service.databaseUrl, 'SELECT count(*)::int AS count FROM schemas'))[0]?.count
  const before = await count()
  const body = {
    name: 'Long',
    version: 1,
    title: 'x'.repeat(100),
    schema: {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`member${at}`, { type: 'string' }])),
    },
  }
  const post = () =>
    issuer.service.request('POST', '/schemas', { authorization, body, headers: { 'idempotency-key': 'long' } })
  const first = await post()
  expect(first.status, first.text).toBe(201)
  expect(first.text.length).toBeGreaterThan(1_000)
  const again = await post()
  expect([again.status, again.json.message]).toEqual([
    409,
    'A request with this Idempotency-Key was done, but its answer is too long to be stored.',
  ])
  expect(again.headers.get('retry-after')).toBeNull()
  expect(await count()).toBe((before ?? 0) + 1)
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'

let service: TestService
let authorization: string

beforeAll(async () => {
  service = await startService()
  authorization = await service.bearer('alice')
})
afterAll(() => service.close())

/** Sends calls of one procedure in one request. Returns status and messages of each answer. */
async function batch(procedure: string, inputs: readonly unknown[]): Promise<[number, string[] | undefined][]> {
  const answer = await service.request('POST', `/trpc/${inputs.map(() => procedure).join(',')}?batch=1`, {
    authorization,
    client: true,
    body: Object.fromEntries(inputs.map((json, index) => [index, { json }])),
  })
  return answer.json.map(({ error }: { error?: { json: { data: { httpStatus: number; messages: string[] } } } }) =>
    error === undefined ? [200, undefined] : [error.json.data.httpStatus, error.json.data.messages],
  )
}

const range = (length: number) => Array.from({ length }, (_, index) => index)

describe('one request has one budget of work for all its checks together', () => {
  /** A query whose filters use a third of the budget when they are compiled. */
  const query = (name: number) => [
    { fields: range(64).map((index) => ({ path: ['$.a'], filter: { pattern: `^${name}-${index}[a-z]{20}$` } })) },
  ]

  it('attack: ten queries in one request have one budget, not ten', async () => {
    const answers = await batch(
      'vpQueries.create',
      range(10).map((name) => ({ query: query(name) })),
    )
    const taken = answers.filter(([status]) => status === 200).length
    expect(taken).toBeGreaterThan(0)
    expect(taken).toBeLessThan(5)
    for (const [status, messages] of answers.slice(taken)) {
      expect([status, messages]).toEqual([
        400,
        [
          expect.stringMatching(
            /^query\.0\.fields\.\d+\.(filter|path\.0) takes more work to compile than one request may$/,
          ),
        ],
      ])
    }
  })

  it('in separate requests each of the ten queries is accepted', async () => {
    for (const name of range(10)) {
      const answer = await service.request('POST', '/api/v1/verifier/vp-queries', {
        client: true,
        body: { query: query(name) },
      })
      expect(answer.status, answer.text).toBe(201)
    }
  })

  it('attack: subjects that are costly to check share the budget too, and the message names the subject', async () => {
    const schema = { type: 'object', properties: { a: { pattern: '(x+x+)+y' }, b: { type: 'string' } } }
    const posted = await service.request('POST', '/schemas', {
      authorization,
      body: { name: 'Costly', version: 1, schema },
    })
    expect(posted.status, posted.text).toBe(201)
    const input = (length: number) => ({
      credential_type: 'Costly',
      credential_subject: { a: 'x'.repeat(length), b: 'y' },
    })
    const answers = await batch(
      'offerings.create',
      range(4).map(() => input(40_000)),
    )
    const tooLarge = 'credential_subject is too large to be checked against its schema'
    const cannot =
      'credential_subject cannot be checked against its schema, which takes more work to compile than one request may'
    const noMatch = 'credential_subject.a must match pattern "(x+x+)+y"'
    expect(answers.map(([status]) => status)).toEqual([400, 400, 400, 400])
    expect(answers[0]).toEqual([400, [noMatch]])
    expect([tooLarge, cannot]).toContain(answers[3]?.[1]?.[0])
    // In a separate request, the last subject gets the same error as the first subject.
    const alone = await service.request('POST', '/api/v1/offerings', { client: true, body: input(40_000) })
    expect([alone.status, alone.json.message]).toEqual([400, [noMatch]])
  })

  it('a subject of 160 KiB in one claim is checked against its pattern', async () => {
    const schema = {
      type: 'object',
      properties: { photo: { pattern: '^data:image/(png|jpeg);base64,[A-Za-z0-9+/]+=*$' } },
    }
    await service.request('POST', '/schemas', { authorization, body: { name: 'Photo', version: 1, schema } })
    const photo = `data:image/png;base64,${'A'.repeat(160_000)}`
    const answer = await service.request('POST', '/credentials/sign', {
      authorization,
      body: { type: 'Photo', credential_subject: { photo }, format: 'dc+sd-jwt' },
    })
    expect(answer.status, answer.text).toBe(201)
  })

  it('attack: a query whose DCQL would be a product of all its paths is refused with a message that names it', async () => {
    const fields = range(64).map((field) => ({
      path: range(16).map((path) => `$.${'abcdefghijklmnop'[path]}${field}`),
    }))
    const answer = await service.request('POST', '/authorization-requests', {
      authorization,
      body: { query: range(7).map(() => ({ fields })) },
    })
    expect([answer.status, answer.json.message]).toEqual([
      400,
      [expect.stringMatching(/^query\.\d takes more work to be asked for in DCQL than one request may$/)],
    ])
  })
})

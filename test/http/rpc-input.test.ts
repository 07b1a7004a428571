import { createTRPCClient, httpBatchLink } from '@trpc/client'
import superjson from 'superjson'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AppRouter } from '../../server/router.js'
import { type ContractedProcedure, calledProcedures } from '../contract/procedures.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'

const BEYOND_JSON = 'Input must be JSON: its meta may say which members are undefined, and nothing else'

let service: TestService
/** A caller who passes every access check. */
let headers: Record<string, string>
let holderId: string

beforeAll(async () => {
  service = await startService()
  const authorization = await service.bearer('root', { roles: ['admin'] })
  headers = { authorization, 'x-client-secret': CLIENT_SECRET }
  const holder = await service.request('POST', '/agent/holder', { headers, body: { method: 'key' } })
  holderId = holder.json.id
})
afterAll(() => service.close())

interface Refusal {
  readonly httpStatus: number
  readonly messages: readonly string[]
}

/** Calls procedures, several as a batch, each with an unchanged envelope, and returns the error of each. */
async function call(procedures: readonly ContractedProcedure[], envelopes: readonly unknown[]): Promise<Refusal[]> {
  const batch = procedures.length > 1
  const path = `/trpc/${procedures.map(({ name }) => name).join(',')}`
  const input = batch ? { ...envelopes } : envelopes[0]
  const answer =
    procedures[0]?.type === 'mutation'
      ? await service.request('POST', `${path}${batch ? '?batch=1' : ''}`, { headers, body: input })
      : await service.request('GET', `${path}?${batch ? 'batch=1&' : ''}input=${encode(input)}`, { headers })
  // A refused subscription has already begun to stream.
  const [, streamed] = /^event: serialized-error\ndata: (.*)$/m.exec(answer.text) ?? []
  const answers = streamed === undefined ? answer.json : { error: JSON.parse(streamed) }
  return [answers].flat().map(({ error }) => error?.json?.data)
}

const encode = (input: unknown) => encodeURIComponent(JSON.stringify(input))

const TYPED_ARRAYS = ['Int8', 'Uint8', 'Int16', 'Uint16', 'Int32', 'Uint32', 'Float32', 'Float64', 'Uint8Clamped'].map(
  (kind): readonly [annotation: unknown, value: unknown] => [['typed-array', `${kind}Array`], 4_000_000_000],
)

/**
 * All annotations that superjson knows except `undefined`, and some that it does not know. Each annotation has a value
 * from which superjson would construct something.
 */
const ANNOTATIONS: readonly (readonly [annotation: unknown, value: unknown])[] = [
  [['typed-array', 'Uint8Array'], { length: 200_000_000 }],
  ['bigint', '9'.repeat(1_000)],
  ['Date', '2026-01-01T00:00:00.000Z'],
  ['regexp', '/(a+)+$/'],
  ['set', [1, 2]],
  ['map', [[1, 2]]],
  ['number', 'Infinity'],
  ['number', '-0'],
  ['URL', 'https://example.com'],
  ['Error', { message: 'x', cause: 1 }],
  [['class', 'Buffer'], {}],
  [['symbol', 'iterator'], 'x'],
  [['custom', 'Decimal'], '1'],
  ['constructor', 'x'],
  [['undefined'], null],
  [null, null],
]

/** Inputs with an annotation: at the root, at a member, beside undefined members, and below another annotation. */
const PLACES: readonly ((annotation: unknown, value: unknown) => unknown)[] = [
  (annotation, value) => ({ json: value, meta: { values: [annotation], v: 1 } }),
  (annotation, id) => ({ json: { holderId, id }, meta: { values: { id: [annotation] }, v: 1 } }),
  (annotation, id) => ({ json: { holderId, id }, meta: { values: { id: [annotation] } } }),
  (annotation, id) => ({ json: { id, at: null }, meta: { values: { at: ['undefined'], id: [annotation] }, v: 1 } }),
  (annotation, id) => ({ json: { id: [id] }, meta: { values: { id: ['set', { 0: [annotation] }] }, v: 1 } }),
  (annotation, id) => ({ json: { id: { id } }, meta: { values: { id: { id: [annotation] } }, v: 1 } }),
]

/** Other wrong values of `meta`: references, a tree below `undefined`, and invalid values. */
const OTHER_META: readonly unknown[] = [
  { referentialEqualities: { id: ['holderId'] }, v: 1 },
  { referentialEqualities: [['id']], v: 1 },
  { values: { id: ['undefined'] }, referentialEqualities: { id: ['holderId'] }, v: 1 },
  { values: { id: ['undefined', { a: ['Date'] }] }, v: 1 },
  { values: ['undefined', {}], v: 1 },
  { values: { id: [] } },
  { values: { id: 'undefined' } },
  { values: 'undefined' },
  { values: [] },
  { values: 7 },
  { values: null },
  { colour: 'red' },
  [],
  'undefined',
  null,
]

const REFUSED: Refusal = { httpStatus: 400, messages: [BEYOND_JSON] }

async function expectRefused(procedure: ContractedProcedure, envelopes: readonly unknown[]): Promise<void> {
  const refusals = await Promise.all(envelopes.map((envelope) => call([procedure], [envelope])))
  expect(refusals.map(([refusal], index) => [envelopes[index], refusal])).toEqual(
    envelopes.map((envelope) => [envelope, expect.objectContaining(REFUSED)]),
  )
}

const version = calledProcedures.find(({ name }) => name === 'service.version') as ContractedProcedure

const named = (procedures: readonly ContractedProcedure[]) =>
  procedures.map((procedure) => [procedure.name, procedure] as const)

describe('objects that superjson would build from an input are refused', () => {
  it.each(named(calledProcedures))('by %s, for every kind of annotation', async (_, procedure) => {
    // For each procedure, each kind of annotation stands in a different place of the input.
    const turn = calledProcedures.indexOf(procedure)
    const typedArray = TYPED_ARRAYS.slice(turn % TYPED_ARRAYS.length)[0] ?? []
    const envelopes = [...ANNOTATIONS, typedArray].map(([annotation, value], index) =>
      PLACES[(index + turn) % PLACES.length]?.(annotation, value),
    )
    await expectRefused(procedure, envelopes)
  })

  it.each(named(calledProcedures.filter(({ type }) => type !== 'subscription')))(
    'by %s in a batch',
    async (_, each) => {
      const envelope = PLACES[1]?.(['typed-array', 'Uint8Array'], 4_000_000_000)
      const refusals = await call([each, each], [{ json: { holderId } }, envelope])
      expect(refusals).toEqual([expect.objectContaining(REFUSED), expect.objectContaining(REFUSED)])
    },
  )

  it('at every place of the input, and in every kind of meta', async () => {
    const annotated = [...ANNOTATIONS, ...TYPED_ARRAYS]
    const placed = annotated.flatMap(([annotation, value]) => PLACES.map((place) => place(annotation, value)))
    await expectRefused(version, [...placed, ...OTHER_META.map((meta) => ({ json: { id: 'x' }, meta }))])
  })
})

describe('an envelope', () => {
  it.each([[null], [[]], ['x'], [7], [{ id: 'x' }], [{ json: {}, id: 'x' }], [{ json: {}, toJSON: 1 }]])(
    'that is invalid is refused: %j',
    async (envelope) => {
      const [refusal] = await call([version], [envelope])
      expect(refusal).toMatchObject({ httpStatus: 400, messages: ['Input must be an object with the member json'] })
    },
  )

  it.each(['colour', 'limit.a', 'limit.toString', 'toString', '', '.', 'limit.', 'limit.4294967294', 'limi\\t'])(
    'that names a missing member is refused: %j',
    async (path) => {
      const [refusal] = await call(
        [version],
        [{ json: { limit: [] }, meta: { values: { [path]: ['undefined'] }, v: 1 } }],
      )
      expect(refusal).toMatchObject({ httpStatus: 400, messages: ['Input meta must mark members of json'] })
    },
  )
})

describe('a body that is not JSON', () => {
  const FORM = '--x\r\ncontent-disposition: form-data; name="name"\r\n\r\nX\r\n--x--\r\n'

  it.each([
    ['multipart/form-data; boundary=x', FORM],
    ['application/octet-stream', 'X'],
    ['application/x-www-form-urlencoded', 'name=X'],
    ['application/json-seq', '{"json":{}}'],
  ])('is refused before a value is built from it: %s', async (type, body) => {
    for (const path of ['schemas.create', 'schemas.create,schemas.create?batch=1', 'service.version', 'nothing']) {
      const answer = await service.request('POST', `/trpc/${path}`, {
        headers: { ...headers, 'content-type': type },
        body,
      })
      const [message] = answer.json.error.json.data.messages
      expect([path, answer.status, message]).toEqual([
        path,
        415,
        `Content type ${type.split(';')[0]} is not supported.`,
      ])
    }
  })
})

describe('undefined members', () => {
  const plain = () =>
    createTRPCClient<AppRouter>({
      links: [httpBatchLink({ url: `${service.url}/trpc`, transformer: superjson, headers: () => headers })],
    })

  it('of a query and of a mutation count as missing members', async () => {
    const client = plain()
    await expect(client.offerings.list.query({ limit: undefined, cursor: undefined })).resolves.toEqual([])
    const { display } = await client.agent.createVerifier.mutate({ method: 'key', display: undefined })
    expect(display).toEqual([])
  })

  it('are left out of a claim and are null in an array, like in JSON.stringify', async () => {
    const client = plain()
    await client.schemas.create.mutate({ name: 'Loose', version: 1, schema: { type: 'object' } })
    const subject = { a: undefined, 'b.c': undefined, 'd\\': { e: undefined, f: 1 }, g: [undefined, { h: undefined }] }
    const made = await client.offerings.create.mutate({ credential_type: 'Loose', credential_subject: subject })
    expect(made.credential_subject).toStrictEqual(JSON.parse(JSON.stringify(subject)))
    expect(made.credential_subject).toStrictEqual({ 'd\\': { f: 1 }, g: [null, {}] })
  })
})

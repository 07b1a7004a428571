import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'

interface Schema {
  readonly type?: string
  readonly format?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Operation {
  readonly path: string
  readonly method: string
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema?: Schema; example?: object }>> }
}

interface Tried {
  readonly method: string
  readonly path: string
  readonly body?: object
}

let service: TestService
let operations: Operation[]
/** Ids and names of existing records, by the name of the path parameter. */
let known: Record<string, string>

const agent = new Agent({ keepAlive: true, maxSockets: 8 })

beforeAll(async () => {
  service = await startService({ env: { AUTH_DISABLED: 'true' } })
  const seed = JSON.parse(await readFile('prisma/seed/proof-of-purchase.json', 'utf8'))
  const schema = await service.request('POST', '/schemas', { body: seed })
  const holder = await service.request('POST', '/agent/holder', { body: { method: 'key' } })
  known = { schemaId: schema.json.id, holderId: holder.json.id, name: schema.json.name }
  const { text } = await service.request('GET', '/api-docs-json')
  // The examples' host is replaced, so that the service sends no requests into the network.
  const { paths } = JSON.parse(text.replaceAll('issuer.example', '127.0.0.1:1'))
  operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )
})
afterAll(async () => {
  agent.destroy()
  await service.close()
})

/** Times at the limits of RFC 3339, of ISO 8601, of JavaScript's Date and of PostgreSQL's timestamptz. */
const MOMENTS = [
  '9999-12-31T22:59:59Z',
  '9999-12-31T23:59:59.999999999Z',
  '9999-12-31T23:59:59-23:59',
  '9999-12-30T00:00:00Z',
  '3000-01-01T00:00:00Z',
  '2999-12-31T23:59:59.999Z',
  '1000-01-01T00:00:00Z',
  '1000-01-01T00:00:00+23:59',
  '0001-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+23:59',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '+275760-09-13T00:00:00.001Z',
  '2026-02-29T00:00:00Z',
  '2026-12-31T23:59:60Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:00+99:99',
  '2026-01-01',
  '9999-12-31',
  '0000-00-00',
]

const NUMBERS = [
  '0',
  '-0',
  '-1',
  '1',
  '0.5',
  '2147483647',
  '2147483648',
  '-2147483649',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '1e400',
  'Infinity',
  'NaN',
  '9'.repeat(400),
]

/** Values, encoded for addresses. The last three are cursors at the limits of a list. */
const TEXTS = [
  '%00',
  'a%00b',
  '%ED%A0%80',
  '%FF',
  '%',
  '%zz',
  '%F4%8F%BF%BF',
  '%EF%BF%BF',
  '%E2%80%AE',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '__proto__',
  'constructor',
  'null',
  '0',
  '-1',
  '9223372036854775808',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  'did%3Akey%3A',
  'did%3Aweb%3A%25',
  "'%3B--",
  'x'.repeat(8_000),
  '%F0%9F%98%80'.repeat(600),
  Buffer.from("2026-01-01T00:00:00.000Z '").toString('base64url'),
  Buffer.from('1000-01-01T00:00:00.000Z 0').toString('base64url'),
  Buffer.from('2999-12-31T23:59:59.999Z ~').toString('base64url'),
]

const BODY_TEXTS = ['', '\u0001', '\uffff', '__proto__', 'x'.repeat(100_000), '%', 'did:web:%', 'http://[', 'null']
const BODY_NUMBERS = [-1, 0, 0.5, 2 ** 31, 2 ** 53, 2 ** 63, 1e308, -1e308]

/** The message of a hosted wallet that cannot reach an issuer. */
const UNREACHED = '127.0.0.1 has an address that is not public, so it may not be requested.'

/** The messages with which the interface reports an unknown record as a 500. */
const DELIBERATE = new Set([
  'Credential offer session not found.',
  'Verification session not found.',
  'Issuer not found.',
  'Verifier not found.',
  UNREACHED,
])

const UNKNOWN = '11111111-1111-4111-8111-111111111111'
const filled = (path: string, name = '', value = '') =>
  path.replaceAll(/\{(\w+)\}/g, (_, each: string) => (each === name ? value : (known[each] ?? UNKNOWN)))

/** The alternatives in the schema of a member. */
const formsOf = ({ anyOf, ...schema }: Schema): readonly Schema[] => anyOf ?? [schema]
const hasForm = (schema: Schema, isIt: (form: Schema) => boolean): boolean => formsOf(schema).some(isIt)
const isMoment = (schema: Schema) => hasForm(schema, ({ format }) => format === 'date-time')
const isNumber = (schema: Schema) => hasForm(schema, ({ type }) => type === 'number' || type === 'integer')
const isText = (schema: Schema) => hasForm(schema, ({ type }) => type === 'string')

function addressValues(schema: Schema): readonly string[] {
  if (isMoment(schema)) return [...MOMENTS, ''].map(encodeURIComponent)
  return isNumber(schema) ? [...NUMBERS, ''] : TEXTS
}

function bodyValues(schema: Schema): readonly unknown[] {
  if (isMoment(schema)) return [...MOMENTS, '']
  if (isNumber(schema)) return BODY_NUMBERS
  return isText(schema) ? [...BODY_TEXTS, ...MOMENTS] : []
}

function* addresses({ path, method, parameters = [] }: Operation): Generator<Tried> {
  for (const { name, in: place, schema } of parameters) {
    for (const value of addressValues(schema)) {
      if (place === 'path') yield { method, path: filled(path, name, value) }
      if (place === 'query') yield { method, path: `${filled(path)}?${name}=${value}` }
    }
  }
}

function* bodies({ path, method, requestBody }: Operation): Generator<Tried> {
  const { schema, example } = requestBody?.content['application/json'] ?? {}
  for (const [name, member] of Object.entries(schema?.properties ?? {})) {
    for (const value of bodyValues(member)) yield { method, path: filled(path), body: { ...example, [name]: value } }
  }
}

/**
 * Sends a request with exactly the given address. Returns the status and the body of the answer; for an event stream
 * only the status.
 */
function sent({ method, path, body }: Tried): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(service.url)
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, method, path, agent, headers }, (response) => {
      const chunks: Buffer[] = []
      const answered = () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') })
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', answered)
      if (!response.headers['content-type']?.startsWith('text/event-stream')) return
      answered()
      asked.destroy()
    })
    asked.on('error', reject)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Returns what is wrong with an answer, or undefined if the answer is correct. */
async function faultOf(tried: Tried): Promise<string | undefined> {
  const { status, text } = await sent(tried)
  const isUnanswered = tried.path.includes('/token-status-lists/') && status === 501
  const isDeliberate = status === 500 && DELIBERATE.has(JSON.parse(text).message)
  const isLong = text.length > MOST_CHARACTERS
  if ((status < 500 || isUnanswered || isDeliberate) && !isLong) return undefined
  return `${tried.method} ${tried.path.slice(0, 200)} ${JSON.stringify(tried.body)?.slice(0, 300)}: ${status} ${text.slice(0, 200)}`
}

/** The maximum number of bytes of an answer in this test. The longest answer is the OpenAPI document. */
const MOST_CHARACTERS = 2_097_152

async function faultsOf(tried: readonly Tried[]): Promise<string[]> {
  const faults: string[] = []
  for (let at = 0; at < tried.length; at += 8) {
    const answers = await Promise.all(tried.slice(at, at + 8).map(faultOf))
    faults.push(...answers.flatMap((fault) => fault ?? []))
  }
  return faults
}

describe('extreme values cause no fault of the service', () => {
  it('in each parameter of each operation', async () => {
    const tried = operations.flatMap((operation) => [...addresses(operation)])
    expect(tried.length).toBeGreaterThan(2_000)
    expect(await faultsOf(tried)).toEqual([])
  })

  it('in each text, date and number of each body', async () => {
    const tried = operations.flatMap((operation) => [...bodies(operation)])
    expect(tried.length).toBeGreaterThan(1_000)
    expect(await faultsOf(tried)).toEqual([])
  })
})

describe('statistics of an extreme time', () => {
  const RANGE = 'must lie between the years 1000 and 2999'
  it.each([
    ['to=9999-12-31T22:59:59Z', [`to ${RANGE}`]],
    ['to=9999-12-31T23:59:59-23:59', [`to ${RANGE}`]],
    ['to=0001-01-01T00:00:00%2B14:00', [`to ${RANGE}`]],
    ['to=0000-01-01T00:00:00Z&step=hour', [`to ${RANGE}`]],
    ['from=0000-01-01T00:00:00Z&to=0000-01-02T00:00:00Z', [`to ${RANGE}`]],
    ['to=%2B275760-09-13T00:00:00.000Z', ['to must be a valid datetime']],
    ['from=0000-01-01T00:00:00%2B23:59', ['from must be within 366 days before to with step day']],
    ['from=9999-12-31T23:59:59-23:59', ['from must be before to']],
    ['from=1000-01-01T00:00:00Z', ['from must be within 366 days before to with step day']],
    ['from=2999-12-31T00:00:00Z', ['from must be before to']],
  ])('%s is a 400', async (query, message) => {
    const answer = await service.request('GET', `/api/v1/statistics?${query}`)
    expect([answer.status, answer.json.message]).toEqual([400, message])
  })

  it.each([
    ['to=2999-12-31T23:59:59.999Z', '2999-12-02T00:00:00.000Z', '3000-01-01T00:00:00.000Z', 30],
    ['to=1000-01-01T00:00:00Z', '0999-12-02T00:00:00.000Z', '1000-01-01T00:00:00.000Z', 30],
    ['to=1000-01-01T00:00:00Z&step=hour', '0999-12-31T00:00:00.000Z', '1000-01-01T00:00:00.000Z', 24],
    ['from=1000-01-01T00:00:00Z&to=1001-01-02T00:00:00Z', '1000-01-01T00:00:00.000Z', '1001-01-02T00:00:00.000Z', 366],
  ])('%s has its steps', async (query, from, to, count) => {
    const { status, json } = await service.request('GET', `/api/v1/statistics?${query}`)
    expect([status, json.from, json.to, json.steps.length]).toEqual([200, from, to, count])
  })
})

describe('an offering with an extreme expiry', () => {
  it.each([
    ['9999-12-31T23:59:59.999Z', 201],
    ['9999-12-31T22:59:59Z', 201],
    ['9999-12-31T23:59:59-23:59', 400],
    ['1000-01-01T00:00:00Z', 400],
    ['0001-01-01T00:00:00Z', 400],
    ['0000-01-01T00:00:00Z', 400],
    ['0000-01-01T00:00:00+23:59', 400],
  ])('%s is a %i, and a created offering can be read and listed', async (expires_at, status) => {
    const subject = { productName: 'Book', merchant: 'Shop', purchaseDate: '2026-03-01' }
    const body = { credential_type: 'ProofOfPurchase', credential_subject: subject, expires_at }
    const made = await service.request('POST', '/api/v1/offerings', { body })
    expect([made.status, made.json.expires_at]).toEqual([
      status,
      status === 201 ? new Date(expires_at).toISOString() : undefined,
    ])
    expect((await service.request('GET', '/api/v1/offerings')).status).toBe(200)
    if (status === 201) expect((await service.request('GET', `/api/v1/offerings/${made.json.id}`)).status).toBe(200)
  })
})

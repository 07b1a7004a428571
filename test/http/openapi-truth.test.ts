import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../support/service.js'
import { sendPath } from './raw.js'

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
  readonly responses: Readonly<
    Record<string, { content?: Readonly<Record<string, { readonly example?: { message?: unknown } }>> }>
  >
}

let service: TestService
let operations: { path: string; method: string; operation: Operation }[]

beforeAll(async () => {
  service = await startService({ env: { AUTH_DISABLED: 'true' } })
  // The schema that `npm start` stores at the first start.
  const seed = JSON.parse(await readFile('prisma/seed/proof-of-purchase.json', 'utf8'))
  expect((await service.request('POST', '/schemas', { body: seed })).status).toBe(201)
  const { json } = await service.request('GET', '/api-docs-json')
  operations = Object.entries<Record<string, Operation>>(json.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
})
afterAll(() => service.close())

const example = (operation: Operation, status: string) =>
  operation.responses[status]?.content?.['application/json']?.example?.message
const filled = (path: string) => path.replaceAll(/\{\w+\}/g, crypto.randomUUID())

describe('the document’s examples agree with the service', () => {
  it('of a 400, for a body without its members and for a query with an unknown member', async () => {
    let tried = 0
    for (const { path, method, operation } of operations) {
      // Routes without this error: some check the ownership of a record first, and protocol routes ignore unknown
      // members.
      if (path.startsWith('/holders/') || path.startsWith('/openid4v')) continue
      const message = example(operation, '400')
      if (message === undefined) continue
      const surplus = String(message) === 'property surplus should not exist'
      const body = method === 'POST' ? (surplus ? { surplus: 1 } : {}) : undefined
      const encoding = /^(\w+) must be percent-encoded UTF-8$/.exec(String(message))?.[1]
      const address = filled(path.replace(`{${encoding}}`, '%')) + (surplus && method !== 'POST' ? '?surplus=1' : '')
      const answer = await service.request(method, address, body === undefined ? {} : { body })
      expect([method, path, answer.status, answer.json.message]).toEqual([
        method,
        path,
        400,
        expect.arrayContaining(message as string[]),
      ])
      tried += 1
    }
    expect(tried).toBeGreaterThan(40)
  })

  it('of a 404, for an unknown id', async () => {
    let tried = 0
    for (const { path, method, operation } of operations) {
      const message = example(operation, '404')
      if (message === undefined || method === 'POST' || !path.includes('{') || path.startsWith('/holders/')) continue
      const answer = await service.request(method, filled(path))
      expect([method, path, answer.status, answer.json.message]).toEqual([method, path, 404, message])
      tried += 1
    }
    expect(tried).toBeGreaterThan(10)
  })

  it.each([
    '/api/v1/offerings',
    '/api/v1/credentials',
    '/credentials/sign',
    '/credential-offers',
    '/authorization-requests',
    '/api/v1/verifier/vp-queries',
    '/agent/holder',
    '/agent/issuer',
  ])('of a request: POST %s with the example is a 201', async (path) => {
    const found = operations.find((each) => each.path === path && each.method === 'POST')
    const body = found?.operation.requestBody?.content['application/json']?.example
    const answer = await service.request('POST', path, { body })
    expect([answer.status, answer.json.message]).toEqual([201, undefined])
  })
})

describe('status and media type of an answer are in the document', () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  const ACCEPTED = ['*/*', 'application/json', 'text/html', BROWSER, 'image/png', 'image/svg+xml', 'text/event-stream']
  /** Invalid percent-encoding, or encoded bytes that are not UTF-8 (RFC 3986 §2.1, RFC 3629). */
  const MALFORMED = ['%', '%z', '%4', '%FF', '%C0%80', '%ED%A0%80', 'a%']

  /**
   * Describes the answer if the document does not list it for the operation. Returns undefined if the document lists
   * it.
   */
  async function unsaid(
    url: string,
    { path: template, method, operation }: (typeof operations)[number],
    path: string,
    headers: Readonly<Record<string, string>>,
    body = '',
  ): Promise<string | undefined> {
    const stop = new AbortController()
    const init = { method, headers, redirect: 'manual', signal: stop.signal } as const
    const answer = await fetch(`${url}${path}`, body === '' ? init : { ...init, body })
    const [type = ''] = (answer.headers.get('content-type') ?? '').split(';')
    // Streams are left out, because a stream does not end.
    const text = type === 'text/event-stream' ? type : await answer.text()
    stop.abort()
    const said = operation.responses[String(answer.status)]
    if (said !== undefined && (text === '' || type in (said.content ?? {}))) return undefined
    return `${method} ${template} (${path}, ${JSON.stringify(headers)}): ${answer.status} ${type}`
  }

  const withParameter = () => operations.filter(({ path }) => path.includes('{'))
  const malformed = (path: string, name: string, value: string) => filled(path.replace(name, value))
  /** The service looks for UUIDs in the segments before it decodes the path. */
  const isDecoded = (name: string) => name !== '{uuid}'

  it.each(MALFORMED)('to a path with %s in it, for every Accept header', async (value) => {
    const found: (string | undefined)[] = []
    for (const operation of withParameter()) {
      for (const name of (operation.path.match(/\{\w+\}/g) ?? []).filter(isDecoded)) {
        const path = malformed(operation.path, name, value)
        for (const accept of value === '%' ? ACCEPTED : ['*/*', BROWSER])
          found.push(await unsaid(service.url, operation, path, { accept }))
      }
    }
    expect(found.length).toBeGreaterThan(100)
    expect(found.filter((each) => each !== undefined)).toEqual([])
  })

  it('to a malformed path it is a 400 of every operation that decodes it', async () => {
    const statuses = await Promise.all(
      withParameter()
        .filter(({ path }) => !path.includes('{uuid}'))
        .map(async ({ path, method }) => {
          const { status } = await sendPath(service.url, method, malformed(path, /\{\w+\}/.exec(path)?.[0] ?? '', '%'))
          return [method, path, status]
        }),
    )
    expect(statuses.filter(([, , status]) => status !== 400)).toEqual([])
  })

  it.each(ACCEPTED)('to Accept: %s, with unknown ids', async (accept) => {
    const found: (string | undefined)[] = []
    for (const operation of operations)
      found.push(await unsaid(service.url, operation, filled(operation.path), { accept }))
    expect(found.filter((each) => each !== undefined)).toEqual([])
  })

  it('to a body of another type, and to a query with an unknown member', async () => {
    const found: (string | undefined)[] = []
    for (const operation of operations) {
      const path = filled(operation.path)
      if (operation.method === 'POST')
        found.push(await unsaid(service.url, operation, path, { 'content-type': 'text/csv' }, 'a,b'))
      for (const accept of ['*/*', BROWSER])
        found.push(await unsaid(service.url, operation, `${path}?surplus=1`, { accept }))
    }
    expect(found.filter((each) => each !== undefined)).toEqual([])
  })

  it('to a caller without credentials', async () => {
    await using strict = await startService()
    const found: (string | undefined)[] = []
    for (const operation of operations) {
      for (const accept of ['*/*', BROWSER])
        found.push(await unsaid(strict.url, operation, filled(operation.path), { accept }))
    }
    expect(found.filter((each) => each !== undefined)).toEqual([])
  })

  it('to a request beyond the rate limit (429): the envelope, or a page if a browser opens the address', async () => {
    await using limited = await startService({ env: { AUTH_DISABLED: 'true', RATE_LIMIT_MAX: '1' } })
    await limited.request('GET', '/version')
    const found: (string | undefined)[] = []
    let pages = 0
    for (const operation of operations) {
      for (const accept of ['*/*', BROWSER]) {
        const path = filled(operation.path)
        found.push(await unsaid(limited.url, operation, path, { accept }))
        if ('text/html' in (operation.operation.responses['429']?.content ?? {})) pages += 1
      }
    }
    expect(found.filter((each) => each !== undefined)).toEqual([])
    expect(pages).toBeGreaterThan(50)
  })

  it('a QR code image is bytes, and an unknown image is a page for users', () => {
    const media = (path: string, status: string) =>
      operations.find((each) => each.path === path && each.method === 'GET')?.operation.responses[status]?.content ?? {}
    const bytes = { schema: { type: 'string', format: 'binary' } }
    expect(media('/api/v1/verifier/qr-codes/image', '200')).toEqual({ 'image/png': expect.objectContaining(bytes) })
    for (const path of ['/api/v1/verifier/qr-codes/{id}', '/api/v1/offerings/{id}/qr-code']) {
      expect(media(path, '200')['image/png']).toMatchObject(bytes)
      expect(Object.keys(media(path, '404')).toSorted()).toEqual(['application/json', 'text/html'])
    }
    expect(media('/token-status-lists/{id}', '200')['application/statuslist+cwt']).toMatchObject(bytes)
  })

  it('the document names three formats and the running version', async () => {
    const { info } = (await service.request('GET', '/api-docs-json')).json
    const { version } = (await service.request('GET', '/version')).json
    expect(info).toMatchObject({ version: '1.0.0-rc1', 'x-release': version })
    expect(info.description).toContain(`Release ${version}`)
    for (const format of ['SD-JWT VC', 'JWT-VC-JSON', 'mobile documents']) expect(info.description).toContain(format)
  })
})

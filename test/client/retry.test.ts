import { createServer, request as send } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCredenceClient, isCredenceError } from '../../client/index.js'
import { closeServer, listenLocally } from '../support/local-server.js'
import { query } from '../support/postgres.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'
import { type Front, startFront } from './front.js'

let service: TestService
let accessToken: string
beforeAll(async () => {
  service = await startService()
  accessToken = await service.identityProvider.token('alice')
  await createCredenceClient({ url: service.url, accessToken }).schemas.create.mutate({
    name: 'Receipt',
    version: 1,
    schema: { type: 'object', properties: { product: { type: 'string' } } },
  })
})
afterAll(() => service.close())

const OFFER = { credential_type: 'Receipt', credential_subject: { product: 'Espresso machine' } }
const clientOf = (url: string, more: object = {}) =>
  createCredenceClient({ url, accessToken, clientSecret: CLIENT_SECRET, ...more })
/** The keys of the client's requests. A port may be reused, so another test's request may arrive at the front, too. */
const keysOf = ({ seen }: Front) =>
  seen
    .filter(({ headers }) => headers.authorization === `Bearer ${accessToken}`)
    .map(({ headers }) => headers['idempotency-key'])
const offerings = async (): Promise<number> =>
  (await query<{ count: number }>(service.databaseUrl, 'SELECT count(*)::int AS count FROM offerings'))[0]?.count ?? 0
const statusOf = (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    (error: unknown) => (isCredenceError(error) ? (error.data?.httpStatus ?? 'no answer') : error),
  )

describe('a call that creates something', () => {
  it.each([
    [429, { 'retry-after': '1' }],
    [502, {}],
    [503, {}],
    [409, { 'retry-after': '0' }],
  ])('is repeated with the same key after %i', async (status, headers) => {
    await using front = await startFront(service.url)
    front.answerNext((response) => response.writeHead(status, headers).end('busy'))
    const before = await offerings()
    const began = performance.now()
    const { id } = await clientOf(front.url).offerings.create.mutate(OFFER)
    expect(id).toMatch(/^[\w-]+$/)
    expect(await offerings()).toBe(before + 1)
    const [first, second, ...more] = keysOf(front)
    expect([first, more]).toEqual([second, []])
    expect(first).toMatch(/^"[0-9a-f]{32}"$/)
    if (status === 429) expect(performance.now() - began).toBeGreaterThan(1_000)
  })

  it('whose answer is lost after the service has acted gets the stored answer', async () => {
    let lost = 0
    // A proxy that closes the connection when the first answer arrives.
    const server = createServer((request, response) => {
      const { method, url, headers } = request
      const onward = send(`${service.url}${url}`, { method: method ?? 'GET', headers }, (answer) => {
        if (lost === 0) {
          lost += 1
          answer.resume()
          response.destroy()
          return
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      request.pipe(onward)
    })
    const url = await listenLocally(server)
    const before = await offerings()
    await clientOf(url).offerings.create.mutate(OFFER)
    expect(lost).toBe(1)
    expect(await offerings()).toBe(before + 1)
    await closeServer(server)
  })

  it('is repeated three times at most, and not at all for a refusal or a long Retry-After', async () => {
    await using away = await startFront()
    expect(await statusOf(clientOf(away.url).offerings.create.mutate(OFFER))).toBe(502)
    expect(away.seen).toHaveLength(4)

    await using front = await startFront(service.url)
    expect(await statusOf(clientOf(front.url).offerings.create.mutate({ ...OFFER, credential_type: 'Nothing' }))).toBe(
      404,
    )
    expect(front.seen).toHaveLength(1)

    front.answerNext((response) => response.writeHead(503, { 'retry-after': '3600' }).end())
    expect(await statusOf(clientOf(front.url).offerings.create.mutate(OFFER))).toBe(503)
    expect(front.seen).toHaveLength(2)
  })

  it('has the key of its caller, which may contain quotation marks', async () => {
    await using front = await startFront(service.url)
    const context = { idempotencyKey: 'order "4711"' }
    const credence = clientOf(front.url)
    const first = await credence.offerings.create.mutate(OFFER, { context })
    const second = await credence.offerings.create.mutate(OFFER, { context })
    expect(second).toEqual(first)
    expect(keysOf(front)).toEqual(['"order \\"4711\\""', '"order \\"4711\\""'])
  })

  it('stops waiting if it is aborted', async () => {
    await using front = await startFront(service.url)
    const controller = new AbortController()
    front.answerNext((response) => {
      response.writeHead(503, { 'retry-after': '20' }).end()
      setTimeout(() => controller.abort(), 100)
    })
    const began = performance.now()
    await statusOf(clientOf(front.url).offerings.create.mutate(OFFER, { signal: controller.signal }))
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(front.seen).toHaveLength(1)
  })

  it('without a key is never repeated', async () => {
    await using front = await startFront(service.url)
    for (const [more, context] of [
      [{ idempotencyKeys: false }, {}],
      [{}, { idempotencyKey: false as const }],
    ] as const) {
      front.answerNext((response) => response.writeHead(503).end())
      expect(await statusOf(clientOf(front.url, more).offerings.create.mutate(OFFER, { context }))).toBe(503)
    }
    expect(keysOf(front)).toEqual([undefined, undefined])
  })
})

it('another call has no key and is never repeated', async () => {
  await using front = await startFront(service.url)
  const { id } = await clientOf(service.url).offerings.create.mutate(OFFER)
  const credential = await clientOf(service.url).offerings.claim.mutate({ id })
  front.answerNext((response) => response.writeHead(503).end())
  expect(await statusOf(clientOf(front.url).credentials.revoke.mutate({ id: credential.id }))).toBe(503)
  expect(keysOf(front)).toEqual([undefined])
})

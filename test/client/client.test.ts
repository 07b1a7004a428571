import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CredenceError, createCredenceClient, isCredenceError } from '../../client/index.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'
import { startFront } from './front.js'

let service: TestService
let accessToken: string

beforeAll(async () => {
  service = await startService()
  accessToken = await service.identityProvider.token('alice')
  await createCredenceClient({ url: service.url, accessToken }).schemas.create.mutate({
    name: 'ProofOfPurchase',
    version: 1,
    schema: { type: 'object', properties: { product: { type: 'string' } }, required: ['product'] },
  })
})
afterAll(() => service.close())

const offer = (product: string) => ({ credential_type: 'ProofOfPurchase', credential_subject: { product } })

async function refusal(call: Promise<unknown>): Promise<CredenceError> {
  const thrown: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!isCredenceError(thrown)) throw new Error(`Not a refusal: ${String(thrown)}`)
  return thrown
}

describe('the typed client', () => {
  it('calls the procedures that REST serves, with a token and a client secret', async () => {
    const credence = createCredenceClient({ url: `${service.url}/`, accessToken, clientSecret: CLIENT_SECRET })

    const offering = await credence.offerings.create.mutate(offer('Espresso machine'))
    const { id, vc } = await credence.offerings.claim.mutate({ id: offering.id })
    const read = await credence.credentials.read.query({ id })

    expect(vc.credentialSubject).toEqual({ product: 'Espresso machine' })
    expect(read.vc).toEqual(vc)
    expect(await credence.credentials.revoke.mutate({ id })).toBeUndefined()
    expect(await credence.verify.verify.mutate({ credential: String(vc.proof?.jws) })).toEqual({
      isValid: false,
      error: 'Credential has been revoked.',
    })
  })

  it('needs no credentials if the service asks for none', async () => {
    const { name } = await createCredenceClient({ url: service.url }).service.version.query()

    expect(name).toBe('credence')
  })

  it('works below a path that a proxy removes', async () => {
    await using front = await startFront()
    front.answerNext((response) =>
      response
        .setHeader('content-type', 'application/json')
        .end('[{"result":{"data":{"json":{"name":"credence","version":"9"}}}}]'),
    )

    const { version } = await createCredenceClient({ url: `${front.url}/credence/` }).service.version.query()

    expect(version).toBe('9')
    expect(front.seen[0]?.url).toMatch(/^\/credence\/trpc\/service\.version\?/)
  })

  it('sends the calls of one tick together, at most ten in a request', async () => {
    await using front = await startFront(service.url)
    const credence = createCredenceClient({ url: front.url })

    const answers = await Promise.all(Array.from({ length: 23 }, () => credence.service.version.query()))

    expect(answers).toHaveLength(23)
    expect(front.seen.map(({ url }) => decodeURIComponent(url.split('?')[0] ?? '').split(',').length)).toEqual([
      10, 10, 3,
    ])
  })

  it('splits a batch whose address would grow too long', async () => {
    await using front = await startFront(service.url)
    const credence = createCredenceClient({ url: front.url, accessToken })

    const calls = Array.from({ length: 4 }, (_, index) =>
      credence.schemas.read.query({ schemaId: String(index).repeat(3_000) }),
    )
    const errors = await Promise.all(calls.map(refusal))

    expect(errors.map(({ data }) => data?.httpStatus)).toEqual([404, 404, 404, 404])
    expect(Math.max(...front.seen.map(({ url }) => url.length))).toBeLessThanOrEqual(8_000)
  })

  it('asks a token function before each request, so that a renewed token is used', async () => {
    await using front = await startFront(service.url)
    const tokens = [accessToken, await service.identityProvider.token('bob')]
    const credence = createCredenceClient({ url: front.url, accessToken: async () => tokens.shift() })

    await credence.schemas.versions.query({ schemaId: 'ProofOfPurchase' })
    await credence.schemas.versions.query({ schemaId: 'ProofOfPurchase' })
    const third = await refusal(credence.schemas.versions.query({ schemaId: 'ProofOfPurchase' }))

    expect(new Set(front.seen.map(({ headers }) => headers.authorization)).size).toBe(3)
    expect([third.data?.httpStatus, third.message]).toEqual([401, 'Unauthorized'])
  })
})

describe('a refusal', () => {
  it.each([
    ['a missing field', {}, 400, ['credential_type must be defined', 'credential_subject must be defined']],
    ['an unknown type', { credential_type: 'Nothing', credential_subject: {} }, 404, ['Schema not found.']],
    ['an unknown property', { ...offer('x'), colour: 'red' }, 400, ['property colour should not exist']],
  ])('of %s has the status and messages of REST', async (_what, input, status, messages) => {
    const credence = createCredenceClient({ url: service.url, clientSecret: CLIENT_SECRET })

    // The compiler refuses these inputs, as it should.
    const error = await refusal(credence.offerings.create.mutate(input as never))

    expect(error.data).toMatchObject({ httpStatus: status, messages, path: 'offerings.create' })
    expect(error.message).toBe(messages.join('; '))
  })

  it('of one call does not affect the other calls of its batch', async () => {
    await using front = await startFront(service.url)
    const credence = createCredenceClient({ url: front.url, clientSecret: CLIENT_SECRET, idempotencyKeys: false })

    const [made, refused] = await Promise.all([
      credence.offerings.create.mutate(offer('Grinder')),
      refusal(credence.offerings.create.mutate({ credential_type: 'Nothing', credential_subject: {} })),
    ])

    expect(front.seen).toHaveLength(1)
    expect(made.credential_subject).toEqual({ product: 'Grinder' })
    expect(refused.data?.httpStatus).toBe(404)
  })

  it('of a wrong client secret is a 401', async () => {
    const error = await refusal(
      createCredenceClient({ url: service.url, clientSecret: 'guess' }).offerings.create.mutate(offer('x')),
    )

    expect([error.data?.httpStatus, error.data?.messages]).toEqual([401, ['Unauthorized']])
  })

  it('by the rate limit, before the procedures, has the same form, and Retry-After', async () => {
    await using limited = await startService({ env: { RATE_LIMIT_MAX: '1' } })
    const credence = createCredenceClient({ url: limited.url })
    await credence.service.version.query()

    const [first, second] = await Promise.all([
      refusal(credence.service.version.query()),
      refusal(credence.dids.hosted.query({ uuid: crypto.randomUUID() })),
    ])

    for (const error of [first, second]) {
      expect(error.data).toMatchObject({ httpStatus: 429, messages: ['Too Many Requests'], code: 'TOO_MANY_REQUESTS' })
    }
    const { response } = first.meta as { response: Response }
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('by a proxy that speaks HTML has its status', async () => {
    await using front = await startFront()

    const error = await refusal(createCredenceClient({ url: front.url }).service.version.query())

    expect([error.data?.httpStatus, error.message]).toEqual([502, 'HTTP 502 Bad Gateway'])
  })

  it('differs from the error of a service that cannot be reached', async () => {
    const front = await startFront()
    await front[Symbol.asyncDispose]()

    const error = await refusal(createCredenceClient({ url: front.url }).service.version.query())

    expect(error.data).toBeUndefined()
  })

  it('is recognised by its class', () => {
    expect(isCredenceError(new Error('Unauthorized'))).toBe(false)
  })
})

describe('secrets', () => {
  it('are in headers, never in an address', async () => {
    await using front = await startFront(service.url)
    const credence = createCredenceClient({ url: front.url, accessToken, clientSecret: CLIENT_SECRET })

    await Promise.all([credence.offerings.list.query(), credence.offerings.create.mutate(offer('Kettle'))])

    expect(front.seen).toHaveLength(2)
    for (const { url, headers } of front.seen) {
      expect(headers).toMatchObject({ authorization: `Bearer ${accessToken}`, 'x-client-secret': CLIENT_SECRET })
      expect(url).not.toContain(accessToken)
      expect(url).not.toContain(CLIENT_SECRET)
    }
  })

  it.each([301, 302, 307, 308])('do not follow a %i to another address', async (status) => {
    await using stranger = await startFront()
    await using front = await startFront(service.url)
    front.answerNext((response) =>
      response.writeHead(status, { location: `${stranger.url}/trpc/service.version` }).end(),
    )
    const credence = createCredenceClient({ url: front.url, accessToken, clientSecret: CLIENT_SECRET })

    const error = await refusal(credence.service.version.query())

    expect([error.data?.httpStatus, error.message]).toEqual([status, 'The service answered with a redirect.'])
    expect(stranger.seen).toEqual([])
  })
})

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type CredenceClient, type CredenceError, createCredenceClient } from '../../client/index.js'
import { startService, type TestService } from '../support/service.js'
import { startFront } from './front.js'

let service: TestService
let accessToken: string

beforeAll(async () => {
  service = await startService()
  accessToken = await service.identityProvider.token('verifier')
})
afterAll(() => service.close())

const QUERY = [{ fields: [{ path: ['$.type'], filter: { contains: { const: 'ProofOfPurchase' } } }] }]

/** A verification session, and a wallet that fetches its request. */
async function newSession() {
  const credence = createCredenceClient({ url: service.url, accessToken })
  const made = await credence.authorizationRequests.create.mutate({ query: QUERY })
  return {
    id: made.verificationSessionId,
    retrieve: async () => {
      const { status } = await fetch(made.request_uri ?? '')
      expect(status).toBe(200)
    },
  }
}

/** Subscribes until the test is over. */
function watch(credence: CredenceClient, sessionId: string) {
  const states: string[] = []
  let refuse: (error: CredenceError) => void
  const refused = new Promise<CredenceError>((resolve) => {
    refuse = resolve
  })
  const watchers = new Set<() => void>()
  const subscription = credence.verificationSessions.events.subscribe(
    { sessionId },
    {
      onData: ({ data }) => {
        states.push(data.state)
        for (const watcher of watchers) watcher()
      },
      onError: (error) => refuse(error),
    },
  )
  onTestFinished(() => subscription.unsubscribe())
  const saw = (state: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (states.includes(state)) resolve()
      }
      watchers.add(look)
      look()
    })
  return { states, refused, saw, unsubscribe: () => subscription.unsubscribe() }
}

describe('a subscription of the typed client', () => {
  it('gives the state at once and then every change', async () => {
    const session = await newSession()
    const watched = watch(createCredenceClient({ url: service.url, accessToken }), session.id)

    await watched.saw('RequestCreated')
    await session.retrieve()
    await watched.saw('RequestUriRetrieved')

    expect(watched.states).toEqual(['RequestCreated', 'RequestUriRetrieved'])
  })

  it('sends its token in a header, never in the address', async () => {
    await using front = await startFront(service.url)
    const session = await newSession()
    const watched = watch(createCredenceClient({ url: front.url, accessToken, clientSecret: 'secret-1' }), session.id)

    await watched.saw('RequestCreated')

    const [request] = front.seen
    expect(request?.headers).toMatchObject({
      accept: 'text/event-stream',
      authorization: `Bearer ${accessToken}`,
      'x-client-secret': 'secret-1',
    })
    expect(decodeURIComponent(request?.url ?? '')).not.toMatch(/connectionParams|secret-1|Bearer|eyJ/)
  })

  it('connects again after a lost connection and after an outage, with a new token, and misses no event', async () => {
    await using front = await startFront(service.url)
    const session = await newSession()
    const tokens = ['first', 'second', 'third'].map((did) => service.identityProvider.token('verifier', { did }))
    const watched = watch(
      createCredenceClient({ url: front.url, accessToken: async () => (await tokens.shift()) ?? '' }),
      session.id,
    )
    await watched.saw('RequestCreated')

    front.answerNext((response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Starting</h1>'))
    front.cut()
    await session.retrieve()
    await watched.saw('RequestUriRetrieved')

    expect(watched.states).toEqual(['RequestCreated', 'RequestUriRetrieved'])
    expect(front.seen).toHaveLength(3)
    expect(new Set(front.seen.map(({ headers }) => headers.authorization)).size).toBe(3)
    expect(front.seen[2]?.headers['last-event-id']).toBe('1')
  })

  it('treats the connection as lost after three missing pings', async () => {
    const session = await newSession()
    const input = encodeURIComponent(JSON.stringify({ json: { sessionId: session.id } }))
    const gone = new AbortController()
    const response = await fetch(`${service.url}/trpc/verificationSessions.events?input=${input}`, {
      headers: { authorization: `Bearer ${accessToken}` },
      signal: gone.signal,
    })
    let seen = ''
    for await (const chunk of response.body ?? []) {
      seen += new TextDecoder().decode(chunk)
      if (seen.includes('RequestCreated')) break
    }
    gone.abort()

    expect(seen).toContain('event: connected\ndata: {"reconnectAfterInactivityMs":45000}')
  })

  it('waits as long as a 429 says', async () => {
    await using front = await startFront(service.url)
    front.answerNext((response) => response.writeHead(429, { 'retry-after': '1' }).end())
    const session = await newSession()

    const watched = watch(createCredenceClient({ url: front.url, accessToken }), session.id)
    await watched.saw('RequestCreated')

    expect(front.seen).toHaveLength(2)
  })

  it('can be ended while it waits', async () => {
    await using front = await startFront(service.url)
    let waiting: () => void
    const waits = new Promise<void>((resolve) => {
      waiting = resolve
    })
    front.answerNext((response) => response.writeHead(429, { 'retry-after': '1' }).end(() => waiting()))
    const session = await newSession()
    const watched = watch(createCredenceClient({ url: front.url, accessToken }), session.id)

    await waits
    watched.unsubscribe()
    await new Promise((resolve) => setTimeout(resolve, 1_200))

    expect(front.seen).toHaveLength(1)
    expect(watched.states).toEqual([])
  })

  it.each([
    ['without a token', undefined, 401, 'Unauthorized'],
    ['with an invalid token', 'x', 401, 'Invalid access token.'],
  ])('%s ends with that refusal', async (_how, token, status, message) => {
    const session = await newSession()

    const error = await watch(createCredenceClient({ url: service.url, accessToken: token }), session.id).refused

    expect([error.data?.httpStatus, error.message]).toEqual([status, message])
  })

  it('of an unknown session ends; otherwise it would connect again forever', async () => {
    await using front = await startFront(service.url)
    const credence = createCredenceClient({ url: front.url, accessToken })

    const error = await watch(credence, crypto.randomUUID()).refused

    expect([error.data?.httpStatus, error.data?.messages]).toEqual([500, ['Verification session not found.']])
    expect(front.seen).toHaveLength(1)
  })

  it('ends with the refusal of the service’s front', async () => {
    await using front = await startFront()
    front.answerNext((response) =>
      response
        .writeHead(403, { 'content-type': 'application/json' })
        .end(JSON.stringify({ statusCode: 403, message: 'Host is not allowed.', path: '/trpc' })),
    )

    const error = await watch(createCredenceClient({ url: front.url }), crypto.randomUUID()).refused

    expect([error.data?.httpStatus, error.message]).toEqual([403, 'Host is not allowed.'])
  })

  it('follows no redirect to another address', async () => {
    await using stranger = await startFront()
    await using front = await startFront()
    front.answerNext((response) => response.writeHead(307, { location: stranger.url }).end())

    const error = await watch(createCredenceClient({ url: front.url, accessToken }), crypto.randomUUID()).refused

    expect(error.message).toBe('The service answered with a redirect.')
    expect(stranger.seen).toEqual([])
  })
})

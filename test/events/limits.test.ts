import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createCredenceClient } from '../../client/index.js'
import { type EventReader, readEvents } from '../issuer/openid4vci/event-reader.js'
import { startService, type TestService } from '../support/service.js'
import { ask, dcql, fetchRequest } from '../verifier/actors.js'

const DAY = 86_400

let service: TestService
let ahead = 0
let sessionId: string
let request: Awaited<ReturnType<typeof ask>>

beforeAll(async () => {
  service = await startService({
    env: { MAX_STREAMS_PER_CALLER: '2', MAX_STREAMS: '3' },
    eventsEveryMs: 100,
    clock: () => new Date(Date.now() + ahead * 1000),
  })
  request = await ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt'), validity: 3_600 })
  sessionId = request.verificationSessionId
})
afterAll(() => service.close())

const opened: EventReader[] = []
const allClosed = () => expect.poll(() => service.platform.events.open()).toBe(0)

afterEach(async () => {
  for (const stream of opened.splice(0)) await stream[Symbol.asyncDispose]()
  await allClosed()
})

const paths = {
  rest: (id: string) => `/verification-sessions/${id}/events`,
  trpc: (id: string) =>
    `/trpc/verificationSessions.events?input=${encodeURIComponent(JSON.stringify({ json: { sessionId: id } }))}`,
}
type Door = keyof typeof paths

async function open(door: Door, sub: string, id = sessionId, expiresIn = DAY): Promise<EventReader> {
  const authorization = await service.bearer(sub, { expiresIn })
  const stream = await readEvents(service, paths[door](id), { authorization, accept: 'text/event-stream' })
  opened.push(stream)
  return stream
}

/** Opens a stream and reads until the first event about a session arrives. The stream is then certainly open. */
async function watching(door: Door, sub: string): Promise<EventReader> {
  const stream = await open(door, sub)
  for (;;) {
    const event = await stream.next()
    if (event.data?.includes(sessionId)) return stream
  }
}

async function refusedBy(door: Door, sub: string) {
  const authorization = await service.bearer(sub, { expiresIn: DAY })
  const answer = await service.request('GET', paths[door](sessionId), { authorization })
  const retryAfter = answer.headers.get('retry-after')
  if (door === 'rest') return [answer.status, answer.json.message, retryAfter]
  const error = JSON.parse(/^event: serialized-error\ndata: (.*)$/m.exec(answer.text)?.[1] ?? '').json
  return [error.data.httpStatus, error.message, retryAfter]
}

describe('open streams', () => {
  it('of one caller are counted together over REST and /trpc, then 429', async () => {
    await watching('rest', 'alice')
    await watching('trpc', 'alice')
    const refusal = [429, 'Too many event streams of this caller are open.', '30']
    expect(await refusedBy('rest', 'alice')).toEqual(refusal)
    expect(await refusedBy('trpc', 'alice')).toEqual(refusal)
    await watching('rest', 'bob')
  })

  it('of a process are counted together, then 503', async () => {
    await watching('rest', 'alice')
    await watching('trpc', 'alice')
    await watching('trpc', 'bob')
    const refusal = [503, 'Too many event streams are open.', '30']
    expect(await refusedBy('rest', 'carol')).toEqual(refusal)
    expect(await refusedBy('trpc', 'carol')).toEqual(refusal)
  })
})

describe.each(['rest', 'trpc'] as const)('a stream by %s no longer counts after its end', (door) => {
  it('when its reader goes away', async () => {
    for (let round = 0; round < 4; round += 1) {
      const stream = await watching(door, 'alice')
      await stream[Symbol.asyncDispose]()
      await allClosed()
    }
  })

  it('when its reader goes away before it begins', async () => {
    const authorization = await service.bearer('alice')
    for (let round = 0; round < 6; round += 1) {
      const controller = new AbortController()
      const asked = fetch(`${service.url}${paths[door](sessionId)}`, {
        headers: { authorization },
        signal: controller.signal,
      })
      setImmediate(() => controller.abort())
      await asked.catch(() => {})
    }
    await allClosed()
  })

  it('when it is refused', async () => {
    for (let round = 0; round < 4; round += 1) await open(door, 'alice', crypto.randomUUID())
    await allClosed()
    await watching(door, 'alice')
  })

  it('after HEAD', async () => {
    const headers = { authorization: await service.bearer('alice') }
    for (let round = 0; round < 4; round += 1) {
      const { status } = await fetch(`${service.url}${paths[door](sessionId)}`, { method: 'HEAD', headers })
      expect(status).toBe(door === 'rest' ? 200 : 204)
    }
    await allClosed()
  })
})

describe('a stream ends with its token', () => {
  const untilEnd = async (stream: EventReader) => {
    const seen = []
    for (;;) {
      try {
        seen.push(await stream.next())
      } catch (error) {
        return { seen, how: String(error) }
      }
    }
  }

  it('by path: without an error, for an EventSource to connect again', async () => {
    const short = await open('rest', 'alice', sessionId, 300)
    const long = await open('rest', 'bob', sessionId, DAY)
    await short.next()
    await long.next()
    ahead += 301
    const { seen, how } = await untilEnd(short)
    expect([seen, how]).toEqual([[], 'Error: The stream ended: '])
    expect(service.platform.events.open()).toBe(1)
    const again = await service.request('GET', paths.rest(sessionId), {
      authorization: await service.bearer('alice', { expiresIn: 300 }),
    })
    expect([again.status, again.json.message]).toEqual([401, 'Access token has expired.'])
  })

  it('on /trpc: sent as a temporary 503, after which clients connect again', async () => {
    const stream = await open('trpc', 'alice', sessionId, ahead + 300)
    ahead += 301
    const { seen } = await untilEnd(stream)
    const last = seen.at(-1)
    expect(last?.event).toBe('serialized-error')
    expect(JSON.parse(last?.data ?? '').json).toMatchObject({
      message: 'Access token has expired. Connect again.',
      data: { code: 'SERVICE_UNAVAILABLE', httpStatus: 503 },
    })
  })

  it('and the client continues with a new token after the last event that it saw', async () => {
    const lifetimes = [ahead + 300, ahead + DAY]
    const client = createCredenceClient({
      url: service.url,
      accessToken: () => service.identityProvider.token('alice', { expiresIn: lifetimes.shift() ?? 0 }),
    })
    const states: string[] = []
    const errors: unknown[] = []
    const watched = client.verificationSessions.events.subscribe(
      { sessionId },
      { onData: ({ data }) => void states.push(data.state), onError: (error) => void errors.push(error) },
    )
    await expect.poll(() => states).toEqual(['RequestCreated'])
    ahead += 301
    await allClosed()
    await fetchRequest(request)
    await expect.poll(() => states).toEqual(['RequestCreated', 'RequestUriRetrieved'])
    expect([errors, lifetimes]).toEqual([[], []])
    watched.unsubscribe()
  })
})

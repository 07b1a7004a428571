import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type Mock, vi } from 'vitest'
import { sessionNames } from '../../server/events/announcement.js'
import { createEventStore, type EventStore } from '../../server/events/store.js'
import { createEvents, type Events } from '../../server/events/stream.js'
import type { Hearer } from '../../server/events/transport.js'
import { createLog } from '../../server/log/log.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'
import { type EventProcess, KEY, startEventProcess } from './actors.js'

let database: TestDatabase
/** A second process, which stores events without announcing them. */
let other: EventProcess

beforeAll(async () => {
  database = await createTestDatabase()
  other = startEventProcess(database.url)
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await database.drop()
})

const nameOf = sessionNames(KEY)

/** A process, its reads, and the listener through which it receives announcements. */
let events: Events
let hearer: Hearer
let reads: Mock<EventStore['after']>
let inquiries: Mock<EventStore['moved']>

beforeEach(() => {
  const store = createEventStore(other.database)
  reads = vi.fn(store.after)
  inquiries = vi.fn<EventStore['moved']>(async () => [])
  events = createEvents({
    store: { after: reads, moved: inquiries },
    transport: (listener) => {
      hearer = listener
      return { send: async () => {}, listen: () => {}, close: async () => {} }
    },
    key: KEY,
    log: createLog('silent'),
    clock: () => new Date(),
    limits: { perCaller: 0, process: 100 },
  })
})
afterEach(async () => {
  events.end()
  await events.close()
})

async function watched() {
  const id = randomUUID()
  await other.recordSilently(id, 1, 'RequestCreated')
  const controller = new AbortController()
  const stream = await events.stream<{ state: string }>({
    sessionId: id,
    current: async () => ({ seq: 1, data: { state: 'RequestCreated' } }),
    caller: { sub: 'alice' },
    signal: controller.signal,
  })
  await stream.next()
  const next = async () => {
    const { value } = await stream.next()
    return [value?.[0], value?.[1].state]
  }
  /**
   * Makes a transition in this process: stores the event, and announces it with the event that the statement returned.
   */
  const made = async (seq: number, state: string) => {
    await other.recordSilently(id, seq, state)
    return () => events.announce([{ id, seq, data: { id, state } }])
  }
  return { id, next, made }
}

describe('an event of a transition that this process made', () => {
  it('reaches a waiting reader without a read of the database', async () => {
    const { id, next, made } = await watched()
    for (const [seq, state] of [
      [2, 'RequestUriRetrieved'],
      [3, 'ResponseVerified'],
    ] as const) {
      const waiting = next()
      const announce = await made(seq, state)
      announce()
      expect(await waiting).toEqual([String(seq), state])
      // The announcement arrives on the channel at all processes, also at this process. Here it arrives a second time.
      hearer.onMessage(`${nameOf(id)}:${seq}`)
      hearer.onMessage(`${nameOf(id)}:${seq}`)
      announce()
    }
    const last = next()
    expect(await Promise.race([last, new Promise((resolve) => setTimeout(resolve, 50, 'nothing'))])).toBe('nothing')
    expect(reads).not.toHaveBeenCalled()
  })

  it('is read together with earlier events by a reader that misses an earlier event', async () => {
    const { id, next, made } = await watched()
    const waiting = next()
    await other.recordSilently(id, 2, 'RequestUriRetrieved')
    const announce = await made(3, 'ResponseVerified')
    announce()
    expect(await waiting).toEqual(['2', 'RequestUriRetrieved'])
    expect(await next()).toEqual(['3', 'ResponseVerified'])
    expect(reads.mock.calls).toEqual([[[{ sessionId: id, after: 1 }]]])
  })

  it('arrives in order and once, even if the next event of any process follows quickly', async () => {
    const { id, next, made } = await watched()
    const waiting = next()
    const announces = [await made(2, 'a'), await made(3, 'b')]
    await other.recordSilently(id, 4, 'c')
    announces.push(await made(5, 'd'))
    for (const announce of announces) announce()
    const seen = [await waiting, await next(), await next(), await next()]
    expect(seen).toEqual([
      ['2', 'a'],
      ['3', 'b'],
      ['4', 'c'],
      ['5', 'd'],
    ])
    expect(reads).toHaveBeenCalledTimes(1)
  })

  it('is not kept for a busy reader, which reads it later', async () => {
    const { id, next, made } = await watched()
    const announce = await made(2, 'RequestUriRetrieved')
    announce()
    expect(reads).not.toHaveBeenCalled()
    expect(await next()).toEqual(['2', 'RequestUriRetrieved'])
    expect(reads.mock.calls).toEqual([[[{ sessionId: id, after: 1 }]]])
  })

  it('is read by other processes, and also while the event before it is being read', async () => {
    const { id, next, made } = await watched()
    const waiting = next()
    await other.recordSilently(id, 2, 'RequestUriRetrieved')
    hearer.onMessage(`${nameOf(id)}:2`)
    const announce = await made(3, 'ResponseVerified')
    announce()
    expect([await waiting, await next()]).toEqual([
      ['2', 'RequestUriRetrieved'],
      ['3', 'ResponseVerified'],
    ])
  })

  it('is not lost if it arrives while the reader handles an announcement of another process', async () => {
    const { id, next, made } = await watched()
    const held: ((rows: Awaited<ReturnType<EventStore['after']>>) => void)[] = []
    const read = () => new Promise<Awaited<ReturnType<EventStore['after']>>>((resolve) => held.push(resolve))
    reads.mockImplementationOnce(read).mockImplementationOnce(read)
    const waiting = next()
    const announces = [await made(2, 'RequestUriRetrieved'), await made(3, 'ResponseVerified')]
    hearer.onMessage(`${nameOf(id)}:2`)
    await expect.poll(() => held.length).toBe(1)
    hearer.onMessage(`${nameOf(id)}:3`)
    await new Promise((resolve) => setTimeout(resolve, 20))
    held[0]?.([{ sessionId: id, seq: 2, data: { id, state: 'RequestUriRetrieved' } }])
    expect(await waiting).toEqual(['2', 'RequestUriRetrieved'])
    const last = next()
    await expect.poll(() => held.length).toBe(2)
    // This read ran before the commit, so it returned no event.
    held[1]?.([])
    announces[1]?.()
    expect(await last).toEqual(['3', 'ResponseVerified'])
  })
})

describe('a repeated announcement', () => {
  it('causes no read, whether the event is being read, was read or was given to its reader', async () => {
    const { id, next, made } = await watched()
    let release = (_rows: Awaited<ReturnType<EventStore['after']>>) => {}
    reads.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          release = resolve
        }),
    )
    const waiting = next()
    await made(2, 'RequestUriRetrieved')
    // The same announcement may arrive several times, from several processes or from a stranger.
    const again = () => {
      for (const seq of [2, 1, 2]) hearer.onMessage(`${nameOf(id)}:${seq}`)
    }
    again()
    await expect.poll(() => reads.mock.calls.length).toBe(1)
    again()
    release([{ sessionId: id, seq: 2, data: { id, state: 'RequestUriRetrieved' } }])
    again()
    expect(await waiting).toEqual(['2', 'RequestUriRetrieved'])
    const last = next()
    again()
    expect(await Promise.race([last, new Promise((resolve) => setTimeout(resolve, 50, 'nothing'))])).toBe('nothing')
    expect(reads).toHaveBeenCalledTimes(1)
  })
})

describe('after an outage of the connection between processes', () => {
  it('the database is asked at once for missed events, after the lowest position of all waiting readers of a session', async () => {
    const { id } = await watched()
    await other.recordSilently(id, 2, 'RequestUriRetrieved')
    const later = await events.stream({
      sessionId: id,
      current: async () => ({ seq: 2, data: { state: 'RequestUriRetrieved' } }),
      caller: { sub: 'bob' },
      signal: new AbortController().signal,
    })
    await later.next()
    inquiries.mockClear()
    hearer.onListening()
    expect(inquiries.mock.calls).toEqual([[[{ sessionId: id, after: 1 }]]])
  })
})

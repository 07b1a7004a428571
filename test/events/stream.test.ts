import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sessionNames } from '../../server/events/announcement.js'
import { createEventStore } from '../../server/events/store.js'
import { createEvents, type EventsOptions } from '../../server/events/stream.js'
import { EVENT_CHANNEL } from '../../server/events/transports/postgres.js'
import { createLog } from '../../server/log/log.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'
import { type EventProcess, KEY, killListeners, listeners, postgresOf, startEventProcess } from './actors.js'

/** The time-out for events that must arrive without a further action, at some time. */
const PATIENT = { timeout: 60_000 }

let database: TestDatabase
let a: EventProcess
let b: EventProcess

beforeAll(async () => {
  database = await createTestDatabase()
  a = startEventProcess(database.url)
  b = startEventProcess(database.url)
})
afterAll(async () => {
  await a[Symbol.asyncDispose]()
  await b[Symbol.asyncDispose]()
  await database.drop()
})

async function newSession(): Promise<string> {
  const id = randomUUID()
  await a.record(id, 1, 'RequestCreated')
  return id
}

const caller = { sub: 'alice' }

const newEvents = (store: EventsOptions['store'], options: Partial<EventsOptions> = {}) =>
  createEvents({
    store,
    transport: postgresOf(database.url),
    key: KEY,
    log: createLog('silent'),
    clock: () => new Date(),
    limits: { perCaller: 0, process: 100 },
    ...options,
  })

function leaver() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

describe('a stream of session events', () => {
  it('begins with the current state, after any earlier events', async () => {
    const id = await newSession()
    await a.record(id, 2, 'RequestUriRetrieved')
    const subscriber = await a.subscribe(id)
    expect(await subscriber.take(1)).toEqual([['2', 'RequestUriRetrieved']])
    subscriber.leave()
  })

  it('continues with every change, in order, and only with changes of its session', async () => {
    const id = await newSession()
    const other = await newSession()
    const subscriber = await a.subscribe(id)
    await a.record(other, 2, 'Error')
    await a.record(id, 2, 'RequestUriRetrieved')
    await a.record(id, 3, 'ResponseVerified')
    expect(await subscriber.take(3)).toEqual([
      ['1', 'RequestCreated'],
      ['2', 'RequestUriRetrieved'],
      ['3', 'ResponseVerified'],
    ])
    subscriber.leave()
  })

  it('shows changes that another process makes', async () => {
    const id = await newSession()
    const subscriber = await a.subscribe(id)
    await b.record(id, 2, 'RequestUriRetrieved')
    expect(await subscriber.take(2)).toEqual([
      ['1', 'RequestCreated'],
      ['2', 'RequestUriRetrieved'],
    ])
    subscriber.leave()
  })

  it('misses no change that happens while the state is being read', async () => {
    const id = await newSession()
    const signal = new AbortController()
    const stream = await a.events.stream({
      sessionId: id,
      // The session changes twice after the subscription began and before the first state is delivered.
      current: async () => {
        await b.record(id, 2, 'RequestUriRetrieved')
        await b.record(id, 3, 'ResponseVerified')
        return { seq: 1, data: { state: 'RequestCreated' } }
      },
      caller,
      signal: signal.signal,
    })
    const seen: unknown[] = []
    for await (const [seq] of stream) {
      seen.push(seq)
      if (seen.length === 3) break
    }
    expect(seen).toEqual(['1', '2', '3'])
  })

  it('gives each of many subscribers every change once', async () => {
    const id = await newSession()
    const subscribers = await Promise.all(Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? a : b).subscribe(id)))
    await a.record(id, 2, 'RequestUriRetrieved')
    await b.record(id, 3, 'ResponseVerified')
    for (const subscriber of subscribers) {
      expect((await subscriber.take(3)).map(([seq]) => seq)).toEqual(['1', '2', '3'])
      subscriber.leave()
    }
  })

  it('throws the error of reading the state, and then has no subscriber', async () => {
    await expect(a.subscribe('nobody')).rejects.toThrow('No such session.')
  })

  it('ends when the subscriber goes away, also while it waits', async () => {
    const subscriber = await a.subscribe(await newSession())
    await subscriber.take(1)
    const waiting = subscriber.stream.next()
    subscriber.leave()
    expect(await waiting).toEqual({ value: undefined, done: true })
  })

  it('forgets a subscriber that went away, and reads nothing more for it', async () => {
    const after = vi.fn(async () => [])
    const moved = vi.fn(async () => [])
    const events = newEvents({ after, moved }, { everyMs: 100 })
    const id = await newSession()
    const controllers = [new AbortController(), new AbortController()]
    for (const { signal } of controllers) {
      const stream = await events.stream({ sessionId: id, current: async () => ({ seq: 1, data: {} }), caller, signal })
      await stream.next()
      void stream.next()
    }
    const other = await a.subscribe(id)
    await vi.waitFor(() => expect(moved.mock.calls.length).toBeGreaterThan(0), PATIENT)
    for (const controller of controllers) controller.abort()
    moved.mockClear()
    await a.record(id, 2, 'RequestUriRetrieved')
    await other.take(2)
    await new Promise((resolve) => setTimeout(resolve, 250))
    expect([after.mock.calls, moved.mock.calls]).toEqual([[], []])
    other.leave()
    events.end()
    await events.close()
  })

  it('reads an announced event only once, even if it is announced several times', async () => {
    const id = await newSession()
    const store = createEventStore(a.database)
    const after = vi.fn(store.after)
    const moved = vi.fn(async () => [])
    const events = newEvents({ after, moved })
    const { signal, abort } = leaver()
    const current = async () => ({ seq: 1, data: { state: 'RequestCreated' } })
    const stream = await events.stream<{ state: string }>({ sessionId: id, current, caller, signal })
    await stream.next()
    const second = stream.next()
    await vi.waitFor(() => expect(moved).toHaveBeenCalled(), PATIENT)
    await b.record(id, 2, 'RequestUriRetrieved')
    expect((await second).value?.slice(0, 2)).toEqual(['2', { id, state: 'RequestUriRetrieved' }])
    const third = stream.next()
    for (let repeated = 0; repeated < 3; repeated += 1) b.events.announce([{ id, seq: 2 }])
    await b.record(id, 3, 'ResponseVerified')
    expect((await third).value?.slice(0, 2)).toEqual(['3', { id, state: 'ResponseVerified' }])
    expect(after).toHaveBeenCalledTimes(2)
    abort()
    events.end()
    await events.close()
  })

  it('is not misled by strangers on its channel, because it reads events from the database', async () => {
    const id = await newSession()
    const subscriber = await a.subscribe(id)
    await subscriber.take(1)
    await vi.waitFor(async () => expect((await listeners(database.url)).length).toBeGreaterThan(0), PATIENT)
    const name = sessionNames(KEY)(id)
    const said = [
      `${name}:2`,
      `${name}:9 ${name}:999999999`,
      `${name}:0`,
      `${name}:-1`,
      `${name}:2 {"state":"Error"}`,
      `${id}:2`,
      `${id} 2 {"state":"Error"}`,
      `${name}:`,
      `${name}:2`.repeat(300),
      '',
      ' ',
    ]
    for (const message of said) await query(database.url, 'SELECT pg_notify($1, $2)', [EVENT_CHANNEL, message])
    await b.record(id, 2, 'RequestUriRetrieved')
    await b.record(id, 3, 'ResponseVerified')
    expect(await subscriber.take(2)).toEqual([
      ['2', 'RequestUriRetrieved'],
      ['3', 'ResponseVerified'],
    ])
    subscriber.leave()
  })

  it('has events of a process that ended before it announced them', async () => {
    const id = await newSession()
    const subscribers = await Promise.all([a.subscribe(id), b.subscribe(id)])
    await b.recordSilently(id, 2, 'RequestUriRetrieved')
    await b.recordSilently(id, 3, 'ResponseVerified')
    for (const subscriber of subscribers) {
      expect((await subscriber.take(3)).map(([seq]) => seq)).toEqual(['1', '2', '3'])
      subscriber.leave()
    }
  })

  it('stays open after a final state', async () => {
    const id = await newSession()
    const subscriber = await a.subscribe(id)
    await a.record(id, 2, 'Error')
    await subscriber.take(2)
    const next = subscriber.stream.next()
    expect(await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 200, 'open'))])).toBe('open')
    subscriber.leave()
    await next
  })
})

describe('Last-Event-ID', () => {
  it('first sends the events after it', async () => {
    const id = await newSession()
    await a.record(id, 2, 'RequestUriRetrieved')
    await a.record(id, 3, 'ResponseVerified')
    const subscriber = await a.subscribe(id, '1')
    expect(await subscriber.take(2)).toEqual([
      ['2', 'RequestUriRetrieved'],
      ['3', 'ResponseVerified'],
    ])
    subscriber.leave()
  })

  it.each(['2', '99', 'x', '-1', '1e3', '99999999999999999999'])(
    'sends the current state again if there are no later events, or for an invalid position (%s)',
    async (lastEventId) => {
      const id = await newSession()
      await a.record(id, 2, 'RequestUriRetrieved')
      const subscriber = await a.subscribe(id, lastEventId)
      expect(await subscriber.take(1)).toEqual([['2', 'RequestUriRetrieved']])
      await a.record(id, 3, 'ResponseVerified')
      expect(await subscriber.take(1)).toEqual([['3', 'ResponseVerified']])
      subscriber.leave()
    },
  )
})

describe('the LISTEN connection', () => {
  it('is one for each process', async () => {
    const subscribers = await Promise.all([await newSession(), await newSession()].map((id) => a.subscribe(id)))
    const others = await Promise.all([await newSession(), await newSession()].map((id) => b.subscribe(id)))
    await vi.waitFor(async () => expect(await listeners(database.url)).toHaveLength(2), PATIENT)
    for (const subscriber of [...subscribers, ...others]) subscriber.leave()
  })

  it('may break: changes during the outage arrive too, in order and once', async () => {
    const id = await newSession()
    const subscriber = await a.subscribe(id)
    await subscriber.take(1)
    await vi.waitFor(async () => expect((await listeners(database.url)).length).toBeGreaterThan(0), PATIENT)
    const seen = subscriber.take(3)
    await killListeners(database.url)
    await query(
      database.url,
      `INSERT INTO session_events (session_id, seq, changes, at) VALUES
       ('${id}', 2, '{"state": "RequestUriRetrieved"}', now()),
       ('${id}', 3, '{"state": "ResponseVerified"}', now())`,
    )
    // These two events had no announcement, so polling must have found them.
    await vi.waitFor(async () => expect((await listeners(database.url)).length).toBe(2), PATIENT)
    await b.record(id, 4, 'After')
    expect(await seen).toEqual([
      ['2', 'RequestUriRetrieved'],
      ['3', 'ResponseVerified'],
      ['4', 'After'],
    ])
    subscriber.leave()
  })
})

describe('announcements', () => {
  /** Listens on the channel as a stranger. The service's processes do not count this listener. */
  async function eavesdrop(databaseUrl: string) {
    const client = new pg.Client({ connectionString: databaseUrl })
    const heard: (string | undefined)[] = []
    client.on('notification', ({ payload }) => heard.push(payload))
    await client.connect()
    await client.query(`LISTEN ${EVENT_CHANNEL}`)
    return {
      // Earlier notifications arrive before the answer to this query.
      heard: async () => {
        await client.query('SELECT 1')
        return heard.splice(0)
      },
      [Symbol.asyncDispose]: () => client.end(),
    }
  }

  it('are sent while another process has streams, and only then', async () => {
    const own = await createTestDatabase()
    try {
      await using sender = startEventProcess(own.url)
      await using stranger = await eavesdrop(own.url)
      const id = randomUUID()
      let seq = 0
      const record = () => sender.record(id, ++seq, `step ${seq}`)
      await record()
      await vi.waitFor(async () => expect(await listeners(own.url)).toHaveLength(1), PATIENT)
      // Streams of the same process need no announcement.
      const ownStream = await sender.subscribe(id)
      await record()
      expect((await ownStream.take(1))[0]?.[1]).toMatch(/^step/)
      await sleep(100)
      expect(await stranger.heard()).toEqual([])
      {
        await using other = startEventProcess(own.url)
        const subscriber = await other.subscribe(id)
        await subscriber.take(1)
        await vi.waitFor(async () => {
          await record()
          expect(await stranger.heard()).not.toEqual([])
        }, PATIENT)
        subscriber.leave()
      }
      // After a reconnection a process asks again which processes listen.
      await killListeners(own.url)
      await vi.waitFor(async () => {
        await record()
        await sleep(50)
        expect(await stranger.heard()).toEqual([])
      }, PATIENT)
      await vi.waitFor(async () => expect(await listeners(own.url)).toHaveLength(1), PATIENT)
      await record()
      await sleep(100)
      expect(await stranger.heard()).toEqual([])
      ownStream.leave()
    } finally {
      await own.drop()
    }
  })

  it('are sent by a process that starts while another process listens', async () => {
    const own = await createTestDatabase()
    try {
      await using other = startEventProcess(own.url)
      let missed = 0
      const unfollow = other.events.follow({ heard: () => {}, missed: () => (missed += 1) })
      await vi.waitFor(() => expect(missed).toBeGreaterThan(0), PATIENT)
      await using stranger = await eavesdrop(own.url)
      await using sender = startEventProcess(own.url)
      await sender.record(randomUUID(), 1, 'RequestCreated')
      await vi.waitFor(async () => expect(await stranger.heard()).toHaveLength(1), PATIENT)
      unfollow()
    } finally {
      await own.drop()
    }
  })

  it('reach a new listener in far less than a second', async () => {
    const own = await createTestDatabase()
    try {
      await using sender = startEventProcess(own.url)
      await sender.record(randomUUID(), 1, 'RequestCreated')
      await vi.waitFor(async () => expect(await listeners(own.url)).toHaveLength(1), PATIENT)
      await using other = startEventProcess(own.url)
      const heard: string[] = []
      let missed = 0
      const unfollow = other.events.follow({ heard: (name) => heard.push(name), missed: () => (missed += 1) })
      await vi.waitFor(() => expect(missed).toBe(1), PATIENT)
      const id = randomUUID()
      // The session has no subscriber, so no process polls for it. Only announcements can report its events.
      let seq = 0
      while (!heard.includes(other.events.nameOf(id)) && seq < 40) {
        seq += 1
        await sender.record(id, seq, `step ${seq}`)
        await sleep(20)
      }
      expect(seq).toBeLessThan(40)
      // The sender did not announce the events that happened before it knew of the listener. So it asks the listener to
      // read all events again.
      await vi.waitFor(() => expect(missed).toBe(2), PATIENT)
      unfollow()
    } finally {
      await own.drop()
    }
  })
})

describe('when the service stops', () => {
  it('every stream ends with a 503, and new streams are refused with a 503', async () => {
    await using process = startEventProcess(database.url)
    const id = await newSession()
    const subscriber = await process.subscribe(id)
    await subscriber.take(1)
    const waiting = subscriber.stream.next()
    process.events.end()
    await expect(waiting).rejects.toMatchObject({ status: 503 })
    await expect(process.subscribe(id)).rejects.toMatchObject({ status: 503 })
  })
})

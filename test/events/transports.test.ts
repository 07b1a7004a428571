import { randomUUID } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { sessionNames } from '../../server/events/announcement.js'
import type { MakeTransport } from '../../server/events/transport.js'
import { natsOptions, natsTransport } from '../../server/events/transports/nats.js'
import { redisTransport } from '../../server/events/transports/redis.js'
import { createLog } from '../../server/log/log.js'
import { listenLocally } from '../support/local-server.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'
import { type EventProcess, KEY, listeners, startEventProcess } from './actors.js'
import { hasProgram, type OwnServer, startNats, startRedis } from './servers.js'

const log = createLog('silent')
const PATIENT = { timeout: 60_000 }
const IMPATIENT = { log, answerMs: 500 }

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe.each([
  ['redis', 'redis-server', startRedis, redisTransport],
  ['nats', 'nats-server', startNats, natsTransport],
] as const)('EVENTS=%s', (transport, program, startServer, makeTransport) => {
  const urlOf = (port: number | string) => `${transport}://127.0.0.1:${port}`

  // These tests need the program of the server on the machine. Otherwise they are skipped.
  describe.skipIf(!hasProgram(program))(`with ${program}`, () => {
    let server: OwnServer
    let a: EventProcess
    let b: EventProcess
    /** Collects the announcements that a third listener receives. It listens in the same way as the service. */
    const heard: string[] = []
    let ear: ReturnType<MakeTransport>

    beforeAll(async () => {
      server = await startServer()
      const make = makeTransport({ url: urlOf(server.port), log })
      a = startEventProcess(database.url, make)
      b = startEventProcess(database.url, make)
      ear = make({ onMessage: (message) => heard.push(message), onListening: () => {} })
      ear.listen()
    })
    afterAll(async () => {
      await ear.close()
      await a[Symbol.asyncDispose]()
      await b[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    })

    const newSession = async () => {
      const id = randomUUID()
      await a.record(id, 1, 'RequestCreated')
      return id
    }

    it('announces changes to other processes, with only a name and a number', async () => {
      const id = await newSession()
      const subscriber = await b.subscribe(id)
      expect(await subscriber.take(1)).toEqual([['1', 'RequestCreated']])
      await a.record(id, 2, 'RequestUriRetrieved')
      expect(await subscriber.take(1)).toEqual([['2', 'RequestUriRetrieved']])
      await vi.waitFor(async () => {
        await a.record(id, (await seqOf(id)) + 1, 'x')
        expect(heard.length).toBeGreaterThan(0)
      }, PATIENT)
      for (const message of heard) expect(message).toMatch(/^[\w-]{22}:\d+( [\w-]{22}:\d+)*$/)
      expect(heard.join(' ')).not.toContain(id)
      // No process listens on the database.
      expect(await listeners(database.url)).toEqual([])
      subscriber.leave()
    })

    it('does not let a publisher forge an event', async () => {
      const id = await newSession()
      const subscriber = await b.subscribe(id)
      await subscriber.take(1)
      const name = sessionNames(KEY)(id)
      await ear.send([`${name}:2`, `${name}:99`, `${name}:2 {"state":"ResponseVerified"}`, 'x'.repeat(100_000), ''])
      await a.record(id, 2, 'RequestUriRetrieved')
      expect(await subscriber.take(1)).toEqual([['2', 'RequestUriRetrieved']])
      subscriber.leave()
    })

    it(`may stop and start again: every event arrives once and in order`, async () => {
      const id = await newSession()
      const subscriber = await b.subscribe(id)
      const taken = subscriber.take(31)
      for (let seq = 2; seq <= 31; seq += 1) {
        await a.record(id, seq, `state ${seq}`)
        if (seq === 8 || seq === 18) await server.stop()
        if (seq === 12 || seq === 24) await server.start()
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      expect(await taken).toEqual([
        ['1', 'RequestCreated'],
        ...Array.from({ length: 30 }, (_, at) => [String(at + 2), `state ${at + 2}`]),
      ])
      subscriber.leave()
      // Announcements arrive again, so the readers do not depend on polling only.
      heard.length = 0
      await vi.waitFor(async () => {
        await a.record(id, (await seqOf(id)) + 1, 'x')
        expect(heard.length).toBeGreaterThan(0)
      }, PATIENT)
    })
  })

  it('discards messages if the server accepts connections but never answers', async () => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => sockets.add(socket.on('error', () => socket.destroy())))
    const { port } = new URL(await listenLocally(silent))
    const sender = makeTransport({ url: urlOf(port), ...IMPATIENT })({ onMessage: () => {}, onListening: () => {} })
    await expect(sender.send(['x'])).rejects.toThrow()
    await sender.close()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => silent.close(resolve))
  })

  it('the service works while the server is unreachable, and can stop', async () => {
    const make = makeTransport({ url: urlOf(1), ...IMPATIENT })
    await using process = startEventProcess(database.url, make, { everyMs: 100 })
    const id = randomUUID()
    await process.record(id, 1, 'RequestCreated')
    const subscriber = await process.subscribe(id)
    await process.recordSilently(id, 2, 'RequestUriRetrieved')
    expect((await subscriber.take(2)).map(([seq]) => seq)).toEqual(['1', '2'])
    subscriber.leave()
  })
})

const seqOf = async (id: string): Promise<number> => {
  const [row] = await query<{ seq: number }>(
    database.url,
    'SELECT coalesce(max(seq), 1) AS seq FROM session_events WHERE session_id = $1',
    [id],
  )
  return row?.seq ?? 0
}

it.each([
  ['nats://127.0.0.1:4222', { servers: '127.0.0.1:4222' }],
  ['nats://ada:s%40crete@nats.example', { servers: 'nats.example', user: 'ada', pass: 's@crete' }],
  ['tls://a-token@nats.example:4443', { servers: 'nats.example:4443', token: 'a-token', tls: {} }],
])('NATS_URL may contain credentials: %s', (url, options) => {
  expect(natsOptions(url)).toEqual(options)
})

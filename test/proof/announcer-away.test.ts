import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { natsTransport } from '../../server/events/transports/nats.js'
import { redisTransport } from '../../server/events/transports/redis.js'
import { createLog } from '../../server/log/log.js'
import { startEventProcess } from '../events/actors.js'
import { hasProgram, startNats, startRedis } from '../events/servers.js'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'
import { inParallel, scaled } from './parallel.js'

const SESSIONS = scaled(200, 10)
/** Number of events of each session after its first event. */
const EVENTS = scaled(40, 8)
const OUTAGES = scaled(10, 1)

const log = createLog('silent')
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe.each([
  ['redis-server', startRedis, (port: number) => redisTransport({ url: `redis://127.0.0.1:${port}`, log })],
  ['nats-server', startNats, (port: number) => natsTransport({ url: `nats://127.0.0.1:${port}`, log })],
] as const)('%s', (program, startServer, transportOf) => {
  // This test needs the program of the server on the machine. Otherwise it is skipped.
  it.skipIf(!hasProgram(program))(
    `stops and starts ${OUTAGES} times while ${SESSIONS} sessions change: each of ${SESSIONS * EVENTS} events arrives once and in order`,
    async () => {
      await using server = await startServer()
      await using mover = startEventProcess(database.url, transportOf(server.port))
      await using watcher = startEventProcess(database.url, transportOf(server.port))
      let moving = true
      let outages = 0
      const outagesOver = (async () => {
        while (outages < OUTAGES) {
          await sleep(100)
          await server.stop()
          await sleep(200)
          await server.start()
          outages += 1
        }
        moving = false
      })()
      const move = async () => {
        const id = randomUUID()
        await mover.record(id, 1, 'state 1')
        const subscriber = await watcher.subscribe(id)
        const taken = subscriber.take(EVENTS + 1)
        for (let seq = 2; seq <= EVENTS + 1; seq += 1) {
          await mover.record(id, seq, `state ${seq}`)
          // The transitions are spread over the outages.
          if (moving) await sleep((OUTAGES * 300) / EVENTS)
        }
        const seen = await taken
        // If an event arrived twice, the second would arrive before this last event.
        await outagesOver
        await mover.record(id, EVENTS + 2, `state ${EVENTS + 2}`)
        seen.push(...(await subscriber.take(1)))
        subscriber.leave()
        return seen
      }
      const expected = Array.from({ length: EVENTS + 2 }, (_, at) => [String(at + 1), `state ${at + 1}`])
      for (const seen of await inParallel(SESSIONS, SESSIONS, move)) expect(seen).toEqual(expected)
    },
    600_000,
  )
})

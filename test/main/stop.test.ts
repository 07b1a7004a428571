import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/postgres.js'
import { localEnvironment, startProcess } from './process.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const BODY = JSON.stringify({ credential: 'x' })
const HEAD = `POST /credentials/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`
const GET = 'GET /health/readiness HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** A connection to a service, with what came back so far. */
async function open(
  url: string,
): Promise<{ socket: Socket; received: () => string; until: (text: string) => Promise<void> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (data) => {
    text += data
  })
  await once(socket, 'connect')
  const until = async (part: string) => {
    while (!text.includes(part)) await Promise.race([once(socket, 'data'), once(socket, 'close')])
  }
  return { socket, received: () => text, until }
}

const refusesConnections = (url: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('connect', () => resolve(false)).on('error', () => resolve(true))
    socket.on('connect', () => socket.destroy())
  })

describe('SIGTERM', () => {
  it('finishes requests under way, ends idle connections, accepts no others, and exits 0', async () => {
    await using service = startProcess({ ...localEnvironment(database.url), METRICS_PORT: '0' })
    const url = await service.url()
    const operations = await service.operationsUrl()
    expect((await fetch(`${operations}/health/readiness`)).status).toBe(200)
    const idle = await open(url)
    idle.socket.write(GET)
    await idle.until('"status":"ok"')
    const busy = await open(url)
    busy.socket.write(HEAD + BODY.slice(0, 5))
    const late = await open(url)
    late.socket.write(GET.slice(0, -2))
    // What was written has arrived when a later request on another connection is answered.
    await fetch(`${url}/health/liveness`)

    service.child.kill('SIGTERM')
    await service.logged('stopping')
    if (!idle.socket.closed) await once(idle.socket, 'close')
    expect(await refusesConnections(url)).toBe(true)

    const unready = await fetch(`${operations}/health/readiness`)
    expect([unready.status, await unready.json()]).toMatchObject([503, { error: { service: { status: 'down' } } }])
    // Readiness is down on connections that are still there, and each answer closes its own.
    late.socket.write('\r\n')
    await once(late.socket, 'close')
    expect(late.received()).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
    expect(late.received()).toMatch(/\r\nconnection: close\r\n/i)
    expect(late.received()).toContain('"service":{"status":"down"}')

    // Further signals change nothing.
    service.child.kill('SIGTERM')
    service.child.kill('SIGINT')
    expect(service.child.exitCode).toBeNull()
    busy.socket.write(BODY.slice(5))
    await once(busy.socket, 'close')
    expect(busy.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(busy.received()).toContain('"isValid":false')

    expect(await service.exit()).toBe(0)
    expect(service.stderr()).toBe('')
    expect(service.log().filter(({ msg }) => msg === 'stopping')).toHaveLength(1)
    expect(service.log().at(-1)?.msg).toBe('stopped')
  })
})

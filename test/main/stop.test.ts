import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withStartLock } from '../../server/database/start-lock.js'
import { portOf } from '../support/local-server.js'
import { createTestDatabase, query, type TestDatabase } from '../support/postgres.js'
import { localEnvironment, startProcess } from './process.js'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const BODY = JSON.stringify({ credential: 'x' })
const HEAD = `POST /credentials/verify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`
const GET = 'GET /health/readiness HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** A connection to a service, with the received bytes so far. */
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
  it('finishes current requests, ends idle connections, accepts no new connections, and exits 0', async () => {
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
    // When a later request on a second connection is answered, the bytes have arrived at the service.
    await fetch(`${url}/health/liveness`)

    service.child.kill('SIGTERM')
    await service.logged('stopping')
    if (!idle.socket.closed) await once(idle.socket, 'close')
    expect(await refusesConnections(url)).toBe(true)

    const unready = await fetch(`${operations}/health/readiness`)
    expect([unready.status, await unready.json()]).toMatchObject([503, { error: { service: { status: 'down' } } }])
    // Readiness is down on existing connections too, and each answer closes its connection.
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
    // No connection was cut off.
    const said = service.log().flatMap(({ msg }) => msg ?? [])
    expect(said.slice(said.indexOf('stopping'))).toEqual(['stopping', 'draining', 'stopped'])
  })
})

it.each([1, 2])(
  'a connection without a request does not delay a stop, and does not count as cut off, with WEB_CONCURRENCY=%i',
  async (processes) => {
    await using service = startProcess({ ...localEnvironment(database.url), WEB_CONCURRENCY: String(processes) })
    await service.logged('listening', processes)
    const url = await service.url()
    const silent = await open(url)
    // A connection on which a part of a request has arrived stays open.
    const asking = await open(url)
    asking.socket.write(GET.slice(0, 10))
    await fetch(`${url}/health/liveness`)
    service.child.kill('SIGTERM')
    await service.logged('draining', processes)
    if (!silent.socket.closed) await once(silent.socket, 'close')
    asking.socket.write(GET.slice(10))
    await once(asking.socket, 'close')
    expect([silent.received(), asking.received()]).toEqual(['', expect.stringMatching(/^HTTP\/1\.1 503 /)])
    expect(await service.exit()).toBe(0)
    const said = service.log()
    expect(said.filter(({ level }) => level > 40)).toEqual([])
    expect(said.map(({ msg }) => msg)).not.toContain('requests that did not end were cut off')
  },
)

const newSession = async (url: string) => {
  const query = [{ fields: [{ path: ['$.type'], filter: { contains: { const: 'Receipt' } } }] }]
  const answer = await fetch(`${url}/authorization-requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  return ((await answer.json()) as { verificationSessionId: string }).verificationSessionId
}

/** Opens a session's stream and waits for the first event. Returns a promise of the rest of the stream. */
async function openStream(url: string, session: string): Promise<{ rest: Promise<string> }> {
  const { body } = await fetch(`${url}/verification-sessions/${session}/events`)
  const reader = body?.getReader()
  if (reader === undefined) throw new Error('There is no stream.')
  await reader.read()
  const rest = async () => {
    let text = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text
      text += new TextDecoder().decode(value)
    }
  }
  return { rest: rest() }
}

const notReady = async (url: string) => {
  const answer = await fetch(`${url}/health/readiness`)
  return [answer.status, ((await answer.json()) as { error: unknown }).error]
}

describe('SHUTDOWN_DELAY_SECONDS', () => {
  it.each([1, 2])(
    'still serves while readiness is down, until a second signal, with WEB_CONCURRENCY=%i',
    async (processes) => {
      await using service = startProcess({
        ...localEnvironment(database.url),
        WEB_CONCURRENCY: String(processes),
        SHUTDOWN_DELAY_SECONDS: '300',
        METRICS_PORT: '0',
        RATE_LIMIT_MAX: '0',
      })
      await service.logged('listening', processes)
      const url = await service.url()
      const operations = await service.operationsUrl()
      const session = await newSession(url)
      const before = await openStream(url, session)

      service.child.kill('SIGTERM')
      await service.logged('stopping', processes)
      expect(await notReady(operations)).toMatchObject([503, { service: { status: 'down' } }])
      // Requests are still served, also on new connections. Each request is the last on its connection.
      for (let asked = 0; asked < 2 * processes; asked += 1) {
        const answer = await fetch(`${url}/version`)
        expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close'])
      }
      expect(await notReady(url)).toMatchObject([503, { service: { status: 'down' } }])
      const during = await openStream(url, session)
      const busy = await open(url)
      busy.socket.write(HEAD + BODY.slice(0, 5))
      await fetch(`${url}/version`)
      expect(service.log().filter(({ msg }) => msg === 'draining')).toEqual([])

      service.child.kill('SIGINT')
      await service.logged('draining', processes)
      // Streams end properly, and current requests are answered.
      expect(await Promise.all([before.rest, during.rest])).toEqual(['', ''])
      busy.socket.write(BODY.slice(5))
      await once(busy.socket, 'close')
      expect(busy.received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(await service.exit()).toBe(0)
      expect(service.stderr()).toBe('')
      expect(service.log().filter(({ msg }) => msg === 'stopped')).toHaveLength(processes)
    },
  )

  it('a worker treats only the message of its primary as the second signal, because process managers signal every process', async () => {
    await using service = startProcess({
      ...localEnvironment(database.url),
      WEB_CONCURRENCY: '2',
      SHUTDOWN_DELAY_SECONDS: '300',
    })
    const workers = await service.logged('listening', 2)
    service.child.kill('SIGTERM')
    for (const { pid } of workers) process.kill(Number(pid), 'SIGTERM')
    await service.logged('stopping', 2)
    for (const { pid } of workers) process.kill(Number(pid), 'SIGTERM')
    const answer = await fetch(`${await service.url()}/version`)
    expect([answer.status, service.log().filter(({ msg }) => msg === 'draining')]).toEqual([200, []])
    service.child.kill('SIGTERM')
    expect(await service.exit()).toBe(0)
  })

  it('ends without a further signal', async () => {
    await using service = startProcess({ ...localEnvironment(database.url), SHUTDOWN_DELAY_SECONDS: '1' })
    await service.url()
    service.child.kill('SIGTERM')
    expect(await service.exit()).toBe(0)
    const [stopping, draining] = service.log().filter(({ msg }) => msg === 'stopping' || msg === 'draining')
    expect(stopping).toMatchObject({ signal: 'SIGTERM', delaySeconds: 1 })
    expect(Number(draining?.time) - Number(stopping?.time)).toBeGreaterThanOrEqual(990)
  })
})

describe('a signal before the start is complete', () => {
  const waitsForAnother = () =>
    query(
      database.url,
      `SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
       WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()`,
    ).then(({ length }) => length)

  it.each([
    ['main.js', 'SIGTERM', 143],
    ['main.js', 'SIGINT', 130],
    ['process/prepare.js', 'SIGTERM', 143],
  ] as const)(
    'is handled by %s; without a handler, the first process of a container would not receive %s',
    async (program, signal, code) => {
      await withStartLock(database.url, async () => {
        await using starting = startProcess(localEnvironment(database.url), program)
        await expect.poll(waitsForAnother).toBe(1)
        starting.child.kill(signal)
        expect(await starting.exit()).toBe(code)
      })
    },
  )
})

/**
 * A proxy in front of a database. On command it stops forwarding, also on new connections, but closes no connection.
 */
async function freezable(databaseUrl: string): Promise<{ url: string; freeze: () => void } & AsyncDisposable> {
  const sockets: Socket[] = []
  let isFrozen = false
  const server = createServer((near) => {
    const far = connect(Number(new URL(databaseUrl).port), '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => {})
    if (!isFrozen) near.pipe(far).pipe(near)
    sockets.push(near, far)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  return {
    url: Object.assign(new URL(databaseUrl), { port: String(port) }).href,
    freeze: () => {
      isFrozen = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

// These cases mostly wait, so they run at the same time.
it.concurrent.each([1, 2])(
  'a database that does not answer does not delay a stop: after five seconds the process exits 1, with WEB_CONCURRENCY=%i',
  async (processes) => {
    await using frozen = await freezable(database.url)
    await using service = startProcess({ ...localEnvironment(frozen.url), WEB_CONCURRENCY: String(processes) })
    await service.logged('listening', processes)
    const url = await service.url()
    expect((await fetch(`${url}/health/readiness`)).status).toBe(200)
    frozen.freeze()
    expect((await fetch(`${url}/health/readiness`)).status).toBe(503)
    service.child.kill('SIGTERM')
    expect(await service.exit()).toBe(1)
    const said = service.log()
    expect(said.filter(({ msg }) => msg === 'stopping failed')).toHaveLength(processes)
    const timeOf = (message: string) => Number(said.find(({ msg }) => msg === message)?.time)
    expect(timeOf('stopping failed') - timeOf('draining')).toBeGreaterThanOrEqual(4_900)
    expect(timeOf('stopping failed') - timeOf('draining')).toBeLessThan(20_000)
  },
)

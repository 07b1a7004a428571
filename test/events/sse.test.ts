import { connect } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createPings } from '../../server/events/pings.js'
import { sendEventStream } from '../../server/http/sse.js'
import { readEvents } from '../issuer/openid4vci/event-reader.js'
import { closeServer, portOf } from '../support/local-server.js'
import { query } from '../support/postgres.js'
import { startService, type TestService } from '../support/service.js'
import { type Asked, ask, dcql, fetchRequest, postForm } from '../verifier/actors.js'

let service: TestService
let authorization: string

beforeAll(async () => {
  service = await startService({ pingEveryMs: 300 })
  authorization = await service.bearer('verifier')
})
afterAll(() => service.close())

const newSession = () => ask(service, { dcqlQuery: dcql(service, 'dc+sd-jwt'), responseMode: 'direct_post' })
const pathOf = (asked: Asked) => `/verification-sessions/${asked.verificationSessionId}/events`
const open = (asked: Asked, headers: Record<string, string> = {}) =>
  readEvents(service, pathOf(asked), { authorization, ...headers })

async function nextSession(stream: Awaited<ReturnType<typeof open>>) {
  for (;;) {
    const event = await stream.next()
    if (event.event === 'session') return { id: event.id, session: JSON.parse(event.data ?? '') }
  }
}

describe('GET /verification-sessions/{sessionId}/events', () => {
  it('sends the complete session at once as a named event, with its position as id', async () => {
    const asked = await newSession()
    await using stream = await open(asked)
    expect(stream.status).toBe(200)
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    expect(stream.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(stream.headers.get('x-accel-buffering')).toBe('no')
    const read = await service.request('GET', pathOf(asked).replace('/events', ''), { authorization })
    expect(await nextSession(stream)).toEqual({ id: '1', session: read.json })
  })

  it('sends every change, and stays open after the final one', async () => {
    const asked = await newSession()
    await using stream = await open(asked)
    await nextSession(stream)
    const { response_uri, state } = await fetchRequest(asked)
    expect(await nextSession(stream)).toMatchObject({ id: '2', session: { state: 'RequestUriRetrieved' } })
    await postForm(response_uri, { error: 'access_denied', state })
    expect(await nextSession(stream)).toMatchObject({
      id: '3',
      session: { state: 'Error', errorMessage: 'Wallet answered access_denied.' },
    })
    expect(await stream.next()).toEqual({ event: 'ping', data: 'keepalive' })
    expect(await stream.next()).toEqual({ event: 'ping', data: 'keepalive' })
  })

  it('does not send a change whose commit fails, even if its statement was answered', async () => {
    const asked = await newSession()
    await using stream = await open(asked)
    await nextSession(stream)
    await query(
      service.databaseUrl,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
       CREATE CONSTRAINT TRIGGER refused AFTER UPDATE ON verification_sessions
         DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
    )
    const refused = await fetch(asked.request_uri)
    await query(service.databaseUrl, 'DROP TRIGGER refused ON verification_sessions')
    expect(refused.status).toBe(500)
    const next = nextSession(stream)
    expect(await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 500, 'nothing'))])).toBe('nothing')
    await fetchRequest(asked)
    expect(await next).toMatchObject({ id: '2', session: { state: 'RequestUriRetrieved' } })
  })

  it('continues after Last-Event-ID, or shows the current state again', async () => {
    const asked = await newSession()
    await fetchRequest(asked)
    await using behind = await open(asked, { 'last-event-id': '1' })
    expect(await nextSession(behind)).toMatchObject({ id: '2', session: { state: 'RequestUriRetrieved' } })
    await using level = await open(asked, { 'last-event-id': '2' })
    expect(await nextSession(level)).toMatchObject({ id: '2', session: { state: 'RequestUriRetrieved' } })
  })

  it('needs a token, refuses an unknown query member, and has no other method', async () => {
    const asked = await newSession()
    expect((await service.request('GET', pathOf(asked))).json.message).toBe('Unauthorized')
    const query = await service.request('GET', `${pathOf(asked)}?from=1`, { authorization })
    expect([query.status, query.json.message]).toEqual([400, ['property from should not exist']])
    expect((await service.request('POST', pathOf(asked), { authorization })).status).toBe(404)
  })

  it('sends only the head for HEAD, and does not watch the session', async () => {
    const asked = await newSession()
    const head = await fetch(`${service.url}${pathOf(asked)}`, { method: 'HEAD', headers: { authorization } })
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'text/event-stream', ''])
    const unknown = pathOf(asked).replace(asked.verificationSessionId, crypto.randomUUID())
    const refused = await fetch(`${service.url}${unknown}`, { method: 'HEAD', headers: { authorization } })
    expect(refused.status).toBe(500)
    expect((await fetch(`${service.url}${pathOf(asked)}`, { method: 'HEAD' })).status).toBe(401)
  })

  it('is ended properly when the service stops', async () => {
    const stopping = await startService({
      identityProvider: service.identityProvider,
      databaseUrl: service.databaseUrl,
    })
    try {
      const asked = await newSession()
      const response = await fetch(`${stopping.url}${pathOf(asked)}`, { headers: { authorization } })
      const reader = response.body?.getReader()
      await reader?.read()
      stopping.platform.events.end()
      await expect(reader?.read()).resolves.toMatchObject({ done: true })
    } finally {
      await stopping.close()
    }
  })
})

/**
 * Starts an Express route for a stream that the test makes. The pings come so often that the test can wait for them.
 */
async function serve(stream: () => AsyncIterable<readonly [string, unknown]>, everyMs: number) {
  const pings = createPings(everyMs, 3)
  const errors: unknown[] = []
  const failures = { logged: (thrown: unknown) => void errors.push(thrown) }
  const app = express()
  const closed = vi.fn()
  app.get('/', (request, response) => {
    response.on('close', closed)
    void sendEventStream(request, response, { pings, failures }, stream(), 'session')
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    port: portOf(server),
    closed,
    errors,
    [Symbol.asyncDispose]: async () => {
      pings.close()
      await closeServer(server)
    },
  }
}

describe('a slow reader', () => {
  it('has a limited buffer, and is disconnected if it reads nothing for two pings', async () => {
    let produced = 0
    async function* endless() {
      for (;;) {
        produced += 1
        yield [String(produced), 'x'.repeat(65_536)] as const
      }
    }
    await using server = await serve(endless, 200)
    const socket = connect(server.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
    socket.pause()
    await vi.waitFor(() => expect(server.closed).toHaveBeenCalled(), { timeout: 60_000 })
    // The stream is endless, but it produced only some megabytes: enough to fill the kernel's buffers, and one more
    // event.
    expect(produced).toBeLessThan(500)
    socket.destroy()
  })

  it('that reads its events stays connected', async () => {
    const last = 200
    async function* bounded() {
      for (let count = 1; count <= last; count += 1) yield [String(count), 'x'.repeat(65_536)] as const
    }
    await using server = await serve(bounded, 100)
    const response = await fetch(`http://127.0.0.1:${server.port}/`)
    const text = await response.text()
    expect(text.match(/^id: \d+$/gm)).toHaveLength(last)
    expect(text).toContain(`id: ${last}\nevent: session\ndata: "x`)
  })
})

describe('pings', () => {
  it('come at their interval, with one timer for all streams', async () => {
    async function* silent() {
      yield ['1', {}] as const
      await new Promise(() => {})
    }
    const timers = vi.spyOn(globalThis, 'setInterval')
    await using server = await serve(silent, 60)
    const made = timers.mock.calls.length
    const streams = await Promise.all(Array.from({ length: 5 }, () => fetch(`http://127.0.0.1:${server.port}/`)))
    for (const { body } of streams) {
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      while ((text.match(/event: ping\ndata: keepalive\n\n/g) ?? []).length < 3) text += (await reader?.read())?.value
      expect(text.startsWith('id: 1\nevent: session\ndata: {}\n\n')).toBe(true)
      await reader?.cancel()
    }
    expect(timers.mock.calls.length).toBe(made)
    timers.mockRestore()
  })

  it('come every 15 seconds by default', () => {
    vi.useFakeTimers()
    const pings = createPings()
    const write = vi.fn()
    pings.add({ write, writableNeedDrain: false, on: () => {}, once: () => {} } as never)
    vi.advanceTimersByTime(14_999)
    expect(write).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(write.mock.calls).toEqual([['event: ping\ndata: keepalive\n\n']])
    vi.advanceTimersByTime(15_000)
    expect(write).toHaveBeenCalledTimes(2)
    pings.close()
    vi.useRealTimers()
  })
})

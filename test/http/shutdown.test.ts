import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { closeServer, watchConnections } from '../../server/http/shutdown.js'
import { listenLocally } from '../support/local-server.js'

const HALF = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n1'

let server: Server
let socket: Socket

/** Opens a connection and sends a text. Resolves when the server has received the text. */
async function connected(sent: string): Promise<Socket> {
  const arrived = once(server, sent === '' ? 'connection' : 'request')
  const opened = connect(Number(new URL(await listenLocally(server)).port), '127.0.0.1').on('error', () => {})
  await once(opened, 'connect')
  opened.write(sent)
  await arrived
  return opened
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  server = createServer((request, response) => request.resume().on('end', () => response.end()))
  watchConnections(server)
})
afterEach(() => {
  vi.useRealTimers()
  socket.destroy()
})

describe('a server that stops', () => {
  it('gives current requests 25 seconds, then ends longer requests and reports this', async () => {
    socket = await connected(HALF)
    const closing = closeServer(server)
    await vi.advanceTimersByTimeAsync(24_999)
    expect(socket.closed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await closing).toBe(true)
    if (!socket.closed) await once(socket, 'close')
  })

  it('reports no cut-off request if all requests end within that time', async () => {
    socket = await connected(HALF)
    const closing = closeServer(server)
    await vi.advanceTimersByTimeAsync(24_999)
    socket.write('2')
    expect(await closing).toBe(false)
  })

  it('waits a second for connections without a request, and reports no cut-off request', async () => {
    socket = await connected('')
    const closing = closeServer(server)
    await vi.advanceTimersByTimeAsync(999)
    expect(socket.closed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await closing).toBe(false)
  })
})

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Time that open requests have to end when the process stops. */
const STOP_TIMEOUT_MS = 25_000
/** Time between two checks for idle connections. */
const IDLE_CHECK_MS = 50
/** Time in which a connection that has not sent anything yet may still send a request. */
const SILENT_MS = 1_000

const connectionsOf = new WeakMap<Server, Set<Socket>>()

/**
 * Records a server's connections for {@link closeServer}; call it before the server listens. Browsers and balancers open
 * connections in advance, and Node does not treat a connection as idle before its first request.
 */
export function watchConnections(server: Server): void {
  const open = new Set<Socket>()
  connectionsOf.set(server, open)
  server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
}

function closeSilentConnections(server: Server): void {
  for (const socket of connectionsOf.get(server) ?? []) if (socket.bytesRead === 0) socket.destroy()
}

/**
 * Ends each connection after its next answer, so that clients open new connections, if possible to a different process.
 */
export function endConnections(server: Server): void {
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
}

/**
 * Stops accepting connections and waits until the open requests are answered. After 25 seconds, open requests are cut
 * off. Connections without a request are cut off after one second. Call {@link endConnections} before, so that answers
 * end their connections.
 *
 * @returns true if a request was cut off
 */
export async function closeServer(server: Server): Promise<boolean> {
  let isCut = false
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Idle connections are closed repeatedly. Otherwise, connections that had an open request when the server closed
  // would stay open and wait for their next request.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const silent = setTimeout(closeSilentConnections, SILENT_MS, server)
  const cut = setTimeout(() => {
    isCut = true
    server.closeAllConnections()
  }, STOP_TIMEOUT_MS)
  await closed
  clearInterval(idle)
  clearTimeout(silent)
  clearTimeout(cut)
  return isCut
}

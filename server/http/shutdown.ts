import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** How long requests may take to end after the process was told to stop. */
const STOP_TIMEOUT_MS = 25_000
/** How often connections that have become idle are looked for. */
const IDLE_CHECK_MS = 50
/** How long a connection on which nothing has arrived may still bring a request. */
const SILENT_MS = 1_000

const connectionsOf = new WeakMap<Server, Set<Socket>>()

/**
 * From its beginning: what {@link closeServer} must know of connections. Node takes none for idle before its first request, though
 * browsers and balancers open some beforehand.
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

/** From now on each answer is the last one of its connection: whoever asks again opens another, elsewhere where it can. */
export function endConnections(server: Server): void {
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
}

/**
 * Stops accepting connections and waits until the requests under way are answered; those that take longer than 25
 * seconds are cut off, and connections that have asked nothing after a second. Answers must end their connections by then.
 *
 * @returns whether any were cut off
 */
export async function closeServer(server: Server): Promise<boolean> {
  let isCut = false
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Connections that were busy when the server closed would otherwise stay open, waiting for a next request.
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

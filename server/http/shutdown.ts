import type { Server } from 'node:http'

/** How long requests may take to end after the process was told to stop. */
const STOP_TIMEOUT_MS = 25_000
/** How often connections that have become idle are looked for. */
const IDLE_CHECK_MS = 50

/** From now on each answer is the last one of its connection: whoever asks again opens another, elsewhere where it can. */
export function endConnections(server: Server): void {
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
}

/**
 * Stops accepting connections and waits until the requests under way are answered; those that take longer than 25
 * seconds are cut off. Answers must end their connections by then.
 *
 * @returns whether any were cut off
 */
export async function closeServer(server: Server): Promise<boolean> {
  let isCut = false
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  // Connections that were busy when the server closed would otherwise stay open, waiting for a next request.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const cut = setTimeout(() => {
    isCut = true
    server.closeAllConnections()
  }, STOP_TIMEOUT_MS)
  await closed
  clearInterval(idle)
  clearTimeout(cut)
  return isCut
}

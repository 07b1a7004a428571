import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'

/** The port of a server that listens. */
export function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port.')
  return address.port
}

/** Makes a server listen on a free port of the loopback interface. @returns its address, `http://127.0.0.1:<port>` */
export async function listenLocally(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${portOf(server)}`
}

/** Closes a server and all its connections. */
export async function closeServer(server: HttpServer): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { KEPT_ALIVE } from '../support/kept-alive.js'
import { portOf } from '../support/local-server.js'

export interface WebDocument {
  /** The documents by path. Text and bytes are sent unchanged, other values as JSON. */
  readonly body: unknown
  readonly type?: string
  readonly status?: number
  /** The address to which an answer redirects. */
  readonly location?: string
}

/**
 * Starts the web server of another party on the loopback interface. It serves `documents` by path, and answers 404 for
 * other paths.
 */
export interface WebServer extends AsyncDisposable {
  readonly port: number
  readonly documents: Map<string, WebDocument>
  /** The requested paths. */
  readonly requests: string[]
  /** The `Accept` header of each request. */
  readonly accepts: (string | undefined)[]
}

/** @param tls certificate and key, for https */
export async function startWebServer(tls?: { readonly cert: string; readonly key: string }): Promise<WebServer> {
  const documents = new Map<string, WebDocument>()
  const requests: string[] = []
  const accepts: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const server = tls === undefined ? createServer(KEPT_ALIVE) : createTlsServer({ ...tls, ...KEPT_ALIVE })
  server.on('connection', (socket) => sockets.add(socket))
  server.on('request', (request, response) => {
    requests.push(request.url ?? '')
    accepts.push(request.headers.accept)
    const {
      body,
      type = 'application/json',
      status = 200,
      location,
    } = documents.get(request.url ?? '') ?? { body: {}, status: 404 }
    response
      .writeHead(status, { 'content-type': type, ...(location === undefined ? {} : { location }) })
      .end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: portOf(server),
    documents,
    requests,
    accepts,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

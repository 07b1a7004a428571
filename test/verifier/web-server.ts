import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { KEPT_ALIVE } from '../support/kept-alive.js'

export interface WebDocument {
  /** Sent as it is where it is text or bytes, else as JSON. */
  readonly body: unknown
  readonly type?: string
  readonly status?: number
}

/** A stranger's web server on the loopback interface: whatever stands in `documents` under a path, 404 else. */
export interface WebServer extends AsyncDisposable {
  readonly port: number
  readonly documents: Map<string, WebDocument>
  /** Paths that were asked for. */
  readonly requests: string[]
  /** The `Accept` of each. */
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
    } = documents.get(request.url ?? '') ?? { body: {}, status: 404 }
    response
      .writeHead(status, { 'content-type': type })
      .end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    documents,
    requests,
    accepts,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

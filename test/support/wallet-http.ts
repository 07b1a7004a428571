import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { KEPT_ALIVE } from './kept-alive.js'
import { closeServer, listenLocally } from './local-server.js'

/** A request that an independent party has received. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly url: string
  readonly headers: Headers
  readonly text: string
}

export interface RemoteAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The body of the response: a string, or a value that is sent as JSON. */
  readonly body?: unknown
  /** Writes the response itself, for answers that never end. */
  readonly raw?: (response: ServerResponse) => void
}

export type RemoteHandler = (request: SeenRequest) => Promise<RemoteAnswer> | RemoteAnswer

export interface RemoteServer extends AsyncDisposable {
  readonly url: string
  readonly seen: readonly SeenRequest[]
  close(): Promise<void>
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function send(answer: RemoteAnswer, response: ServerResponse): void {
  if (answer.raw !== undefined) {
    answer.raw(response)
    return
  }
  const isText = typeof answer.body === 'string'
  response.writeHead(answer.status ?? 200, {
    'content-type': isText ? 'text/plain' : 'application/json',
    ...answer.headers,
  })
  response.end(answer.body === undefined ? undefined : isText ? answer.body : JSON.stringify(answer.body))
}

/** An HTTP server of another party, on a loopback port. Paths without a handler answer 404. */
export async function startRemoteServer(
  routes: (url: string) => Readonly<Record<string, RemoteHandler>>,
): Promise<RemoteServer> {
  const seen: SeenRequest[] = []
  let handlers: Readonly<Record<string, RemoteHandler>> = {}
  const server = createServer(KEPT_ALIVE, async (incoming, response) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://remote')
    const request: SeenRequest = {
      method: incoming.method ?? '',
      path: pathname,
      url: incoming.url ?? '',
      headers: new Headers(incoming.headers as Record<string, string>),
      text: await readText(incoming),
    }
    seen.push(request)
    const handler = handlers[pathname]
    try {
      send(handler === undefined ? { status: 404, body: {} } : await handler(request), response)
    } catch (error) {
      send({ status: 500, body: { error: 'server_error', error_description: String(error) } }, response)
    }
  })
  const url = await listenLocally(server)
  handlers = routes(url)
  const close = () => closeServer(server)
  return { url, seen, close, [Symbol.asyncDispose]: close }
}

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { KEPT_ALIVE } from '../support/kept-alive.js'
import { closeServer, portOf } from '../support/local-server.js'

export interface SeenRequest {
  readonly method: string
  /** Path and query, as they arrived. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/** A proxy between a client and the service, which records the traffic. */
export interface Front extends AsyncDisposable {
  readonly url: string
  readonly seen: SeenRequest[]
  /** Makes the front answer the next request itself. */
  answerNext(answer: (response: ServerResponse, request: SeenRequest) => void): void
  /** Breaks every connection that is open. */
  cut(): void
}

async function passOn(answer: IncomingMessage, rewrite: (body: string) => string, response: ServerResponse) {
  const { 'content-length': _length, ...headers } = answer.headers
  response.writeHead(answer.statusCode ?? 502, headers).end(rewrite(await text(answer)))
}

/**
 * @param target the service's address; if it is missing, the front answers 502
 * @param rewrite changes the service's answers, except streams
 */
export async function startFront(target?: string, rewrite?: (body: string) => string): Promise<Front> {
  const seen: SeenRequest[] = []
  const answers: ((response: ServerResponse, request: SeenRequest) => void)[] = []
  const server = createServer(KEPT_ALIVE, (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    seen.push({ method, url, headers })
    const own = answers.shift()
    if (own !== undefined) return own(response, { method, url, headers })
    if (target === undefined)
      return response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>')
    const onward = send(`${target}${url}`, { method, headers }, (answer) => {
      answer.on('error', () => response.destroy())
      const isStream = answer.headers['content-type'] === 'text/event-stream'
      if (rewrite !== undefined && !isStream) return void passOn(answer, rewrite, response)
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    seen,
    answerNext: (answer) => answers.push(answer),
    cut: () => server.closeAllConnections(),
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

import { createServer, type IncomingMessage } from 'node:http'
import { closeServer, listenLocally } from '../support/local-server.js'

/** The answer of an address of the list server. */
export interface Published {
  readonly body: Uint8Array | string
  readonly status?: number
  readonly etag?: string
  readonly lastModified?: string
  /** Milliseconds before the answer. */
  readonly delayMs?: number
  /** The answer is sent when this promise is fulfilled. */
  readonly after?: Promise<void>
}

/** Starts a server that publishes trusted lists. Its addresses answer what the test sets. */
export async function startListServer() {
  const published = new Map<string, Published>()
  const requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push({ path, headers: request.headers })
    const found = published.get(path)
    if (found === undefined) {
      response.writeHead(404).end()
      return
    }
    const { body, status = 200, etag, lastModified, delayMs = 0, after = Promise.resolve() } = found
    const isKnown =
      (etag !== undefined && request.headers['if-none-match'] === etag) ||
      (lastModified !== undefined && request.headers['if-modified-since'] === lastModified)
    const validators = { ...(etag && { etag }), ...(lastModified && { 'last-modified': lastModified }) }
    const answer = () => {
      response.writeHead(isKnown ? 304 : status, validators)
      response.end(isKnown ? undefined : body)
    }
    void after.then(() => setTimeout(answer, delayMs))
  })
  const url = await listenLocally(server)
  return {
    url,
    requests,
    publish: (path: string, what: Published) => published.set(path, what),
    withdraw: (path: string) => published.delete(path),
    close: () => closeServer(server),
  }
}

export type ListServer = Awaited<ReturnType<typeof startListServer>>

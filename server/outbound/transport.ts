import type { IncomingHttpHeaders } from 'node:http'
import { Agent } from 'undici'
import { type ConnectRules, createConnector } from './connect.js'
import type { Destinations } from './destination.js'
import { tooLarge, transportFailure } from './outbound-error.js'
import { INTERNAL_HEADER } from './own-origin.js'

export interface TransportOptions extends Pick<ConnectRules, 'lookup' | 'isPublicAddress' | 'ca'> {
  readonly destinations: Destinations
  readonly ownRequestMac?: ((method: string, url: URL) => string) | undefined
  readonly timeoutMs: number
}

/** One request of a chain of redirects. */
export interface Hop {
  readonly url: URL
  readonly headers: Headers
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The bytes as received, not decompressed. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Sends single requests. It follows no redirects and decompresses nothing. */
export interface Transport {
  /**
   * Sends one request. @throws {OutboundError}, also for an answer longer than `maxBytes`; or throws the signal's
   * reason.
   */
  send(hop: Hop, method: string, body: Uint8Array | null, signal: AbortSignal, maxBytes: number): Promise<Answer>
  close(): Promise<void>
}

/** Reads a body up to the limit. If it throws, the rest of the body stays unread and the connection is closed. */
async function readBytes(
  body: AsyncIterable<Uint8Array>,
  host: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(host, maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

/**
 * Makes a transport that has separate connections for each origin. All connections are opened by the connector, which
 * checks addresses.
 */
export function createTransport(options: TransportOptions): Transport {
  const { destinations, ownRequestMac } = options
  const agent = new Agent({
    connect: createConnector({ ...options, mayBePrivate: destinations.mayBePrivate }),
    // An address is checked only when its connection is opened. So a connection must not stay open longer than an
    // answer of the resolver is valid.
    keepAliveMaxTimeout: 10_000,
  })

  let closing: Promise<void> | undefined

  const internalMark = (method: string, url: URL): Record<string, string> =>
    ownRequestMac !== undefined && destinations.isOwn(url) ? { [INTERNAL_HEADER]: ownRequestMac(method, url) } : {}

  return {
    async send({ url, headers }, method, body, signal, maxBytes) {
      destinations.check(url)
      try {
        const answer = await agent.request({
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method,
          headers: { ...Object.fromEntries(headers), ...internalMark(method, url) },
          body,
          signal,
        })
        return {
          status: answer.statusCode,
          headers: answer.headers,
          bytes: await readBytes(answer.body, url.host, maxBytes),
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw transportFailure(error, url.host)
      }
    },
    close() {
      closing ??= agent.close()
      return closing
    },
  }
}

import type { IncomingHttpHeaders } from 'node:http'
import { Agent } from 'undici'
import { type ConnectRules, createConnector } from './connect.js'
import type { Destinations } from './destination.js'
import { transportFailure } from './outbound-error.js'
import { INTERNAL_HEADER } from './own-origin.js'

export interface TransportOptions extends Pick<ConnectRules, 'lookup' | 'isPublicAddress' | 'ca'> {
  readonly destinations: Destinations
  readonly ownRequestMac?: ((method: string, url: URL) => string) | undefined
  readonly timeoutMs: number
  readonly maxBytes: number
}

/** One address to ask, and what to say there. */
export interface Hop {
  readonly url: URL
  readonly headers: Headers
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** As sent: not decompressed. */
  readonly bytes: Uint8Array
}

/** Sends requests of one hop each: no redirects, no decompression. */
export interface Transport {
  /** @throws {OutboundError}, or the signal's reason. */
  send(hop: Hop, method: string, body: Uint8Array | null, signal: AbortSignal): Promise<Answer>
  close(): Promise<void>
}

/** Connections are kept for each origin apart; all of them are made by the connector that judges addresses. */
export function createTransport(options: TransportOptions): Transport {
  const { destinations, ownRequestMac, maxBytes } = options
  const agent = new Agent({
    connect: createConnector({ ...options, mayBePrivate: destinations.mayBePrivate }),
    maxResponseSize: maxBytes,
    // Addresses are checked when connecting: a server must not keep a connection longer than a resolver's answer is valid.
    keepAliveMaxTimeout: 10_000,
  })

  let closing: Promise<void> | undefined

  const internalMark = (method: string, url: URL): Record<string, string> =>
    ownRequestMac !== undefined && destinations.isOwn(url) ? { [INTERNAL_HEADER]: ownRequestMac(method, url) } : {}

  return {
    async send({ url, headers }, method, body, signal) {
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
        return { status: answer.statusCode, headers: answer.headers, bytes: await answer.body.bytes() }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw transportFailure(error, url.host, maxBytes)
      }
    },
    close() {
      closing ??= agent.close()
      return closing
    },
  }
}

import type { IncomingHttpHeaders } from 'node:http'
import { Agent } from 'undici'
import { sha256 } from '../keys/secret-hash.js'
import { type ClientCertificate, type ConnectRules, createAddressCheck, createConnector } from './connect.js'
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

/** The limit for a body. */
export interface BodyLimit {
  readonly maxBytes: number
  /** True if the beginning of a longer body is enough. Otherwise a longer body is an error. */
  readonly cut: boolean
}

/** Sends single requests. It follows no redirects and decompresses nothing. */
export interface Transport {
  /** The same transport with a client certificate. It has connections of its own, which are kept. */
  with(certificate: ClientCertificate | undefined): Pick<Transport, 'send'>
  /**
   * Sends one request. @throws {OutboundError}, also for an answer that exceeds the limit; or throws the signal's
   * reason.
   */
  send(hop: Hop, method: string, body: Uint8Array | null, signal: AbortSignal, limit: BodyLimit): Promise<Answer>
  /** Checks that an address may be connected to. @throws {OutboundError} `address` or `connect` */
  check(url: URL): Promise<void>
  close(): Promise<void>
}

/** The number of client certificates whose connections are kept at the same time. */
const MAX_CERTIFICATES = 64

/** Reads a body up to the limit. The rest of a longer body stays unread, and the connection is closed. */
async function readBytes(
  body: AsyncIterable<Uint8Array>,
  host: string,
  { maxBytes, cut }: BodyLimit,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxBytes && !cut) throw tooLarge(host, maxBytes)
    chunks.push(chunk)
    if (size > maxBytes) return Buffer.concat(chunks, maxBytes)
  }
  return Buffer.concat(chunks, size)
}

/**
 * Makes a transport that has separate connections for each origin. All connections are opened by the connector, which
 * checks addresses.
 */
export function createTransport(options: TransportOptions): Transport {
  const { destinations, ownRequestMac } = options
  const agentWith = (clientCertificate: ClientCertificate | undefined) =>
    new Agent({
      connect: createConnector({ ...options, clientCertificate, mayBePrivate: destinations.mayBePrivate }),
      // An address is checked only when its connection is opened. So a connection must not stay open longer than an
      // answer of the resolver is valid.
      keepAliveMaxTimeout: 10_000,
    })
  const plain = agentWith(undefined)
  const certified = new Map<string, Agent>()

  /** The agent of a certificate. The least recently used agents are closed. */
  const agentOf = (certificate: ClientCertificate): Agent => {
    const name = sha256(`${certificate.certificate}\n${certificate.key}`)
    const agent = certified.get(name) ?? agentWith(certificate)
    certified.delete(name)
    certified.set(name, agent)
    const [oldest] = certified.keys()
    if (certified.size > MAX_CERTIFICATES && oldest !== undefined) {
      certified.get(oldest)?.close()
      certified.delete(oldest)
    }
    return agent
  }

  let closing: Promise<void> | undefined

  const internalMark = (method: string, url: URL): Record<string, string> =>
    ownRequestMac !== undefined && destinations.isOwn(url) ? { [INTERNAL_HEADER]: ownRequestMac(method, url) } : {}

  const sendBy =
    (agent: Agent): Transport['send'] =>
    async ({ url, headers }, method, body, signal, limit) => {
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
          bytes: await readBytes(answer.body, url.host, limit),
        }
      } catch (error) {
        if (signal.aborted) throw signal.reason
        throw transportFailure(error, url.host)
      }
    }

  const send = sendBy(plain)
  return {
    send,
    check: createAddressCheck({ ...options, mayBePrivate: destinations.mayBePrivate }),
    with: (certificate) => ({ send: certificate === undefined ? send : sendBy(agentOf(certificate)) }),
    close() {
      closing ??= Promise.all([plain, ...certified.values()].map((agent) => agent.close())).then(() => undefined)
      return closing
    },
  }
}

import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { isPublicAddress } from '../../server/outbound/address.js'
import type { Lookup } from '../../server/outbound/connect.js'
import { createOutbound, type Outbound, type OutboundOptions } from '../../server/outbound/guard.js'
import { portOf } from '../support/local-server.js'
import { isProtocolPath } from './protocol-paths.js'
import { CERTIFICATE, PRIVATE_KEY } from './wallet-example-certificate.js'

export interface TestServer {
  readonly port: number
  readonly requests: IncomingMessage[]
  /** The number of TCP connections that were opened, with or without a request. */
  readonly connections: () => number
}

async function listen(server: Server, sockets: Set<Socket>): Promise<number> {
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return portOf(server)
}

/** An HTTP server on the loopback interface that records its requests. It ends with the test. */
export async function startServer(answer: RequestListener): Promise<TestServer> {
  const requests: IncomingMessage[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  return { port: await listen(server, sockets), requests, connections: () => sockets.size }
}

/**
 * The same server with TLS and a certificate for `wallet.example`. It records the host names that clients send (SNI).
 */
export async function startTlsServer(answer: RequestListener): Promise<TestServer & { readonly names: unknown[] }> {
  const requests: IncomingMessage[] = []
  const names: unknown[] = []
  const sockets = new Set<Socket>()
  const server = createTlsServer({ cert: CERTIFICATE, key: PRIVATE_KEY }, (request, response) => {
    requests.push(request)
    answer(request, response)
  })
  server.on('secureConnection', (socket) => names.push(socket.servername))
  return { port: await listen(server, sockets), requests, names, connections: () => sockets.size }
}

/** A server below HTTP: the test decides about each connection. */
export async function startRawServer(accept: (socket: Socket) => void): Promise<{ readonly port: number }> {
  const server = createTcpServer((socket) => {
    // A client that aborts its request resets the connection.
    socket.on('error', () => socket.destroy())
    accept(socket)
  })
  return { port: await listen(server, new Set()) }
}

const addressOf = (address: string) => ({ address, family: address.includes(':') ? 6 : 4 })

/** A resolver for the given names that counts its queries. */
export function resolver(names: Readonly<Record<string, readonly string[]>>): Lookup & { readonly asked: string[] } {
  const asked: string[] = []
  const lookup: Lookup = async (hostname) => {
    asked.push(hostname)
    const addresses = names[hostname]
    if (addresses === undefined) throw Object.assign(new Error(`ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
    return addresses.map(addressOf)
  }
  return Object.assign(lookup, { asked })
}

/** An attacker's resolver: each query gets the next answer, and the last answer repeats. */
export function rebindingResolver(...answers: readonly string[]): Lookup & { readonly asked: string[] } {
  const asked: string[] = []
  const lookup: Lookup = async (hostname) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? ''
    asked.push(hostname)
    return [addressOf(answer)]
  }
  return Object.assign(lookup, { asked })
}

function guard(options: Partial<OutboundOptions>): Outbound {
  const outbound = createOutbound({
    allowHttp: true,
    allowedHosts: [],
    ownOrigins: [],
    ownPathAllowed: isProtocolPath,
    ...options,
  })
  onTestFinished(() => outbound.close())
  return outbound
}

/** The guard as in production, but it allows http. It checks addresses with the real table. */
export const productionGuard = (options: Partial<OutboundOptions> & { lookup: Lookup }) => guard(options)

/** A guard for which every name leads to 127.0.0.1. It treats this private address, and no other, as public. */
export const testNetworkGuard = (options: Partial<OutboundOptions> = {}) =>
  guard({
    lookup: async () => [addressOf('127.0.0.1')],
    isPublicAddress: (address) => address === '127.0.0.1' || isPublicAddress(address),
    ca: CERTIFICATE,
    ...options,
  })

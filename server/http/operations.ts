import { createServer, type Server, type ServerResponse } from 'node:http'
import { errors } from '../api/errors.js'
import { type Components, healthReply } from '../health/readiness.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { createRequestClass } from './bounded-request.js'
import { envelopeOf } from './envelope.js'

/** The functions that provide the data on the operators' port, for one process or for all workers together. */
export interface OperationsSources {
  readonly readiness: () => Promise<Components>
  /** The Prometheus text format. */
  readonly metrics: () => Promise<string>
  readonly clock: () => Date
}

/** The Prometheus text format, version 0.0.4. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

async function replyTo(path: string, sources: OperationsSources): Promise<ProtocolReply | undefined> {
  if (path === '/health/liveness') return healthReply({}, path, sources.clock())
  if (path === '/health/readiness') return healthReply(await sources.readiness(), path, sources.clock())
  if (path !== '/metrics') return undefined
  const headers = { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' }
  return { status: 200, headers, body: await sources.metrics() }
}

function send({ status, headers = {}, body = '' }: ProtocolReply, response: ServerResponse): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}

/**
 * The server of METRICS_PORT: `/health/liveness`, `/health/readiness` and `/metrics`, without authentication and rate
 * limit. The process may end although the server is open and has connections.
 */
export function createOperationsServer(sources: OperationsSources): Server {
  const server = createServer({ IncomingMessage: createRequestClass() }, async (request, response) => {
    const { method = '', url = '/' } = request
    const path = url.split('?', 1)[0] ?? '/'
    const refuse = (thrown: unknown): ProtocolReply => {
      const body = { ...envelopeOf(thrown, path, sources.clock(), true) }
      return { status: body.statusCode, body }
    }
    const reply = method === 'GET' || method === 'HEAD' ? replyTo(path, sources) : Promise.resolve(undefined)
    send(await reply.then((found) => found ?? refuse(errors.routeNotFound(method, path)), refuse), response)
  })
  server.unref()
  server.on('connection', (socket) => socket.unref())
  return server
}

import type { Response } from 'express'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import type { Route } from './routes.js'

/**
 * Sends what a procedure returned: JSON text that the adapter made of it, nothing for 204, or, for protocol routes,
 * the status, headers and body that the procedure chose.
 */
export function sendReply(route: Route, data: unknown, json: string | undefined, response: Response): void {
  if (route.rest.kind === 'protocol') {
    sendProtocolReply(data as ProtocolReply, response)
    return
  }
  response.statusCode = route.rest.status ?? 200
  if (response.statusCode === 204 || json === undefined) response.end()
  else sendJson(json, response)
}

function sendJson(json: string, response: Response): void {
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json; charset=utf-8')
  response.setHeader('content-length', Buffer.byteLength(json))
  response.end(json)
}

function sendProtocolReply(reply: ProtocolReply, response: Response): void {
  response.statusCode = reply.status
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value)
  if (reply.body === undefined) response.end()
  else if (typeof reply.body === 'string') response.end(reply.body)
  else {
    // OAuth and OpenID media types carry no charset parameter; some wallets compare the header as a whole.
    if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json')
    sendJson(JSON.stringify(reply.body), response)
  }
}

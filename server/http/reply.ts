import type { Request, Response } from 'express'
import type { Download } from '../api/contract.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { sendDownload } from './download.js'
import type { Route } from './routes.js'
import { type StreamedEvents, type StreamPorts, sendEventStream } from './sse.js'

/** Sends a procedure's output in the form that its contract names (`RestMeta.kind`). */
export function sendReply(
  route: Route,
  data: unknown,
  request: Request,
  response: Response,
  streams: StreamPorts,
): void {
  // Each cast holds, because the contract's `kind` decides the type of the output.
  const { kind, produces, eventName = 'session', status = 200 } = route.rest
  if (kind === 'protocol' || kind === 'page') sendProtocolReply(data as ProtocolReply, response)
  else if (kind === 'bytes') sendBytes(data as Uint8Array, produces, response)
  // Not awaited, since a download may take as long as its reader wants.
  else if (kind === 'download') void sendDownload(request, response, streams, data as Download)
  // The stream is not awaited, so that an open stream does not keep the callers of this function in memory.
  else if (kind === 'events') void sendEventStream(request, response, streams, data as StreamedEvents, eventName)
  else {
    response.statusCode = status
    if (status === 204 || data === undefined) response.end()
    else sendJson(data, 'application/json; charset=utf-8', response)
  }
}

function sendJson(data: unknown, mediaType: string, response: Response): void {
  const json = JSON.stringify(data)
  if (!response.hasHeader('content-type')) response.setHeader('content-type', mediaType)
  response.setHeader('content-length', Buffer.byteLength(json))
  response.end(json)
}

/** Sends status, headers and body unchanged. */
export function sendProtocolReply({ status, headers, body }: ProtocolReply, response: Response): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers ?? {})) {
    // `vary` adds to the names that the CORS policy has set.
    if (name === 'vary') response.vary(value)
    else response.setHeader(name, value)
  }
  if (body === undefined) response.end()
  else if (typeof body === 'string' || body instanceof Uint8Array) {
    // An answer to HEAD needs the length too (RFC 9110 §9.3.2), and Node does not set it.
    response.setHeader('content-length', Buffer.byteLength(body))
    response.end(body)
  }
  // OAuth and OpenID media types carry no charset parameter; some wallets compare the header as a whole.
  else sendJson(body, 'application/json', response)
}

/**
 * Sends bytes, such as an image. Browsers must use the declared type, so that a script in the bytes does not run. Any
 * page may embed the image.
 */
function sendBytes(bytes: Uint8Array, mediaType = 'application/octet-stream', response: Response): void {
  response.setHeader('content-type', mediaType)
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('content-security-policy', "default-src 'none'")
  response.setHeader('cross-origin-resource-policy', 'cross-origin')
  response.end(bytes)
}

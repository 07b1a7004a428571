import type { IncomingHttpHeaders } from 'node:http'
import { INTERNAL_HEADER } from './own-origin.js'

/**
 * Headers that callers may not set: the HTTP client sets most of them, and the guard sets the header that marks
 * requests of this service to itself.
 */
const NOT_FOR_CALLERS = [
  'host',
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  INTERNAL_HEADER,
]

/**
 * The only headers that are sent after a redirect to a different origin. All other headers, for example credentials,
 * are removed.
 */
const FOR_OTHER_ORIGINS = ['accept', 'accept-language', 'if-modified-since', 'if-none-match', 'user-agent']

/** Headers that describe the transfer of the body. They are wrong once the body has been read and decoded. */
const OF_THE_WIRE: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'transfer-encoding',
])

/** The caller's headers without the headers that callers may not set. */
export function requestHeaders(given: Headers): Headers {
  const headers = new Headers(given)
  for (const name of NOT_FOR_CALLERS) headers.delete(name)
  if (!headers.has('accept')) headers.set('accept', '*/*')
  if (!headers.has('user-agent')) headers.set('user-agent', 'Credence')
  headers.set('accept-encoding', 'identity')
  return headers
}

/** Returns the headers of a request that are also sent after a redirect to a different origin. */
export function crossOriginHeaders(headers: Headers): Headers {
  const kept = [...headers].filter(([name]) => FOR_OTHER_ORIGINS.includes(name))
  return requestHeaders(new Headers(kept))
}

/** The headers of an answer whose body has been read and decoded. */
export function responseHeaders(received: IncomingHttpHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(received)) {
    if (value === undefined || OF_THE_WIRE.has(name)) continue
    for (const entry of typeof value === 'string' ? [value] : value) headers.append(name, entry)
  }
  return headers
}

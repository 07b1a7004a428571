import { type TRPC_ERROR_CODE_KEY, TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import type { CredenceErrorShape } from './calls.js'

/** Error codes of the RPC protocol for HTTP statuses that the service's HTTP layer or a proxy sends. */
const CODES: Readonly<Record<number, TRPC_ERROR_CODE_KEY>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/**
 * The messages of a failed response. They come from its error envelope. If there is no envelope, the only message is
 * the status.
 */
function messagesOf(body: unknown, { status, type, statusText }: Response): string[] {
  const message = isObject(body) ? body.message : undefined
  if (typeof message === 'string') return [message]
  if (Array.isArray(message)) return message.map(String)
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) return ['The service answered with a redirect.']
  return [`HTTP ${status} ${statusText}`.trimEnd()]
}

function errorShape(body: unknown, response: Response): CredenceErrorShape {
  const { status } = response
  const code = CODES[status] ?? (status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST')
  const messages = messagesOf(body, response)
  return {
    code: TRPC_ERROR_CODES_BY_KEY[code],
    message: messages.join('; '),
    data: { code, httpStatus: status, messages },
  }
}

/**
 * Converts a failed response of the service or of a proxy to a response of the RPC protocol. The status and the headers
 * stay the same.
 */
export async function rpcAnswer(response: Response): Promise<Response> {
  const text = await response.text()
  const body = parsed(text)
  const isRpc = Array.isArray(body) || (isObject(body) && isObject(body.error))
  const error = isRpc ? text : JSON.stringify({ error: { json: errorShape(body, response) } })
  // For a redirect the browser reports the status 0, and a Response cannot have this status.
  return new Response(error, { status: response.status >= 200 ? response.status : 502, headers: response.headers })
}

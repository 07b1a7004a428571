import { STATUS_CODES } from 'node:http'
import { DECODED_PARAMETER, hasOAuthErrors } from '../api/contract.js'
import { errors } from '../api/errors.js'
import { MAX_BODY_BYTES } from './body.js'
import type { Route } from './routes.js'

const TIMESTAMP = '2026-01-01T12:00:00.000Z'

/** The messages that the HTTP layer sends, by status. They are the same for all routes. */
const MESSAGES: Readonly<Record<number, string>> = {
  415: errors.unsupportedMediaType('text/plain').message,
  429: errors.tooManyRequests().message,
  500: 'Internal server error',
  503: errors.databaseUnavailable().message,
}

/** The messages for a request that lacks a member, or has an unknown member. */
function invalid(required: readonly string[]): string[] {
  const [first] = required
  return [first === undefined ? 'property surplus should not exist' : `${first} must be defined`]
}

function messageFor(route: Route, status: number, required: readonly string[]): string | readonly string[] {
  const [parameter] = DECODED_PARAMETER.exec(route.template)?.slice(1) ?? []
  // These routes accept unknown members, so the example of a 400 is a malformed path parameter.
  if (status === 400 && route.rest.kind === 'protocol' && route.method === 'GET' && parameter !== undefined)
    return errors.notDecoded(parameter).messages
  if (status === 400) return invalid(required)
  if (status === 413) return errors.payloadTooLarge(route.rest.maxBodyBytes ?? MAX_BODY_BYTES).message
  return route.rest.refusals?.get(status) ?? MESSAGES[status] ?? STATUS_CODES[status] ?? 'Error'
}

/** The answer of a failed health check: the health result and the members of the envelope. */
const FAILED_CHECK = {
  status: 'error',
  info: {},
  error: { database: { status: 'down' } },
  details: { database: { status: 'down' } },
  statusCode: 503,
  message: 'Health check failed: database.',
  path: '/health/readiness',
  timestamp: TIMESTAMP,
}

/**
 * The content of one error response in the document: the error envelope, or an OAuth error body on protocol routes.
 *
 * @param required members of the request's body.
 */
export function errorExamples(route: Route, status: number, required: readonly string[]): Record<string, unknown> {
  const forClients = errorForClients(route, status, required)
  return hasPage(route, status) ? withPage(forClients, status) : forClients
}

/**
 * True if a browser, which prefers HTML, gets a page for this error. There are two cases. The rate limit refuses any
 * GET before its route is known. A redirect to a page answers 404 if the requested resource does not exist.
 */
const hasPage = ({ method, rest }: Route, status: number): boolean =>
  (status === 429 && method === 'GET') || (status === 404 && rest.leadsToPage === true)

const pageExample = (phrase: string) => ({
  schema: { type: 'string' },
  example: `<!doctype html>… <h1>This request cannot be used</h1><p>${phrase}</p> …`,
})

const withPage = (forClients: ErrorDescription, status: number): ErrorDescription => ({
  ...forClients,
  content: { ...forClients.content, 'text/html': pageExample(STATUS_CODES[status] ?? 'Error') },
})

interface ErrorDescription extends Record<string, unknown> {
  readonly content: Readonly<Record<string, unknown>>
}

function errorForClients(route: Route, status: number, required: readonly string[]): ErrorDescription {
  const phrase = STATUS_CODES[status] ?? 'Error'
  if (status === 503 && route.template === '/health/readiness') {
    const content = { 'application/json': { schema: { type: 'object' }, example: FAILED_CHECK } }
    return { description: 'A check failed', content }
  }
  if (route.rest.kind === 'page' && status !== 429) {
    return { description: phrase, content: { 'text/html': pageExample(phrase) } }
  }
  if (hasOAuthErrors(route.rest) && status !== 429) {
    const example = {
      error: status >= 500 ? 'server_error' : 'invalid_request',
      error_description:
        status === 400 && required.length === 0
          ? 'The request is not valid.'
          : String(messageFor(route, status, required)),
    }
    return {
      description: phrase,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' }, example } },
    }
  }
  return envelopeError(route.template, status, messageFor(route, status, required))
}

function envelopeError(path: string, status: number, message: string | readonly string[]): ErrorDescription {
  const phrase = STATUS_CODES[status] ?? 'Error'
  const example = {
    statusCode: status,
    message,
    path,
    timestamp: TIMESTAMP,
    ...((status >= 500 && status !== 501) || message === phrase ? {} : { error: phrase }),
  }
  return {
    description: phrase,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' }, example } },
  }
}

/** The content of a 429 for an address that no procedure has. */
export function tooManyRequests(path: string): Record<string, unknown> {
  return withPage(envelopeError(path, 429, errors.tooManyRequests().message), 429)
}

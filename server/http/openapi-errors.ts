import { STATUS_CODES } from 'node:http'
import type { Route } from './routes.js'

const TIMESTAMP = '2026-01-01T12:00:00.000Z'

const MESSAGES: Readonly<Record<number, string | readonly string[]>> = {
  400: ['credential must not be empty'],
  401: 'Unauthorized',
  403: 'Insufficient role.',
  404: 'Credential not found.',
  409: 'Offering redemption limit reached.',
  410: 'Offering has expired.',
  413: 'Request body exceeds 1 MiB.',
  415: 'Content type text/plain is not supported.',
  429: 'Too Many Requests',
  500: 'Internal server error',
  503: 'Database is unavailable.',
}

/** Examples that belong to one group of routes. */
const BY_PATH: readonly (readonly [pattern: RegExp, status: number, message: string])[] = [
  [/^\/holders\//, 403, 'Access to holder denied.'],
  [/\/claim$/, 403, 'Offering is for another recipient.'],
  [/^\/(schemas|vct|api\/v1\/schemas)/, 404, 'Schema not found.'],
  [/^\/schemas$/, 409, 'Schema ProofOfPurchase version 1 already exists.'],
  [/^\/schemas/, 410, 'Schema version is superseded.'],
  [/^\/api\/v1\/offerings/, 404, 'Offering not found.'],
  [/did\.json$/, 404, 'DID Document not found.'],
  [/status-lists/, 404, 'Status list not found.'],
  [/vp-queries/, 404, 'VP query not found.'],
  [/qr-codes/, 404, 'QR code not found.'],
  [/^\/(api\/v1\/credentials|credentials\/sign)$/, 404, 'Schema not found.'],
  [/^\/flows/, 404, 'Flow not found.'],
  [/^\/flows/, 409, 'Flow is already confirmed.'],
  [/^\/holders\/.*dids/, 404, 'DID not found.'],
  [/^\/holders\/.*dids/, 409, 'Credentials are bound to this DID. Delete them first.'],
]

function messageFor(route: Route, status: number): string | readonly string[] {
  const special = BY_PATH.find(([pattern, code]) => code === status && pattern.test(route.template))
  return special?.[2] ?? MESSAGES[status] ?? STATUS_CODES[status] ?? 'Error'
}

/** A failed check answers the health result with the envelope's members beside it. */
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

/** The description of one error response: envelope, or OAuth error body on protocol routes. */
export function errorExamples(route: Route, status: number): Record<string, unknown> {
  const phrase = STATUS_CODES[status] ?? 'Error'
  if (status === 503 && route.template.startsWith('/health/')) {
    const content = { 'application/json': { schema: { type: 'object' }, example: FAILED_CHECK } }
    return { description: 'A check failed', content }
  }
  if (route.rest.kind === 'protocol' && status !== 429) {
    const example = {
      error: status >= 500 ? 'server_error' : 'invalid_request',
      error_description: String(messageFor(route, status)),
    }
    return {
      description: phrase,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' }, example } },
    }
  }
  const message = messageFor(route, status)
  const example = {
    statusCode: status,
    message,
    path: route.template,
    timestamp: TIMESTAMP,
    ...(status >= 500 || message === phrase ? {} : { error: phrase }),
  }
  return {
    description: phrase,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' }, example } },
  }
}

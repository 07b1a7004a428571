import { STATUS_CODES } from 'node:http'
import { DECODED_PARAMETER, hasOAuthErrors } from '../contract.js'
import { errors } from '../errors.js'
import { STATUS_LIST_CWT_MEDIA_TYPE, TOKEN_STATUS_LIST_MEDIA_TYPE } from '../protocol/status-list/token-status-list.js'
import { MAX_BODY_BYTES } from './body.js'
import type { Route } from './routes.js'

const TIMESTAMP = '2026-01-01T12:00:00.000Z'

/** What most routes say with a status. */
const MESSAGES: Readonly<Record<number, string>> = {
  401: errors.unauthorized().message,
  403: errors.insufficientRole().message,
  406: errors.notAcceptable(TOKEN_STATUS_LIST_MEDIA_TYPE, STATUS_LIST_CWT_MEDIA_TYPE).message,
  415: errors.unsupportedMediaType('text/plain').message,
  429: errors.tooManyRequests().message,
  500: 'Internal server error',
  501: errors.historyNotKept().message,
  503: errors.databaseUnavailable().message,
}

/** What some say: the first that fits method and path. */
const BY_ROUTE: readonly (readonly [pattern: RegExp, status: number, message: string])[] = [
  [/ \/holders\//, 403, errors.holderDenied().message],
  [/\/flows/, 403, errors.holderDenied().message],
  [/^(POST|DELETE) \/schemas/, 403, errors.schemaDenied().message],
  [/\/claim$/, 403, errors.anotherRecipient().message],
  [/\/result$/, 403, errors.resultDenied().message],
  [/ \/openid4vci\/credential$/, 403, 'The access token is not good for this credential configuration.'],
  [/^POST \/(api\/v1\/(offerings|credentials)|credentials\/sign)$/, 404, errors.schemaNotFound().message],
  [/ \/(schemas|vct|api\/v1\/schemas)/, 404, errors.schemaNotFound().message],
  [/ \/api\/v1\/offerings/, 404, errors.offeringNotFound().message],
  [/ \/api\/v1\/issuers\//, 404, errors.recordNotFound('Issuer').message],
  [/ \/api\/v1\/verifiers\//, 404, errors.recordNotFound('Verifier').message],
  [/\/trusted-issuers/, 404, errors.trustedIssuerNotFound().message],
  [/\/trusted-issuers/, 409, errors.issuerTrusted().message],
  [/\/display$/, 409, errors.recordChanged().message],
  [/did\.json$/, 404, errors.didDocumentNotFound().message],
  [/status-lists/, 404, errors.statusListNotFound().message],
  [/vp-queries/, 404, errors.vpQueryNotFound().message],
  [/qr-codes/, 404, errors.qrCodeNotFound().message],
  [/^POST \/flows$/, 404, errors.offeringNotFound().message],
  [/ \/(present|receive)\//, 404, errors.pageNotFound().message],
  [/ \/pages$/, 404, errors.pageTargetNotFound('verificationSessionId').message],
  [/ \/pages$/, 409, errors.pageTargetEnded('verificationSessionId').message],
  [/ \/flows/, 404, errors.flowNotFound().message],
  [/ \/holders\/.*dids/, 404, errors.holderDidNotFound().message],
  [/ \/openid4vci\/offers/, 404, 'The credential offer does not exist.'],
  [/ \/openid4vp/, 404, 'Authorization request not found.'],
  [/credentials/, 404, errors.credentialNotFound().message],
  [/ \/schemas$/, 409, errors.schemaExists('ProofOfPurchase', 1).message],
  [/\/claim$/, 409, errors.redemptionLimitReached().message],
  [/\/result$/, 409, errors.resultNotReady().message],
  [/ \/flows/, 409, errors.flowEnded('confirmed').message],
  [/ \/holders\/.*dids/, 409, errors.holderDidInUse().message],
  [/ \/schemas/, 410, errors.schemaSuperseded().message],
  [/\/result$/, 410, errors.resultGone().message],
  [/ \/openid4vp/, 410, 'Authorization request expired.'],
  [/\/(claim|confirm)$/, 410, errors.offeringExpired().message],
  [/verification-session/, 500, errors.verificationSessionNotFound().message],
  [/credential-offer-session/, 500, errors.credentialOfferSessionNotFound().message],
  [/ \/agent\/issuer\//, 500, errors.issuerNotFound().message],
  [/ \/agent\/verifier\//, 500, errors.verifierNotFound().message],
]

/** What a request is refused for that lacks a member, or has one more. */
function invalid(required: readonly string[]): string[] {
  const [first] = required
  return [first === undefined ? 'property surplus should not exist' : `${first} must be defined`]
}

function messageFor(route: Route, status: number, required: readonly string[]): string | readonly string[] {
  const [parameter] = DECODED_PARAMETER.exec(route.template)?.slice(1) ?? []
  // Of such a route an unknown member is no fault.
  if (status === 400 && route.rest.kind === 'protocol' && route.method === 'GET' && parameter !== undefined)
    return errors.notDecoded(parameter).messages
  if (status === 400) return invalid(required)
  if (status === 413) return errors.payloadTooLarge(route.rest.maxBodyBytes ?? MAX_BODY_BYTES).message
  const name = `${route.method} ${route.template}`
  const special = BY_ROUTE.find(([pattern, code]) => code === status && pattern.test(name))
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

/**
 * The description of one error response: envelope, or OAuth error body on protocol routes.
 *
 * @param required members of the request's body.
 */
export function errorExamples(route: Route, status: number, required: readonly string[]): Record<string, unknown> {
  const forClients = errorForClients(route, status, required)
  return hasPage(route, status) ? withPage(forClients, status) : forClients
}

/**
 * Whether a browser, which likes HTML best, gets a page. The rate limit refuses a GET before its route is known. An address that
 * leads to a page may lead nowhere.
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

/** The description of a 429 of an address that is no procedure's. */
export function tooManyRequests(path: string): Record<string, unknown> {
  return withPage(envelopeError(path, 429, errors.tooManyRequests().message), 429)
}

import { TRPCError } from '@trpc/server'
import type { Request, Response } from 'express'
import { preferredType } from '../api/accept.js'
import { hasOAuthErrors } from '../api/contract.js'
import { publicError, serviceErrorOf } from '../api/public-error.js'
import type { Config } from '../config/config.js'
import type { Log } from '../log/log.js'
import { baseUrlOf } from '../pages/addresses.js'
import { inEnglish, messagePage, noPage } from '../pages/page.js'
import { type Speech, speechFor } from '../pages/speech.js'
import { OAuthError } from '../protocol/oauth/error.js'
import type { ProtocolReply } from '../protocol/oauth/reply.js'
import { envelopeOf } from './envelope.js'
import type { Route } from './routes.js'

const causeOf = (thrown: unknown) => (thrown instanceof TRPCError && thrown.cause !== undefined ? thrown.cause : thrown)

/** The part of an error that is only logged: the `detail` of an OAuth error, and the cause. */
function privateReason(error: Error): { detail?: string; cause?: string } {
  return {
    ...(error instanceof OAuthError && error.detail !== undefined ? { detail: error.detail } : {}),
    ...(error.cause instanceof Error ? { cause: error.cause.message } : {}),
  }
}

/** Sets `Retry-After` (RFC 9110 §10.2.3), if the error says when to try again. */
export function sayWhenToRetry(thrown: unknown, response: Response): void {
  const seconds = serviceErrorOf(thrown)?.retryAfter
  if (seconds !== undefined && !response.headersSent) response.setHeader('retry-after', String(seconds))
}

/**
 * The challenge of a 401 (RFC 9110 §11.6.1, RFC 6750 §3). Undefined for routes with a client secret, since no
 * registered authentication scheme exists for it.
 */
function bearerChallenge(route: Route | undefined, request: Request): string | undefined {
  if (route?.rest.access === 'issuerClient' || route?.rest.access === 'verifierClient') return undefined
  return request.headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"'
}

/** Converts any error that a protocol endpoint threw to an OAuth error (RFC 6749 §5.2). */
function oauthErrorOf(thrown: unknown, route: Route, production: boolean): OAuthError {
  const cause = causeOf(thrown)
  if (cause instanceof OAuthError) return cause
  const { status, message } = publicError(thrown, production)
  const text = typeof message === 'string' ? message : message.join('; ')
  if (status === 503) return new OAuthError('temporarily_unavailable', text, { status, cause })
  if (status >= 500) return new OAuthError('server_error', text, { status, cause })
  return new OAuthError(route.rest.invalid ?? 'invalid_request', text, { status, cause })
}

/** The page that explains a failure to the person at the browser. */
function failurePage(
  baseUrl: string,
  speech: Speech,
  status: number,
  message: string | readonly string[],
): ProtocolReply {
  if (status === 429) {
    return messagePage(baseUrl, speech, status, speech.say('error.moment'), speech.say('error.tooMany'))
  }
  const title = speech.say(status >= 500 ? 'error.failed' : 'error.unusableRequest')
  const sentence = typeof message === 'string' ? message : message.join('. ')
  return messagePage(baseUrl, speech, status, title, inEnglish(sentence))
}

function sendPage({ headers, body }: ProtocolReply, status: number, response: Response): void {
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value)
  response.status(status).end(body)
}

/**
 * True if a person opens the address in a browser: the request prefers HTML to JSON. Requests for pictures and styles,
 * and requests of scripts, accept any type or ask for JSON.
 */
const isOpenedByBrowser = ({ method, headers }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  preferredType(headers.accept, ['application/json', 'text/html']) === 'text/html'

/** The ports of {@link createFailures}. */
export interface FailurePorts {
  readonly config: Pick<Config, 'production' | 'issuerBaseUrl' | 'verifierBaseUrl' | 'serviceContact'>
  readonly clock: () => Date
  readonly log: Pick<Log, 'error' | 'warn'>
}

export type Failures = ReturnType<typeof createFailures>

/** Answers and logs requests that failed. */
export function createFailures({ config, clock, log }: FailurePorts) {
  const { production } = config

  /**
   * Logs a failed request. A 5xx is logged as an error, with stack and cause. A 4xx or a 501 is logged as a warning,
   * since the caller caused it. The log never contains bodies, headers or claims.
   */
  function logged(thrown: unknown, status: number, request: Request, response: Response): void {
    const cause = causeOf(thrown)
    const facts = { requestId: response.locals.requestId, method: request.method, path: request.path, status }
    if (status >= 500 && status !== 501) {
      log.error({ ...facts, err: cause }, 'request failed')
      return
    }
    const refusal = serviceErrorOf(thrown) ?? (cause instanceof Error ? cause : new Error(String(cause)))
    log.warn({ ...facts, reason: refusal.message, ...privateReason(refusal) }, 'request refused')
  }

  /** Sends the failure of a page request, as a page for a person. */
  function sendFailurePage(thrown: unknown, request: Request, response: Response): void {
    const cause = causeOf(thrown)
    // A form that cannot be read causes an OAuth error. The page does not show the error's code, because people do not
    // understand it.
    const { status, message } = cause instanceof OAuthError ? cause : publicError(thrown, production)
    logged(thrown, status, request, response)
    sayWhenToRetry(thrown, response)
    const baseUrl = baseUrlOf(config, request.path)
    sendPage(failurePage(baseUrl, speechFor(request, baseUrl), status, message), status, response)
  }

  /** Sends a page for a failure that happened before a route was found: an unknown address, or too many requests. */
  function sendPageOfNoRoute(thrown: unknown, request: Request, response: Response): void {
    const { status, message } = publicError(thrown, production)
    const baseUrl = baseUrlOf(config, request.path)
    logged(thrown, status, request, response)
    sayWhenToRetry(thrown, response)
    const speech = speechFor(request, baseUrl)
    const reply =
      status === 404 ? noPage(baseUrl, speech, config.serviceContact) : failurePage(baseUrl, speech, status, message)
    sendPage(reply, status, response)
  }

  function sendOAuthError(thrown: unknown, route: Route, request: Request, response: Response): void {
    const refusal = oauthErrorOf(thrown, route, production)
    logged(thrown, refusal.status, request, response)
    // Express would add a `charset` to the media type. JSON has no such parameter (RFC 8259 §11).
    const headers = { 'cache-control': 'no-store', 'content-type': 'application/json', ...refusal.headers }
    sayWhenToRetry(thrown, response)
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    response.status(refusal.status).end(JSON.stringify({ ...refusal.toBody(), ...refusal.members }))
  }

  function sendEnvelope(thrown: unknown, route: Route | undefined, request: Request, response: Response): void {
    const body = envelopeOf(thrown, request.path, clock(), production)
    logged(thrown, body.statusCode, request, response)
    const challenge = body.statusCode === 401 ? bearerChallenge(route, request) : undefined
    if (challenge !== undefined) response.setHeader('www-authenticate', challenge)
    sayWhenToRetry(thrown, response)
    response.status(body.statusCode).json(body)
  }

  /**
   * Answers a failed request.
   *
   * - Protocol routes: an OAuth error body.
   * - Pages, and browser requests that fail before a route is found: a page for a person.
   * - All other failures: the envelope.
   */
  function send(thrown: unknown, route: Route | undefined, request: Request, response: Response): void {
    if (response.headersSent) {
      response.destroy()
      return
    }
    if (route === undefined) response.vary('Accept')
    if (route !== undefined && hasOAuthErrors(route.rest)) sendOAuthError(thrown, route, request, response)
    else if (route?.rest.kind === 'page') sendFailurePage(thrown, request, response)
    else if (route === undefined && isOpenedByBrowser(request)) sendPageOfNoRoute(thrown, request, response)
    else sendEnvelope(thrown, route, request, response)
  }

  return { production, logged, send }
}

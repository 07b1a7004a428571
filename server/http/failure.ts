import { TRPCError } from '@trpc/server'
import type { Request, Response } from 'express'
import type { Deps } from '../deps.js'
import { OAuthError } from '../protocol/oauth/error.js'
import { publicError } from '../public-error.js'
import { envelopeOf } from './envelope.js'
import type { Route } from './routes.js'

const causeOf = (thrown: unknown) => (thrown instanceof TRPCError && thrown.cause !== undefined ? thrown.cause : thrown)

/** 5xx with stack and cause, 4xx as a warning; neither with bodies, headers or claims. */
export function logFailure(thrown: unknown, status: number, request: Request, response: Response, deps: Deps): void {
  const cause = causeOf(thrown)
  const facts = { requestId: response.locals.requestId, method: request.method, path: request.path, status }
  if (status >= 500) deps.log.error({ ...facts, err: cause }, 'request failed')
  else deps.log.warn({ ...facts, reason: cause instanceof Error ? cause.message : String(cause) }, 'request refused')
}

/** An OAuth error body (RFC 6749 §5.2) for whatever a protocol endpoint threw. */
function oauthErrorOf(thrown: unknown, route: Route, production: boolean): OAuthError {
  const cause = causeOf(thrown)
  if (cause instanceof OAuthError) return cause
  const { status, message } = publicError(thrown, production)
  const text = typeof message === 'string' ? message : message.join('; ')
  if (status === 503) return new OAuthError('temporarily_unavailable', text, { status, cause })
  if (status >= 500) return new OAuthError('server_error', text, { status, cause })
  const invalid = status === 400 ? (route.rest.invalid ?? 'invalid_request') : 'invalid_request'
  return new OAuthError(invalid, text, { status, cause })
}

/** Answers a failed request: the interface's envelope, or an OAuth error body on protocol routes. */
export function sendFailure(
  thrown: unknown,
  route: Route | undefined,
  request: Request,
  response: Response,
  deps: Deps,
): void {
  const { production } = deps.config
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (route?.rest.kind === 'protocol') {
    const refusal = oauthErrorOf(thrown, route, production)
    logFailure(thrown, refusal.status, request, response, deps)
    response.set({ 'cache-control': 'no-store', 'content-type': 'application/json', ...refusal.headers })
    response.status(refusal.status).end(JSON.stringify(refusal.toBody()))
    return
  }
  const body = envelopeOf(thrown, request.path, deps.clock(), production)
  logFailure(thrown, body.statusCode, request, response, deps)
  response.status(body.statusCode).json(body)
}

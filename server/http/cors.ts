import cors from 'cors'
import type { RequestHandler } from 'express'
import { NEXT_CURSOR } from '../api/paging.js'
import type { Config } from '../config/config.js'
import { isLoopbackName } from '../config/loopback.js'
import type { IsPath } from './paths.js'

const EXPOSED_HEADERS = [
  'x-request-id',
  'link',
  NEXT_CURSOR,
  'retry-after',
  'etag',
  'idempotency-replayed',
  'www-authenticate',
  'dpop-nonce',
  'oauth-client-attestation-challenge',
]

/**
 * True for an origin on this machine, with any port. With AUTH_DISABLED, these origins are allowed, for local
 * development.
 */
function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackName(new URL(origin).hostname)
}

/**
 * Sets CORS headers. Public protocol and metadata routes allow every browser origin, without credentials. Management
 * routes allow only the origins of CORS_ORIGINS. With AUTH_DISABLED they allow only loopback origins.
 */
export function corsPolicy(config: Config, isForWallets: IsPath): RequestHandler {
  const configured = new Set(config.corsOrigins)
  const allowed = (origin: string) => (config.authDisabled ? isLoopbackOrigin(origin) : configured.has(origin))
  const open = cors({ origin: '*', exposedHeaders: EXPOSED_HEADERS, maxAge: 600 })
  const managed = cors({
    origin: (origin, done) => done(null, origin !== undefined && allowed(origin)),
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
  })
  return (request, response, next) => {
    // A request without `Origin` needs no CORS headers.
    if (request.headers.origin === undefined) return next()
    return isForWallets(request.path) && !config.authDisabled
      ? open(request, response, next)
      : managed(request, response, next)
  }
}

import type { RequestHandler } from 'express'
import { MemoryStore, rateLimit, type Store } from 'express-rate-limit'
import type { Deps } from '../deps.js'
import { errors } from '../errors.js'
import { REFERENCE_FILES } from './api-reference.js'
import { isHostedDidPath } from './paths.js'

/** @param isOwn tells requests that this service sends itself on behalf of one already counted. */
export function rateLimiter(
  { config, log, metrics }: Pick<Deps, 'config' | 'log' | 'metrics'>,
  store: Store | undefined,
  isOwn: (path: string, method: string, mac: string | undefined) => boolean,
): RequestHandler {
  const { max, windowSeconds } = config.rateLimit
  return rateLimit({
    windowMs: windowSeconds * 1000,
    limit: max,
    standardHeaders: 'draft-7',
    legacyHeaders: false,
    store: store ?? new MemoryStore(),
    // A failing counter must not make the service fail.
    passOnStoreError: true,
    logger: {
      warn: (error) => log.warn({ reason: String(error) }, 'rate limit'),
      error: (error) => log.warn({ reason: String(error) }, 'rate limit not counted'),
    },
    // Its checks of the first request's headers would let a stranger write warnings; the start-up warns of TRUST_PROXY.
    validate: false,
    skip: (request) => {
      const mac = request.headers['x-credence-internal']
      if (isHostedDidPath(request.path) || REFERENCE_FILES.has(request.path)) return true
      return typeof mac === 'string' && isOwn(request.path, request.method, mac)
    },
    handler: (_request, _response, next) => {
      metrics.rateLimited()
      next(errors.tooManyRequests())
    },
  })
}

import express, { type ErrorRequestHandler } from 'express'
import type { Store } from 'express-rate-limit'
import type { Deps } from './deps.js'
import { errors } from './errors.js'
import { accessLog } from './http/access-log.js'
import { apiReference } from './http/api-reference.js'
import { consoleFiles } from './http/console-files.js'
import { corsPolicy } from './http/cors.js'
import { sendFailure } from './http/failure.js'
import { hostCheck } from './http/host-check.js'
import { rateLimiter } from './http/rate-limit.js'
import { requestId } from './http/request-facts.js'
import { requestMetrics } from './http/request-metrics.js'
import { createRestMount } from './http/rest.js'
import { createRpcMount, sendRpcFailure } from './http/rpc.js'
import { securityHeaders } from './http/security-headers.js'
import type { App } from './http/server.js'
import { insertedWellKnown } from './http/well-known.js'
import { isOwnRequest } from './outbound/own-origin.js'
import { routersOf } from './router.js'

export interface AppOptions {
  /** Where the rate limit is counted; this process' memory unless given. */
  readonly rateLimitStore?: Store | undefined
}

/** The Express stack, in the order in which a request passes it. */
export function createApp(deps: Deps, options: AppOptions = {}): App {
  const { config, clock } = deps
  const { appRouter, restRouter } = routersOf(deps.formats)
  const ownRequestKey = deps.sealingKey('own-request')
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.set('trust proxy', config.trustProxy ?? false)

  app.use(requestId())
  if (config.metrics.port !== undefined) app.use(requestMetrics(deps.metrics, restRouter))
  if (deps.log.isLevelEnabled('info')) app.use(accessLog(deps.log, deps.sealingKey('access-log')))
  app.use(securityHeaders())
  app.use(corsPolicy(config))
  if (config.authDisabled) app.use(hostCheck(config))
  // Not counted: opening the console takes some ten files at once.
  if (config.console !== undefined) app.use(consoleFiles(config))
  if (config.rateLimit.max > 0 || (config.console?.rateLimitMax ?? 0) > 0) {
    app.use(
      rateLimiter(deps, options.rateLimitStore, (path, method, mac) =>
        isOwnRequest(ownRequestKey, clock, method, path, mac),
      ),
    )
  }
  if (new URL(config.issuerBaseUrl).pathname !== '/') app.use(insertedWellKnown(config.issuerBaseUrl))
  app.use(createRestMount(restRouter, deps))
  app.use('/trpc', createRpcMount(appRouter, deps))
  app.use(apiReference(restRouter, deps))

  app.use((request, _response, next) => next(errors.routeNotFound(request.method, request.path)))
  const onError: ErrorRequestHandler = (thrown, request, response, _next) => {
    if (request.path.startsWith('/trpc/')) sendRpcFailure(thrown, appRouter, request, response, deps)
    else sendFailure(thrown, undefined, request, response, deps)
  }
  app.use(onError)
  return app
}

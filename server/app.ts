import express, { type ErrorRequestHandler, type Express } from 'express'
import type { Store } from 'express-rate-limit'
import { errors } from './api/errors.js'
import type { Config } from './config/config.js'
import { accessLog } from './http/access-log.js'
import { apiReference, REFERENCE_FILES } from './http/api-reference.js'
import { consoleFiles } from './http/console-files.js'
import { corsPolicy } from './http/cors.js'
import { sendFailure } from './http/failure.js'
import { hostCheck } from './http/host-check.js'
import { isOpenRoute } from './http/open-routes.js'
import { uncountedPaths, walletPaths } from './http/paths.js'
import { rateLimiter } from './http/rate-limit.js'
import { requestId } from './http/request-facts.js'
import { requestMetrics } from './http/request-metrics.js'
import { createRestMount } from './http/rest.js'
import { createRpcMount, sendRpcFailure } from './http/rpc.js'
import { securityHeaders } from './http/security-headers.js'
import type { App } from './http/server.js'
import { insertedWellKnown } from './http/well-known.js'
import { isOwnRequest } from './outbound/own-origin.js'
import type { Service } from './wiring/service.js'

export interface AppOptions {
  /** Where the rate limit is counted; this process' memory unless given. */
  readonly rateLimitStore?: Store | undefined
}

type Served = Pick<Service, 'deps' | 'routers'>

/** An application without anything of its own: what all requests pass first. */
function newApp({ deps, routers: { restRouter } }: Served): Express {
  const { config } = deps
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.set('trust proxy', config.trustProxy ?? false)

  app.use(requestId())
  if (config.metrics.port !== undefined) app.use(requestMetrics(deps.metrics, restRouter))
  if (deps.log.isLevelEnabled('info')) app.use(accessLog(deps.log, deps.sealingKey('access-log')))
  app.use(securityHeaders())
  app.use(corsPolicy(config, walletPaths(restRouter)))
  return app
}

function limitRate(app: Express, { deps, routers }: Served, { rateLimitStore }: AppOptions): void {
  const { rateLimit, console } = deps.config
  if (rateLimit.max === 0 && (console?.rateLimitMax ?? 0) === 0) return
  const key = deps.sealingKey('own-request')
  const isOwn = (path: string, method: string, mac: string | undefined) =>
    isOwnRequest(key, deps.clock, method, path, mac)
  const isUncounted = uncountedPaths(routers.restRouter)
  app.use(rateLimiter(deps, rateLimitStore, (path) => isUncounted(path) || REFERENCE_FILES.has(path), isOwn))
}

/** Finds issuer metadata at the address that has its path at the end. */
function useWellKnown(app: Express, { issuerBaseUrl }: Config): void {
  if (new URL(issuerBaseUrl).pathname !== '/') app.use(insertedWellKnown(issuerBaseUrl))
}

/** The Express stack, in the order in which a request passes it. */
export function createApp(service: Served, options: AppOptions = {}): App {
  const { deps, routers } = service
  const { config } = deps
  const { appRouter, restRouter } = routers
  const app = newApp(service)
  if (config.authDisabled) app.use(hostCheck(config, walletPaths(restRouter)))
  // Not counted: opening the console takes some ten files at once.
  if (config.console !== undefined) app.use(consoleFiles(config))
  limitRate(app, service, options)
  useWellKnown(app, config)
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

/**
 * The stack of the public listener: protocol, metadata and pages, for callers who are nobody, whatever they send and
 * whatever host they name. What else the service has is not there.
 */
export function createPublicApp({ forStrangers }: Pick<Service, 'forStrangers'>, options: AppOptions = {}): App {
  const { deps, routers } = forStrangers
  const app = newApp(forStrangers)
  limitRate(app, forStrangers, options)
  useWellKnown(app, deps.config)
  app.use(createRestMount(routers.restRouter, deps, isOpenRoute))

  app.use((request, _response, next) => next(errors.routeNotFound(request.method, request.path)))
  const onError: ErrorRequestHandler = (thrown, request, response, _next) =>
    sendFailure(thrown, undefined, request, response, deps)
  app.use(onError)
  return app
}

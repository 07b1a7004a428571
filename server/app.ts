import express, { type ErrorRequestHandler, type Express } from 'express'
import type { Store } from 'express-rate-limit'
import type { ContextPorts } from './api/context.js'
import { errors } from './api/errors.js'
import type { Config } from './config/config.js'
import type { ConsoleSessions } from './console/sessions/sessions.js'
import { accessLog } from './http/access-log.js'
import { apiReference, REFERENCE_FILES } from './http/api-reference.js'
import { consoleFiles } from './http/console-files.js'
import { createContexts } from './http/contexts.js'
import { corsPolicy } from './http/cors.js'
import { createFailures } from './http/failure.js'
import { hostCheck } from './http/host-check.js'
import { uncountedPaths, walletPaths } from './http/paths.js'
import { rateLimiter } from './http/rate-limit.js'
import { requestId } from './http/request-facts.js'
import { requestMetrics } from './http/request-metrics.js'
import { createRestMount, type RestPorts } from './http/rest.js'
import { isOpenRoute } from './http/routes.js'
import { createRpcMount, sendRpcFailure } from './http/rpc.js'
import { securityHeaders } from './http/security-headers.js'
import type { App } from './http/server.js'
import { insertedWellKnown } from './http/well-known.js'
import type { Log } from './log/log.js'
import type { Metrics } from './metrics/metrics.js'
import { isOwnRequest } from './outbound/own-origin.js'
import type { Routers } from './router.js'

/** Dependencies of an application. */
export interface AppPorts extends Pick<RestPorts, 'pings'> {
  readonly config: Config
  readonly routers: Routers
  readonly context: ContextPorts
  readonly clock: () => Date
  readonly log: Log
  readonly metrics: Metrics
  /** Undefined if users cannot log in. */
  readonly consoleSessions: Pick<ConsoleSessions, 'counted'> | undefined
  /** A key of 32 bytes for one purpose. */
  readonly sealingKey: (label: string) => Uint8Array
}

export interface AppOptions {
  /** Where the rate limit is counted. Default: this process' memory. */
  readonly rateLimitStore?: Store | undefined
}

/** An application without routes: the handlers that every request passes first. */
function newApp({ config, log, metrics, routers: { restRouter }, sealingKey }: AppPorts): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.set('trust proxy', config.trustProxy ?? false)

  app.use(requestId())
  if (config.metrics.port !== undefined) app.use(requestMetrics(metrics, restRouter))
  if (log.isLevelEnabled('info')) app.use(accessLog(log, sealingKey('access-log')))
  app.use(securityHeaders())
  app.use(corsPolicy(config, walletPaths(restRouter)))
  return app
}

function limitRate(app: Express, ports: AppPorts, { rateLimitStore }: AppOptions, ofStrangers: boolean): void {
  const { rateLimit, console } = ports.config
  if (rateLimit.max === 0 && (console?.rateLimitMax ?? 0) === 0) return
  const key = ports.sealingKey('own-request')
  const isOwn = (path: string, method: string, mac: string | undefined) =>
    isOwnRequest(key, ports.clock, method, path, mac)
  const isUncounted = uncountedPaths(ports.routers.restRouter)
  app.use(
    rateLimiter(
      { ...ports, ofStrangers },
      rateLimitStore,
      (path) => isUncounted(path) || REFERENCE_FILES.has(path),
      isOwn,
    ),
  )
}

/** Serves issuer metadata also at the address with the issuer's path at its end. */
function useWellKnown(app: Express, { issuerBaseUrl }: Config): void {
  if (new URL(issuerBaseUrl).pathname !== '/') app.use(insertedWellKnown(issuerBaseUrl))
}

/** Dependencies that the mounts of an application share. */
const mountedWith = ({ config, context, clock, log, pings }: AppPorts): RestPorts => ({
  contextOf: createContexts(context, config),
  failures: createFailures({ config, clock, log }),
  pings,
})

/** The Express stack, in the order in which a request passes it. */
export function createApp(ports: AppPorts, options: AppOptions = {}): App {
  const { config, routers } = ports
  const { appRouter, restRouter } = routers
  const mounted = mountedWith(ports)
  const app = newApp(ports)
  if (config.authDisabled) app.use(hostCheck(config, walletPaths(restRouter)))
  // Not counted by the rate limit: opening the console loads about ten files at once.
  if (config.console !== undefined) app.use(consoleFiles(config))
  limitRate(app, ports, options, false)
  useWellKnown(app, config)
  app.use(createRestMount(restRouter, mounted))
  app.use('/trpc', createRpcMount(appRouter, mounted))
  app.use(apiReference(restRouter, config))

  app.use((request, _response, next) => next(errors.routeNotFound(request.method, request.path)))
  const onError: ErrorRequestHandler = (thrown, request, response, _next) => {
    if (request.path.startsWith('/trpc/')) sendRpcFailure(thrown, appRouter, request, response, mounted)
    else mounted.failures.send(thrown, undefined, request, response)
  }
  app.use(onError)
  return app
}

/**
 * The stack of the public listener: protocol, metadata and pages. All callers are anonymous, whatever credentials they send and
 * whatever host they name. The listener serves no other part of the service.
 */
export function createPublicApp(ports: AppPorts, options: AppOptions = {}): App {
  const mounted = mountedWith(ports)
  const app = newApp(ports)
  limitRate(app, ports, options, true)
  useWellKnown(app, ports.config)
  app.use(createRestMount(ports.routers.restRouter, mounted, isOpenRoute))

  app.use((request, _response, next) => next(errors.routeNotFound(request.method, request.path)))
  const onError: ErrorRequestHandler = (thrown, request, response, _next) =>
    mounted.failures.send(thrown, undefined, request, response)
  app.use(onError)
  return app
}

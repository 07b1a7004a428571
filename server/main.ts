import 'dotenv/config'
import cluster from 'node:cluster'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Store } from 'express-rate-limit'
import { createApp, createPublicApp } from './app.js'
import { type Config, readConfig } from './config.js'
import { countInPrimary, PrimaryStore } from './http/rate-limit-cluster.js'
import type { RedisCounter } from './http/rate-limit-redis.js'
import { type App, createAppServer } from './http/server.js'
import { closeServer, endConnections, watchConnections } from './http/shutdown.js'
import { inTime } from './in-time.js'
import { createLog, type Log, logDestination } from './log.js'
import { listenForOperators, ownSources, tellPrimary, workerSources } from './operations.js'
import { prepareDatabase } from './prepare.js'
import { whyNotStarted } from './start-failure.js'
import { startupWarnings } from './startup-warnings.js'
import { endWhileStarting, onStop } from './stop-signals.js'
import { createService, type Service } from './wiring.js'
import { superviseWorkers } from './workers.js'

/**
 * Longer than the minute for which proxies usually keep idle connections: the proxy must close first, because a request that
 * arrives while this side closes is lost.
 */
const KEEP_ALIVE_MS = 65_000

/** How long connections may take to close once requests are done; those to a database that does not answer would never. */
const CLOSE_MS = 5_000

function listen(app: App, { host, port }: { readonly host: string; readonly port: number }): Promise<Server> {
  const { server, serve } = createAppServer({ keepAliveTimeout: KEEP_ALIVE_MS })
  watchConnections(server)
  serve(app)
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve(server.off('error', reject)))
  })
}

/**
 * Readiness down, everything served for the delay all the same, each answer the last one of its connection; then no new
 * connections, streams ended, requests under way finished, connections closed.
 */
function stopWhenTold(
  config: Config,
  servers: readonly Server[],
  service: Service,
  redis: RedisCounter | undefined,
  log: Log,
): void {
  onStop(async (signal, hurry) => {
    const delaySeconds = config.shutdownDelaySeconds
    log.info({ signal, delaySeconds }, 'stopping')
    service.beginStop()
    servers.forEach(endConnections)
    if (delaySeconds > 0) await setTimeout(delaySeconds * 1_000, undefined, { signal: hurry }).catch(() => undefined)
    log.info('draining')
    service.endStreams()
    const cut = await Promise.all(servers.map(closeServer))
    if (cut.includes(true)) log.warn('requests that did not end were cut off')
    await inTime(
      service.close().then(() => redis?.close()),
      CLOSE_MS,
    )
    log.info('stopped')
    log.flush()
  }).then(
    () => process.exit(0),
    (error: unknown) => {
      log.fatal({ err: error }, 'stopping failed')
      process.exit(1)
    },
  )
}

/** Imported on demand: the Redis client is a third of the files to load, and most installations have no Redis. */
async function redisCounter(url: string, log: Log): Promise<RedisCounter> {
  const { createRedisCounter } = await import('./http/rate-limit-redis.js')
  return createRedisCounter(url, log)
}

/** The public listener, where PUBLIC_PORT is set. */
async function listenForStrangers(
  { deps }: Service,
  { publicListener: { host, port } }: Config,
  rateLimitStore: Store | undefined,
): Promise<Server | undefined> {
  return port === undefined ? undefined : listen(createPublicApp(deps, { rateLimitStore }), { host, port })
}

async function serve(config: Config, log: Log): Promise<void> {
  const redis = config.redisUrl === undefined ? undefined : await redisCounter(config.redisUrl, log)
  const service = await createService(config, {
    log,
    ...(redis === undefined ? {} : { checks: { redis: redis.check } }),
  })
  if (config.metrics.port !== undefined) service.deps.metrics.readProcess()
  if (cluster.isWorker) tellPrimary(service.deps)
  else await listenForOperators(config, log, () => ownSources(service.deps))
  const rateLimitStore: Store | undefined = redis?.store ?? (cluster.isWorker ? new PrimaryStore() : undefined)
  const server = await listen(createApp(service.deps, { rateLimitStore }), config)
  const strangers = await listenForStrangers(service, config, rateLimitStore)
  stopWhenTold(config, strangers === undefined ? [server] : [server, strangers], service, redis, log)
  const { address, port } = server.address() as AddressInfo
  const { issuerBaseUrl: issuer, verifierBaseUrl: verifier } = config
  log.info({ pid: process.pid, address, port, issuer, verifier }, 'listening')
  if (strangers !== undefined) log.info(strangers.address() as AddressInfo, 'listening for strangers')
}

/** A warning of the start is shown whatever LOG_LEVEL says: on standard error where the log would leave it out. */
function warn(log: Log, warning: string): void {
  if (log.isLevelEnabled('warn')) log.warn(warning)
  else process.stderr.write(`${warning}\n`)
}

/** Starts the service as its environment says. Exits 1 with the reason on standard error where it cannot. */
export async function main(): Promise<void> {
  let config: Config | undefined
  let preparing = false
  endWhileStarting()
  try {
    config = readConfig(process.env)
    const log = createLog(config.logLevel, await logDestination(process.stdout))
    if (cluster.isPrimary) {
      for (const warning of startupWarnings(config)) warn(log, warning)
      preparing = true
      await prepareDatabase(config, log)
      preparing = false
    }
    if (cluster.isPrimary && config.webConcurrency > 1) {
      if (config.redisUrl === undefined) countInPrimary(config.rateLimit.windowSeconds)
      await listenForOperators(config, log, workerSources)
      superviseWorkers(config.webConcurrency, config.publicListener.port === undefined ? 1 : 2, log)
    } else await serve(config, log)
  } catch (error) {
    process.stderr.write(`${whyNotStarted(error, config, preparing)}\n`)
    process.exit(1)
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main()

import cluster from 'node:cluster'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Store } from 'express-rate-limit'
import { createApp, createPublicApp } from '../app.js'
import type { Config } from '../config/config.js'
import { PrimaryStore } from '../http/rate-limit-cluster.js'
import type { RedisCounter } from '../http/rate-limit-redis.js'
import { type App, createAppServer } from '../http/server.js'
import { closeServer, endConnections, watchConnections } from '../http/shutdown.js'
import type { KeyRing } from '../keys/envelope/open.js'
import type { Log } from '../log/log.js'
import { inTime } from '../outbound/in-time.js'
import { createService, type Service } from '../wiring/service.js'
import { listenForOperators, ownSources, tellPrimary } from './operations.js'
import { onStop } from './stop-signals.js'
import { tellKeysToPrimary } from './worker-keys.js'

/**
 * Time for which idle connections stay open. It is longer than one minute, the usual time of proxies. So the proxy
 * closes an idle connection before this service does. Otherwise a request that arrives while this service closes the
 * connection would be lost.
 */
const KEEP_ALIVE_MS = 65_000

/**
 * Time limit for closing connections after the last request. Without a limit, connections to a database that does not
 * answer would never close.
 */
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
 * Stops the process after a signal. During the configured delay, the readiness check fails and all requests are still
 * served, but each answer closes its connection. Then the process accepts no new connections, ends streams, finishes
 * open requests and closes connections.
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

/** The module is imported on demand: the Redis client is a third of all files, and most installations have no Redis. */
async function redisCounter(url: string, log: Log): Promise<RedisCounter> {
  const { createRedisCounter } = await import('../http/rate-limit-redis.js')
  return createRedisCounter(url, log)
}

/** The public listener, if PUBLIC_PORT is set. */
async function listenForStrangers(
  service: Service,
  { publicListener: { host, port } }: Config,
  rateLimitStore: Store | undefined,
): Promise<Server | undefined> {
  return port === undefined
    ? undefined
    : listen(createPublicApp(service.publicApp(), { rateLimitStore }), { host, port })
}

/**
 * Serves requests until a signal stops the process. The process is alone, or a worker of a primary process. The
 * database must have been prepared before.
 *
 * @param keyEncryptionKeys the keys that `prepareDatabase` opened
 * @throws if the service cannot begin, for example if a port is in use.
 */
export async function serve(config: Config, log: Log, keyEncryptionKeys: KeyRing): Promise<void> {
  const redis = config.redisUrl === undefined ? undefined : await redisCounter(config.redisUrl, log)
  const service = await createService(config, {
    log,
    keyEncryptionKeys,
    ...(cluster.isWorker ? { onKeysChanged: tellKeysToPrimary } : {}),
    ...(redis === undefined ? {} : { checks: { redis: redis.check } }),
  })
  if (config.metrics.port !== undefined) service.operated.metrics.readProcess()
  if (cluster.isWorker) tellPrimary(service.operated)
  else await listenForOperators(config, log, () => ownSources(service.operated))
  const rateLimitStore: Store | undefined = redis?.store ?? (cluster.isWorker ? new PrimaryStore() : undefined)
  const server = await listen(createApp(service.app, { rateLimitStore }), config)
  const strangers = await listenForStrangers(service, config, rateLimitStore)
  stopWhenTold(config, strangers === undefined ? [server] : [server, strangers], service, redis, log)
  const { address, port } = server.address() as AddressInfo
  const { issuerBaseUrl: issuer, verifierBaseUrl: verifier } = config
  log.info({ pid: process.pid, address, port, issuer, verifier }, 'listening')
  if (strangers !== undefined) log.info(strangers.address(), 'listening for strangers')
}

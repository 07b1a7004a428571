import 'dotenv/config'
import cluster from 'node:cluster'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Store } from 'express-rate-limit'
import { ensureDefaults } from './agent/defaults.js'
import { createApp } from './app.js'
import { type Config, ConfigurationError, readConfig } from './config.js'
import { connectDatabase, UNHURRIED_MS } from './database/connect.js'
import { migrate } from './database/migrate.js'
import { MigrationError } from './database/migration-error.js'
import { withStartLock } from './database/start-lock.js'
import { countInPrimary, PrimaryStore } from './http/rate-limit-cluster.js'
import type { RedisCounter } from './http/rate-limit-redis.js'
import { type App, createAppServer } from './http/server.js'
import { closeServer, endConnections } from './http/shutdown.js'
import { createAtRestStore } from './keys/at-rest/store.js'
import { openStoredKeys } from './keys/keys.js'
import { createVault } from './keys/vault.js'
import { createLog, type Log, logDestination } from './log.js'
import { listenForOperators, ownSources, tellPrimary, workerSources } from './operations.js'
import { startupWarnings } from './startup-warnings.js'
import { onStop } from './stop-signals.js'
import { createService, createStores, type Service } from './wiring.js'
import { superviseWorkers } from './workers.js'

/** Brings the database to this version and makes what every installation has; one process at a time. */
async function prepareDatabase(config: Config, log: Log): Promise<void> {
  await withStartLock(config.directDatabaseUrl, async (lock) => {
    const applied = await migrate(lock)
    if (applied.length > 0) log.info({ migrations: applied }, 'database migrated')
    const database = connectDatabase(config.directDatabaseUrl, { max: 2, waitMs: UNHURRIED_MS })
    try {
      const stores = createStores(database)
      const vault = createVault(config.keyEncryptionKeys)
      const encrypted = await openStoredKeys(
        { keys: stores.keys, atRest: createAtRestStore(database) },
        config.keyEncryptionKeys,
      )
      if (encrypted > 0) log.info({ values: encrypted }, 'stored secrets encrypted for their rows')
      await ensureDefaults({ config, vault, newId: () => crypto.randomUUID(), stores })
    } finally {
      await database.close()
    }
  })
}

/**
 * Longer than the minute for which proxies usually keep idle connections: the proxy must close first, because a request that
 * arrives while this side closes is lost.
 */
const KEEP_ALIVE_MS = 65_000

function listen(app: App, config: Config): Promise<Server> {
  const { server, serve } = createAppServer({ keepAliveTimeout: KEEP_ALIVE_MS })
  serve(app)
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(config.port, config.host, () => resolve(server.off('error', reject)))
  })
}

/**
 * Readiness down, everything served for the delay all the same, each answer the last one of its connection; then no new
 * connections, streams ended, requests under way finished, connections closed.
 */
function stopWhenTold(
  config: Config,
  server: Server,
  service: Service,
  redis: RedisCounter | undefined,
  log: Log,
): void {
  onStop(async (signal, hurry) => {
    const delaySeconds = config.shutdownDelaySeconds
    log.info({ signal, delaySeconds }, 'stopping')
    service.beginStop()
    endConnections(server)
    if (delaySeconds > 0) await setTimeout(delaySeconds * 1_000, undefined, { signal: hurry }).catch(() => undefined)
    log.info('draining')
    service.endStreams()
    await closeServer(server)
    await service.close()
    await redis?.close()
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
  stopWhenTold(config, server, service, redis, log)
  const { address, port } = server.address() as AddressInfo
  const { issuerBaseUrl: issuer, verifierBaseUrl: verifier } = config
  log.info({ pid: process.pid, address, port, issuer, verifier }, 'listening')
}

/** A database that cannot be reached (Node's codes), or that refuses (SQLSTATE: authorization, catalog name, connection). */
const DATABASE_REFUSES =
  /^(ECONN[A-Z]+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|28[0-9A-Z]{3}|3D000|08[0-9A-Z]{3}|53300|57P0\d)$/

/** Why the start failed: a message for the operator where the environment is the cause. */
function explain(thrown: unknown, config: Config | undefined): string {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  if (error instanceof ConfigurationError || error instanceof MigrationError || config === undefined)
    return error.message
  const { code = '', syscall } = error as { code?: string; syscall?: string }
  const place = `${config.host}:${config.port}`
  if (code === 'EADDRINUSE') return `${place} is already in use. Set PORT to another one, or stop what listens there.`
  if (syscall === 'listen' || syscall === 'bind')
    return `${place} cannot be listened on (${code}). Check HOST and PORT.`
  if (DATABASE_REFUSES.test(code))
    return `The database of DATABASE_URL cannot be used (${code}). ${error.message}`.trim()
  return error.stack ?? error.message
}

/** A warning of the start is shown whatever LOG_LEVEL says: on standard error where the log would leave it out. */
function warn(log: Log, warning: string): void {
  if (log.isLevelEnabled('warn')) log.warn(warning)
  else process.stderr.write(`${warning}\n`)
}

/** Starts the service as its environment says. Exits 1 with the reason on standard error where it cannot. */
export async function main(): Promise<void> {
  let config: Config | undefined
  try {
    config = readConfig(process.env)
    const log = createLog(config.logLevel, await logDestination(process.stdout))
    if (cluster.isPrimary) {
      for (const warning of startupWarnings(config)) warn(log, warning)
      await prepareDatabase(config, log)
    }
    if (cluster.isPrimary && config.webConcurrency > 1) {
      if (config.redisUrl === undefined) countInPrimary(config.rateLimit.windowSeconds)
      await listenForOperators(config, log, workerSources)
      superviseWorkers(config.webConcurrency, log)
    } else await serve(config, log)
  } catch (error) {
    process.stderr.write(`${explain(error, config)}\n`)
    process.exit(1)
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main()

import 'dotenv/config'
import cluster from 'node:cluster'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import type { Store } from 'express-rate-limit'
import { ensureDefaults } from './agent/defaults.js'
import { createApp } from './app.js'
import { type Config, ConfigurationError, readConfig, startupWarnings } from './config.js'
import { connectDatabase } from './database/connect.js'
import { migrate } from './database/migrate.js'
import { withStartLock } from './database/start-lock.js'
import { createService, createStores, type Service } from './deps.js'
import { countInPrimary, PrimaryStore } from './http/rate-limit-cluster.js'
import { createRedisCounter, type RedisCounter } from './http/rate-limit-redis.js'
import { assertKeysOpen } from './keys/keys.js'
import { createVault } from './keys/vault.js'
import { createLog, type Log } from './log.js'

/** How long requests may take to end after the process was told to stop. */
const STOP_TIMEOUT_MS = 25_000

/** Brings the database to this version and makes what every installation has; one process at a time. */
async function prepareDatabase(config: Config, log: Log): Promise<void> {
  await withStartLock(config.databaseUrl, async (lock) => {
    const applied = await migrate(lock)
    if (applied.length > 0) log.info({ migrations: applied }, 'database migrated')
    const database = connectDatabase(config.databaseUrl, { max: 2 })
    try {
      const stores = createStores(database)
      const vault = createVault(config.keyEncryptionKeys)
      await assertKeysOpen(stores.keys, vault)
      await ensureDefaults({ config, vault, newId: () => crypto.randomUUID(), stores })
    } finally {
      await database.close()
    }
  })
}

function listen(app: ReturnType<typeof createApp>, config: Config): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = app.listen(config.port, config.host, (error?: Error) =>
      error === undefined ? resolve(server) : reject(error),
    )
  })
}

/** Readiness down, no new connections, streams ended, requests under way finished, connections closed. */
function stopOnSignal(server: Server, service: Service, redis: RedisCounter | undefined, log: Log): void {
  const stop = async (signal: string) => {
    log.info({ signal }, 'stopping')
    service.beginStop()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeIdleConnections()
    const timer = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS)
    await closed
    clearTimeout(timer)
    await service.close()
    await redis?.close()
    log.info('stopped')
    log.flush()
    if (cluster.isWorker) cluster.worker?.disconnect()
  }
  let stopping: Promise<void> | undefined
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stopping ??= stop(signal).then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'stopping failed')
          process.exit(1)
        },
      )
    })
  }
}

async function serve(config: Config, log: Log): Promise<void> {
  const redis = config.redisUrl === undefined ? undefined : await createRedisCounter(config.redisUrl, log)
  const service = await createService(config, {
    log,
    ...(redis === undefined ? {} : { checks: { redis: redis.check } }),
  })
  const rateLimitStore: Store | undefined = redis?.store ?? (cluster.isWorker ? new PrimaryStore() : undefined)
  const server = await listen(createApp(service.deps, { rateLimitStore }), config)
  stopOnSignal(server, service, redis, log)
  const { address, port } = server.address() as AddressInfo
  log.info({ address, port, issuer: config.issuerBaseUrl, verifier: config.verifierBaseUrl }, 'listening')
}

/** The primary starts workers, replaces one that dies, and passes on the signal to stop. */
function superviseWorkers(config: Config, log: Log): void {
  let stopping = false
  if (config.redisUrl === undefined) countInPrimary(config.rateLimit.windowSeconds)
  for (let count = 0; count < config.webConcurrency; count += 1) cluster.fork()
  cluster.on('exit', (worker, code, signal) => {
    if (stopping) return
    log.error({ worker: worker.id, code, signal }, 'worker ended; starting another')
    // A worker that cannot even start would otherwise be restarted without end.
    if (worker.exitedAfterDisconnect || code === 1) process.exitCode = 1
    else cluster.fork()
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stopping = true
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
    })
  }
}

function explain(error: unknown, config: Config | undefined): string {
  const { code } = error as { code?: unknown }
  if (error instanceof ConfigurationError) return error.message
  if (code === 'EADDRINUSE' && config !== undefined) {
    return `Port ${config.port} of ${config.host} is already in use. Set PORT to another one, or stop what listens there.`
  }
  if (code === 'ECONNREFUSED') return 'The database of DATABASE_URL cannot be reached.'
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Starts the service as its environment says. Exits 1 with the reason on standard error where it cannot. */
export async function main(): Promise<void> {
  let config: Config | undefined
  try {
    config = readConfig(process.env)
    const log = createLog(config.logLevel)
    if (cluster.isPrimary) {
      for (const warning of startupWarnings(config)) log.warn(warning)
      await prepareDatabase(config, log)
    }
    if (cluster.isPrimary && config.webConcurrency > 1) superviseWorkers(config, log)
    else await serve(config, log)
  } catch (error) {
    process.stderr.write(`${explain(error, config)}\n`)
    process.exit(1)
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main()

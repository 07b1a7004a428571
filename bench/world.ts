import { randomBytes } from 'node:crypto'
import { type CredenceClient, createCredenceClient } from '../client/index.js'
import { freePort } from '../scripts/postgres/free-port.js'
import { type BenchServer, startBenchServer } from './database.js'
import { startIdentityProvider } from './identity-provider.js'
import { nodeOfVersion } from './npm.js'
import type { BenchOptions } from './options.js'
import { startTarget, type Target, type TargetOptions } from './targets/target.js'

/**
 * One service with its own database, and what a caller of its API needs: the typed client, the authorization header and
 * the client secret.
 */
export interface Installation {
  readonly service: Target
  readonly credence: CredenceClient
  /** Authorization header of the caller. */
  readonly authorization: string
  readonly clientSecret: string
  readonly databaseUrl: string
}

/** The programs that the rows measure. */
export interface World extends Installation {
  readonly express: Target
  readonly cryptography: Target
  /** A program that only commits transactions in the same PostgreSQL. */
  readonly commits: Target
  readonly postgres: BenchServer
  /** Version of the Node.js that runs the measured programs. */
  readonly nodeVersion: string
  /** Starts a new process of the service or of bare Express. `close` ends the process. */
  startFresh(which: 'service' | 'express'): Promise<Target>
  /** Starts a service with more settings and its own database. `close` ends the service. */
  startInstallation(env: Readonly<Record<string, string>>): Promise<Installation>
  /** Starts a program of targets/ that repeats operations without HTTP. `close` ends the program. */
  startOperations(program: string, env?: Readonly<Record<string, string>>): Promise<Target>
  /** Starts the program that shows the minimal cost of flows, with its own database. `close` ends the program. */
  startFloor(): Promise<Target>
  /** Starts one of the programs of peers/. `close` ends the program. */
  startPeer(program: string): Promise<Target>
  /** Lets `close` end something else too, before all things that were started earlier. */
  atEnd(end: () => Promise<void>): void
  close(): Promise<void>
}

interface ServiceSettings {
  readonly port: number
  readonly databaseUrl: string
  readonly jwksUrl: string
  readonly clientSecret: string
  readonly keyEncryptionKey: string
}

function environment(settings: ServiceSettings): Record<string, string> {
  const url = `http://127.0.0.1:${settings.port}`
  return {
    ISSUER_BASE_URL: url,
    VERIFIER_BASE_URL: url,
    ALLOW_INSECURE_HTTP: 'true',
    DATABASE_URL: settings.databaseUrl,
    OIDC_JWKS_URL: settings.jwksUrl,
    CLIENT_SECRET: settings.clientSecret,
    KEY_ENCRYPTION_KEY: settings.keyEncryptionKey,
    RATE_LIMIT_MAX: '0',
    MAX_STREAMS_PER_CALLER: '0',
    LOG_LEVEL: 'warn',
  }
}

/** Starts the database, the identity provider and the measured processes. All of them are removed at the end. */
export async function createWorld({ profile, node, processes }: BenchOptions): Promise<World> {
  const closing: (() => Promise<void>)[] = []
  const close = async () => {
    const failures: unknown[] = []
    for (const end of closing.splice(0).reverse()) await end().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw new AggregateError(failures, 'Not everything that was started could be ended.')
  }
  const { program, version } =
    node === undefined ? { program: process.execPath, version: process.version } : nodeOfVersion(node)
  const start = async (options: Omit<TargetOptions, 'node'>) => {
    const target = await startTarget({ ...options, node: program })
    closing.push(target.stop)
    return target
  }
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
  const workers = { WEB_CONCURRENCY: String(processes) }
  try {
    const postgres = await startBenchServer()
    closing.push(postgres.remove)
    const identityProvider = await startIdentityProvider()
    closing.push(identityProvider.close)
    const clientSecret = randomBytes(24).toString('base64url')
    const keyEncryptionKey = randomBytes(32).toString('base64url')
    const accessToken = await identityProvider.token('bench')
    const startService = async (databaseUrl: string, env: Readonly<Record<string, string>>, execArgv: string[]) => {
      const port = await freePort()
      const settings = { port, databaseUrl, jwksUrl: identityProvider.jwksUrl, clientSecret, keyEncryptionKey }
      const whole = { ...environment(settings), ...env }
      return start({ program: 'service.mjs', port, env: whole, execArgv, ready: '/health/readiness' })
    }
    const startInstallation: World['startInstallation'] = async (env) => {
      const databaseUrl = await postgres.createDatabase()
      const service = await startService(databaseUrl, { ...workers, ...env }, profiling)
      const credence = createCredenceClient({ url: service.url, accessToken, clientSecret })
      return { service, credence, authorization: `Bearer ${accessToken}`, clientSecret, databaseUrl }
    }
    const startExpress = async () => start({ program: 'bare-express.mjs', port: await freePort(), ready: '/version' })
    const main = await startInstallation({})
    const commits = { DATABASE_URL: await postgres.createDatabase() }
    const startOperations: World['startOperations'] = (name, env = {}) => start({ program: name, port: 0, env })
    return {
      ...main,
      express: await startExpress(),
      cryptography: await startOperations('cryptography.mjs'),
      commits: await startOperations('commits.mjs', commits),
      postgres,
      nodeVersion: version,
      startFresh: (which) => (which === 'service' ? startService(main.databaseUrl, {}, []) : startExpress()),
      startInstallation,
      startOperations,
      startFloor: async () => {
        const env = { DATABASE_URL: await postgres.createDatabase() }
        return start({ program: 'floor.mjs', port: await freePort(), env, ready: '/ready' })
      },
      startPeer: async (name) => start({ program: `../peers/${name}`, port: await freePort(), ready: '/first-party' }),
      atEnd: (end) => void closing.push(end),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

import { randomBytes } from 'node:crypto'
import { type CredenceClient, createCredenceClient } from '../client/index.js'
import { freePort } from '../scripts/postgres/free-port.js'
import { createBenchDatabase } from './database.js'
import { startIdentityProvider } from './identity-provider.js'
import type { BenchOptions } from './options.js'
import { startTarget, type Target } from './targets/target.js'

/** Everything that rows are measured on. */
export interface World {
  readonly service: Target
  readonly express: Target
  readonly cryptography: Target
  /** The first party's side of the service, to prepare what rows need. */
  readonly credence: CredenceClient
  /** Authorization header of the caller. */
  readonly authorization: string
  readonly clientSecret: string
  readonly database: string
  /** A second, fresh process of the service beside the first, or of the yardstick. It ends with the world. */
  startFresh(which: 'service' | 'express'): Promise<Target>
  /** The service with further settings, in a process with a database of its own. It ends with the world. */
  startInstallation(env: Readonly<Record<string, string>>): Promise<Pick<World, 'service' | 'credence'>>
  close(): Promise<void>
}

interface ServiceSettings {
  readonly port: number
  readonly databaseUrl: string
  readonly jwksUrl: string
  readonly clientSecret: string
  readonly keyEncryptionKey: string
}

function environment({
  port,
  databaseUrl,
  jwksUrl,
  clientSecret,
  keyEncryptionKey,
}: ServiceSettings): Record<string, string> {
  const url = `http://127.0.0.1:${port}`
  return {
    ISSUER_BASE_URL: url,
    VERIFIER_BASE_URL: url,
    ALLOW_INSECURE_HTTP: 'true',
    DATABASE_URL: databaseUrl,
    OIDC_JWKS_URL: jwksUrl,
    CLIENT_SECRET: clientSecret,
    KEY_ENCRYPTION_KEY: keyEncryptionKey,
    RATE_LIMIT_MAX: '0',
    MAX_STREAMS_PER_CALLER: '0',
    LOG_LEVEL: 'warn',
  }
}

type StartOptions = Omit<ServiceSettings, 'port'> & {
  readonly profile: string | undefined
  readonly env?: Readonly<Record<string, string>>
}

async function startService({ profile, env = {}, ...settings }: StartOptions): Promise<Target> {
  const port = await freePort()
  return startTarget({
    program: 'service.mjs',
    port,
    env: { ...environment({ ...settings, port }), ...env },
    execArgv: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
    ready: '/health/readiness',
  })
}

const startExpress = async () => startTarget({ program: 'bare-express.mjs', port: await freePort(), ready: '/version' })

/** Starts the database, the identity provider and the processes that are measured. Nothing of it remains. */
export async function createWorld({ profile }: BenchOptions): Promise<World> {
  const closing: (() => Promise<void>)[] = []
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end()
  }
  const untilClose = async (starting: Promise<Target>) => {
    const target = await starting
    closing.push(target.stop)
    return target
  }
  try {
    const database = await createBenchDatabase()
    closing.push(database.remove)
    const identityProvider = await startIdentityProvider()
    closing.push(identityProvider.close)
    const clientSecret = randomBytes(24).toString('base64url')
    const keyEncryptionKey = randomBytes(32).toString('base64url')
    const settings = { databaseUrl: database.url, jwksUrl: identityProvider.jwksUrl, clientSecret, keyEncryptionKey }
    const service = await untilClose(startService({ ...settings, profile }))
    const accessToken = await identityProvider.token('bench')
    return {
      service,
      express: await untilClose(startExpress()),
      cryptography: await untilClose(startTarget({ program: 'cryptography.mjs', port: 0 })),
      credence: createCredenceClient({ url: service.url, accessToken, clientSecret }),
      authorization: `Bearer ${accessToken}`,
      clientSecret,
      database: database.description,
      startFresh: (which) =>
        untilClose(which === 'service' ? startService({ ...settings, profile: undefined }) : startExpress()),
      startInstallation: async (env) => {
        const own = await createBenchDatabase()
        closing.push(own.remove)
        const started = await untilClose(startService({ ...settings, databaseUrl: own.url, profile, env }))
        return {
          service: started,
          credence: createCredenceClient({ url: started.url, accessToken, clientSecret }),
        }
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

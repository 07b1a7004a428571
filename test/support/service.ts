import { ensureDefaults } from '../../server/agent/defaults.js'
import { type AppOptions, createApp } from '../../server/app.js'
import { type Config, readConfig } from '../../server/config/config.js'
import { connectDatabase, UNHURRIED_MS } from '../../server/database/connect.js'
import { createAppServer } from '../../server/http/server.js'
import type { KeyRing } from '../../server/keys/envelope/open.js'
import { openKeys } from '../../server/keys/open-keys.js'
import { createKeyProviders } from '../../server/keys/providers/providers.js'
import { createVault } from '../../server/keys/vault.js'
import { createLog, type Log } from '../../server/log/log.js'
import type { Features } from '../../server/wiring/features.js'
import type { Platform } from '../../server/wiring/platform.js'
import { createService, type Service, type ServiceOptions as WiringOptions } from '../../server/wiring/service.js'
import { createStores } from '../../server/wiring/stores.js'
import { type IdentityProvider, startIdentityProvider } from './identity-provider.js'
import { KEPT_ALIVE } from './kept-alive.js'
import { closeServer, listenLocally } from './local-server.js'
import { createTestDatabase } from './postgres.js'
import { refusalOfPublished } from './published.js'

export const CLIENT_SECRET = 'test-client-secret'

type Variables = Readonly<Record<string, string>>

export interface ServiceOptions extends WiringOptions, AppOptions {
  /**
   * Variables in addition to the environment that every test service has. An empty value removes a variable. A function
   * gets the address of the service, for certificates that name it.
   */
  readonly env?: Variables | ((url: string) => Promise<Variables>)
  /** A database to share with another service; by default a new database. */
  readonly databaseUrl?: string
  /** An identity provider to share; by default a new provider. */
  readonly identityProvider?: IdentityProvider
}

export interface TestService extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`: both base URLs. */
  readonly url: string
  readonly config: Config
  readonly platform: Platform
  readonly features: Features
  /** The service behind the address. */
  readonly service: Service
  readonly databaseUrl: string
  readonly identityProvider: IdentityProvider
  /** Sends a request to a path of the service, with `authorization` or `x-client-secret` if the options say so. */
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  /** Makes the value of the Authorization header for a caller. */
  bearer(sub: string, claims?: Parameters<IdentityProvider['token']>[1]): Promise<string>
  close(): Promise<void>
}

export interface RequestOptions {
  readonly body?: unknown
  readonly authorization?: string
  /** Sends the client secret. */
  readonly client?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape and assert what they find.
  readonly json: any
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function send(url: string, method: string, path: string, options: RequestOptions): Promise<Answer> {
  const { body, authorization, client, headers = {} } = options
  const json = body !== undefined && typeof body !== 'string'
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(json ? { 'content-type': 'application/json' } : {}),
      ...(authorization === undefined ? {} : { authorization }),
      ...(client === true ? { 'x-client-secret': CLIENT_SECRET } : {}),
      ...headers,
    },
    ...(body === undefined ? {} : { body: json ? JSON.stringify(body) : String(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parsed(text) }
}

async function makeDefaults(config: Config, log: Log): Promise<KeyRing> {
  const database = connectDatabase(config.databaseUrl, { max: 2, waitMs: UNHURRIED_MS })
  const stores = createStores(database)
  const providers = createKeyProviders({ config, clock: () => new Date() })
  try {
    const { keys } = await openKeys({ config, database, providers, log })
    const vault = createVault(keys)
    await ensureDefaults({ config, vault, newId: () => crypto.randomUUID(), providers, ...stores })
    return keys
  } finally {
    await providers.close()
    await database.close()
  }
}

/** A long time-out. On a busy machine, which may stop for seconds, a short time-out would fail a test. */
const onBusyMachine = { databaseWaitMs: UNHURRIED_MS, outbound: { timeoutMs: UNHURRIED_MS } }

/** Starts the real service with a real PostgreSQL and a real port. There is no rate limit unless `env` sets one. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const database = options.databaseUrl === undefined ? await createTestDatabase() : undefined
  const databaseUrl = options.databaseUrl ?? database?.url ?? ''
  const identityProvider = options.identityProvider ?? (await startIdentityProvider())
  const { server, serve } = createAppServer(KEPT_ALIVE)
  const url = await listenLocally(server)
  const config = readConfig({
    ISSUER_BASE_URL: url,
    VERIFIER_BASE_URL: url,
    DATABASE_URL: databaseUrl,
    OIDC_JWKS_URL: identityProvider.jwksUrl,
    ALLOW_INSECURE_HTTP: 'true',
    CLIENT_SECRET,
    RATE_LIMIT_MAX: '0',
    LOG_LEVEL: 'silent',
    ...(typeof options.env === 'function' ? await options.env(url) : options.env),
  })
  const log = createLog(config.logLevel)
  const keyEncryptionKeys = await makeDefaults(config, options.log ?? log)
  const service = await createService(config, {
    log,
    keyEncryptionKeys,
    ...onBusyMachine,
    ...options,
    outbound: { ...onBusyMachine.outbound, ...options.outbound },
  })
  serve(createApp(service.app, options))
  const close = async () => {
    // Only the service that made the database reads the published documents. Services that share the database may close
    // while it is dropped.
    const refusal = await (database === undefined ? undefined : refusalOfPublished({ url, config }))
    service.beginStop()
    service.endStreams()
    await closeServer(server)
    await service.close()
    if (options.identityProvider === undefined) await identityProvider.close()
    await database?.drop()
    if (refusal !== undefined) throw refusal
  }
  return {
    url,
    config,
    platform: service.platform,
    features: service.features,
    service,
    databaseUrl,
    identityProvider,
    request: (method, path, request = {}) => send(url, method, path, request),
    bearer: async (sub, claims) =>
      `Bearer ${await identityProvider.token(sub, { iss: config.oidc.issuer, ...claims })}`,
    close,
    [Symbol.asyncDispose]: close,
  }
}

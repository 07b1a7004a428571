import type { Environment } from './environment.js'
import type { FoundKeys } from './identity-provider.js'
import type { Person } from './login/people.js'
import { adviceFor, loginSettings } from './login-settings.js'
import type { PublicAddress } from './public-address.js'

/** What `npm start` decides from the environment. The service itself never fills in settings. */
export interface StartPlan {
  /** Variables that `npm start` sets for the service, because neither the environment nor .env sets them. */
  readonly added: Readonly<Record<string, string>>
  /** True if nothing was configured. Settings for local development are then filled in, and the demonstration schema is posted. */
  readonly local: boolean
  /**
   * Sentences for the terminal. They say which settings are filled in, which variables are missing, and how to set each
   * variable.
   */
  readonly advice: readonly string[]
  readonly embeddedDatabase: boolean
  /** The address that the service will listen on; null for an invalid PORT, which the service itself reports. */
  readonly address: { readonly host: string; readonly port: number } | null
  /** The people who can sign in with `--login`. */
  readonly people?: readonly Person[]
  /** The second address that the service listens on, for strangers; undefined without `--public`. */
  readonly open?: { readonly url: string; readonly tunnel: boolean; readonly host: string; readonly port: number }
}

/**
 * Checks that the environment allows `--public`. @throws {Error} with a sentence if a variable contradicts the option.
 */
function assertMayBePublic(environment: Environment): void {
  if (environment.NODE_ENV === 'production') {
    throw new Error(
      '--public is for trying things out, not for production: set PUBLIC_HOST and PUBLIC_PORT there, and the base URLs.',
    )
  }
  const set = ['ISSUER_BASE_URL', 'VERIFIER_BASE_URL', 'PUBLIC_HOST'].filter((name) => (environment[name] ?? '') !== '')
  if (set.length > 0)
    throw new Error(`--public chooses ${set.join(' and ')}: leave it out of the environment and .env.`)
  if (!['', '127.0.0.1', 'localhost', '::1'].includes(environment.HOST ?? '')) {
    throw new Error('With --public the service itself stays on 127.0.0.1: leave HOST out of the environment and .env.')
  }
}

/** The listen address for strangers. @throws {Error} with a sentence if the service's main port has the same address. */
function openAt(environment: Environment, address: PublicAddress, port: number): NonNullable<StartPlan['open']> {
  const given = environment.PUBLIC_PORT ?? ''
  const open = { ...address, port: address.port ?? (given === '' ? port + 1 : Number(given)) }
  if (open.port === port) {
    throw new Error(
      `Port ${port} is that of the service itself. Choose another one for --public, or for the service: PORT=${port + 1}`,
    )
  }
  return open
}

/** Names of the set variables that show that an installation was configured: base URLs and settings of an identity provider. */
function configuredIn(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name === 'ISSUER_BASE_URL' || name === 'VERIFIER_BASE_URL' || name.startsWith('OIDC_'))
    .filter((name) => (environment[name] ?? '') !== '')
    .sort()
}

/**
 * Plans a start. Settings for local development are filled in only if no variable configures an installation. With an
 * identity provider, only base URLs and OIDC_JWKS_URL are filled in. Authentication is therefore never switched off for
 * an installation with an identity provider.
 *
 * @param freePort replaces PORT=0, because the base URLs must name the port
 * @param publicAddress the value of `--public`
 * @param keys what the identity provider answered; undefined if it was not asked
 * @throws {Error} with a sentence if `--public` is not possible
 */
export function planStart(
  environment: Environment,
  freePort: number,
  publicAddress?: PublicAddress,
  keys?: FoundKeys,
): StartPlan {
  const isSet = (name: string) => (environment[name] ?? '') !== ''
  const production = environment.NODE_ENV === 'production'
  const configured = configuredIn(environment)
  const local = !production && configured.length === 0
  const hasProvider = !production && configured.some((name) => name.startsWith('OIDC_'))
  const given = isSet('PORT') ? environment.PORT : '3000'
  const port = given === '0' ? freePort : Number(given)
  const listens = Number.isInteger(port) && port > 0 && port < 65_536
  const url = `http://localhost:${listens ? port : 3000}`
  if (publicAddress !== undefined) assertMayBePublic(environment)
  const open = publicAddress === undefined ? undefined : openAt(environment, publicAddress, listens ? port : 3000)
  const settings = {
    ...(local && localSettings(url)),
    ...(hasProvider && loginSettings(isSet, url, keys)),
    ...(open !== undefined && publicSettings(open)),
  }
  const added = Object.fromEntries(Object.entries(settings).filter(([name]) => !isSet(name)))
  return {
    added: { ...(given === '0' && { PORT: String(port) }), ...added },
    local,
    advice: production ? [] : adviceFor(environment, configured, added, keys, url),
    embeddedDatabase: !production && !isSet('DATABASE_URL'),
    address: listens ? { host: isSet('HOST') ? (environment.HOST ?? '') : '127.0.0.1', port } : null,
    ...(open === undefined ? {} : { open }),
  }
}

function localSettings(url: string): Record<string, string> {
  return {
    ISSUER_BASE_URL: url,
    VERIFIER_BASE_URL: url,
    AUTH_DISABLED: 'true',
    ALLOW_INSECURE_HTTP: 'true',
    TRUSTED_ISSUERS: '*',
  }
}

/**
 * Settings for `--public`. Plain http is allowed only on the local network. A tunnel sends the client's address with
 * each request, so it is a trusted proxy.
 */
function publicSettings({ url, tunnel, host, port }: NonNullable<StartPlan['open']>): Record<string, string> {
  return {
    ISSUER_BASE_URL: url,
    VERIFIER_BASE_URL: url,
    PUBLIC_HOST: host,
    PUBLIC_PORT: String(port),
    ALLOW_INSECURE_HTTP: String(!tunnel),
    ...(tunnel && { TRUST_PROXY: 'loopback' }),
  }
}

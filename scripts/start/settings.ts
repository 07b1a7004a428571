import { existsSync, readFileSync } from 'node:fs'
import { parse } from 'dotenv'
import type { PublicAddress } from './public-address.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** What `npm start` decides from the environment. The service itself never fills in settings. */
export interface StartPlan {
  /** Variables that `npm start` sets for the service, because neither the environment nor .env sets them. */
  readonly added: Readonly<Record<string, string>>
  /** True if nothing was configured. Settings for local development are then filled in, and the demonstration schema is posted. */
  readonly local: boolean
  /**
   * Sentences for the terminal. They say why no setting is filled in, which variables are missing, and how to set each
   * variable.
   */
  readonly advice: readonly string[]
  readonly embeddedDatabase: boolean
  /** The address that the service will listen on; null for an invalid PORT, which the service itself reports. */
  readonly address: { readonly host: string; readonly port: number } | null
  /** The second address that the service listens on, for strangers; undefined without `--public`. */
  readonly open?: { readonly url: string; readonly tunnel: boolean; readonly host: string; readonly port: number }
}

/** The environment, with the variables of .env. A variable of the environment has precedence, even if it is empty. */
export function readEnvironment(environment: Environment, file: string): Environment {
  return existsSync(file) ? { ...parse(readFileSync(file)), ...environment } : environment
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

/** Sentences about the missing variables of a configured installation, and how to set them. Empty if no variable is missing. */
function adviceFor(
  environment: Environment,
  configured: readonly string[],
  added: Readonly<Record<string, string>>,
  url: string,
): string[] {
  const lacks = (name: string) => (environment[name] ?? added[name] ?? '') === ''
  const issuer = environment.OIDC_ISSUER || 'the address of the identity provider'
  const steps = [
    ...['ISSUER_BASE_URL', 'VERIFIER_BASE_URL']
      .filter(lacks)
      .map((name) => `${name}: set the https address of the service, or ${url} with ALLOW_INSECURE_HTTP=true.`),
    ...(lacks('OIDC_JWKS_URL') && environment.AUTH_DISABLED !== 'true'
      ? [`OIDC_JWKS_URL: set the jwks_uri of ${issuer.replace(/\/$/, '')}/.well-known/openid-configuration.`]
      : []),
  ]
  if (configured.length === 0 || steps.length === 0) return []
  return [
    `npm start fills in no settings, because these are set: ${configured.join(', ')}. The service still needs:`,
    ...steps,
  ]
}

/**
 * Plans a start. Settings are filled in only if no variable configures an installation. Authentication is therefore never switched
 * off for an installation with an identity provider.
 *
 * @param freePort replaces PORT=0, because the base URLs must name the port
 * @param publicAddress the value of `--public`
 * @throws {Error} with a sentence if `--public` is not possible
 */
export function planStart(environment: Environment, freePort: number, publicAddress?: PublicAddress): StartPlan {
  const isSet = (name: string) => (environment[name] ?? '') !== ''
  const production = environment.NODE_ENV === 'production'
  const configured = configuredIn(environment)
  const local = !production && configured.length === 0
  const given = isSet('PORT') ? environment.PORT : '3000'
  const port = given === '0' ? freePort : Number(given)
  const listens = Number.isInteger(port) && port > 0 && port < 65_536
  if (publicAddress !== undefined) assertMayBePublic(environment)
  const open = publicAddress === undefined ? undefined : openAt(environment, publicAddress, listens ? port : 3000)
  const wanted = {
    ...(given === '0' && { PORT: String(port) }),
    ...(local && localSettings(`http://localhost:${listens ? port : 3000}`)),
    ...(open !== undefined && publicSettings(open)),
  }
  return {
    added: Object.fromEntries(Object.entries(wanted).filter(([name]) => name === 'PORT' || !isSet(name))),
    local,
    advice: production ? [] : adviceFor(environment, configured, wanted, `http://localhost:${listens ? port : 3000}`),
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

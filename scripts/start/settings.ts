import { existsSync, readFileSync } from 'node:fs'
import { parse } from 'dotenv'

export type Environment = Readonly<Record<string, string | undefined>>

/** What `npm start` decides from the environment; the service itself fills in nothing. */
export interface StartPlan {
  /** Variables for the service that neither the environment nor .env sets. */
  readonly added: Readonly<Record<string, string>>
  /** True where nothing was configured: settings for local development are filled in and the demonstration schema is posted. */
  readonly local: boolean
  readonly embeddedDatabase: boolean
  /** Where the service will listen; null where PORT is none, which the service then says itself. */
  readonly address: { readonly host: string; readonly port: number } | null
}

/** The environment with what .env adds to it; a variable of the environment wins, even an empty one. */
export function readEnvironment(environment: Environment, file: string): Environment {
  return existsSync(file) ? { ...parse(readFileSync(file)), ...environment } : environment
}

/**
 * Settings are filled in only where nobody has begun to configure an installation.
 *
 * @param freePort stands in for PORT=0, since the base URLs must name the port
 */
export function planStart(environment: Environment, freePort: number): StartPlan {
  const isSet = (name: string) => (environment[name] ?? '') !== ''
  const production = environment.NODE_ENV === 'production'
  const configured = ['ISSUER_BASE_URL', 'VERIFIER_BASE_URL', 'OIDC_JWKS_URL'].some(isSet)
  const local = !production && !configured
  const given = isSet('PORT') ? environment.PORT : '3000'
  const port = given === '0' ? freePort : Number(given)
  const listens = Number.isInteger(port) && port > 0 && port < 65_536
  const wanted = {
    ...(given === '0' && { PORT: String(port) }),
    ...(local && localSettings(listens ? port : 3000)),
  }
  return {
    added: Object.fromEntries(Object.entries(wanted).filter(([name]) => name === 'PORT' || !isSet(name))),
    local,
    embeddedDatabase: !production && !isSet('DATABASE_URL'),
    address: listens ? { host: isSet('HOST') ? (environment.HOST ?? '') : '127.0.0.1', port } : null,
  }
}

function localSettings(port: number): Record<string, string> {
  const url = `http://localhost:${port}`
  return {
    ISSUER_BASE_URL: url,
    VERIFIER_BASE_URL: url,
    AUTH_DISABLED: 'true',
    ALLOW_INSECURE_HTTP: 'true',
    TRUSTED_ISSUERS: '*',
  }
}

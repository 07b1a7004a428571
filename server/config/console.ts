import { isLoopbackName } from './loopback.js'

/** The console's mode and rate limit. */
export interface ConsoleConfig {
  /** `login`: users sign in at the identity provider. `open`: AUTH_DISABLED makes each user the local admin. */
  readonly mode: 'login' | 'open'
  /** Maximum calls of one console session in one window of the rate limit; 0 for no limit. */
  readonly rateLimitMax: number
}

/** The variables that configure the console. */
interface ConsoleVariables {
  readonly CONSOLE?: 'on' | 'off' | undefined
  readonly CONSOLE_RATE_LIMIT_MAX: number
  readonly AUTH_DISABLED: boolean
  readonly ISSUER_BASE_URL: string
}

/**
 * Whether session cookies are safe at an address. Over plain http, other people in the network can read a cookie. On
 * this machine (loopback) plain http is safe.
 */
function isSafeForSessions(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'https:' || isLoopbackName(hostname)
}

/**
 * Returns the configuration of the console. Undefined if there is no console. @param canSignIn true if users can sign
 * in at an identity provider
 */
export function consoleConfigOf(variables: ConsoleVariables, canSignIn: boolean): ConsoleConfig | undefined {
  const { CONSOLE, CONSOLE_RATE_LIMIT_MAX: rateLimitMax, AUTH_DISABLED, ISSUER_BASE_URL } = variables
  if (CONSOLE === 'off') return undefined
  if (AUTH_DISABLED) return { mode: 'open', rateLimitMax }
  return canSignIn && isSafeForSessions(ISSUER_BASE_URL) ? { mode: 'login', rateLimitMax } : undefined
}

/** Returns the reasons why CONSOLE cannot be `on`. */
export function consoleProblems(input: NodeJS.ProcessEnv): string[] {
  const { CONSOLE, AUTH_DISABLED, OIDC_CLIENT_ID, ISSUER_BASE_URL = '' } = input
  if (CONSOLE !== 'on' || AUTH_DISABLED === 'true') return []
  if (OIDC_CLIENT_ID === undefined) {
    return ['- CONSOLE must not be on where nobody can log in: set OIDC_ISSUER and OIDC_CLIENT_ID.']
  }
  const isSafe = !URL.canParse(ISSUER_BASE_URL) || isSafeForSessions(ISSUER_BASE_URL)
  return isSafe ? [] : ['- CONSOLE must not be on where ISSUER_BASE_URL is plain http and no loopback address.']
}

/** The groups of variables, in the order in which they are shown. */
export const SETTING_GROUPS = [
  'addresses',
  'login',
  'secrets',
  'listeners',
  'limits',
  'issuing',
  'verifying',
  'wallets',
  'retention',
  'processes',
] as const

export type SettingGroup = (typeof SETTING_GROUPS)[number]

/**
 * Which part of a value is shown.
 *
 * - `value`: the whole value.
 * - `address`: scheme, host and path, since user, password and query may be secret.
 * - `secret`: only whether a value is set.
 */
type Shown = 'value' | 'address' | 'secret'

/**
 * All variables, in the order in which they are shown. If a variable is missing here, variables.ts does not compile. So
 * for each new variable somebody must decide what is shown.
 */
export const SHOWN = {
  ISSUER_BASE_URL: ['addresses', 'address'],
  VERIFIER_BASE_URL: ['addresses', 'address'],
  ALLOW_INSECURE_HTTP: ['addresses', 'value'],
  CORS_ORIGINS: ['addresses', 'value'],
  SERVICE_CONTACT: ['addresses', 'value'],
  OUTBOUND_ALLOWED_HOSTS: ['addresses', 'value'],
  TRUST_PROXY: ['addresses', 'value'],
  AUTH_DISABLED: ['login', 'value'],
  CONSOLE: ['login', 'value'],
  OIDC_ISSUER: ['login', 'address'],
  OIDC_JWKS_URL: ['login', 'address'],
  OIDC_AUDIENCE: ['login', 'value'],
  OIDC_ALGORITHMS: ['login', 'value'],
  OIDC_DID_CLAIM: ['login', 'value'],
  OIDC_ROLES_CLAIM: ['login', 'value'],
  OIDC_CLIENT_ID: ['login', 'value'],
  OIDC_SCOPE: ['login', 'value'],
  ADMIN_ROLE: ['login', 'value'],
  ISSUER_ROLE: ['login', 'value'],
  VERIFIER_ROLE: ['login', 'value'],
  OIDC_CLIENT_SECRET: ['secrets', 'secret'],
  CLIENT_SECRET: ['secrets', 'secret'],
  CLIENT_SECRET_PREVIOUS: ['secrets', 'secret'],
  KEY_ENCRYPTION_KEY: ['secrets', 'secret'],
  KEY_ENCRYPTION_KEY_PREVIOUS: ['secrets', 'secret'],
  HOST: ['listeners', 'value'],
  PORT: ['listeners', 'value'],
  PUBLIC_HOST: ['listeners', 'value'],
  PUBLIC_PORT: ['listeners', 'value'],
  METRICS_HOST: ['listeners', 'value'],
  METRICS_PORT: ['listeners', 'value'],
  RATE_LIMIT_MAX: ['limits', 'value'],
  RATE_LIMIT_WINDOW_SECONDS: ['limits', 'value'],
  CONSOLE_RATE_LIMIT_MAX: ['limits', 'value'],
  MAX_STREAMS_PER_CALLER: ['limits', 'value'],
  MAX_STREAMS: ['limits', 'value'],
  ISSUER_PROFILE: ['issuing', 'value'],
  ISSUER_LEGACY_PROFILES: ['issuing', 'value'],
  ISSUER_X509: ['issuing', 'value'],
  ISSUER_REGISTRATIONS: ['issuing', 'value'],
  ISSUER_REGISTRAR_DATASET: ['issuing', 'value'],
  KEY_PROVIDERS: ['issuing', 'value'],
  KEY_ENCRYPTION_PROVIDER: ['issuing', 'value'],
  KEY_ENCRYPTION_PROVIDER_PREVIOUS: ['issuing', 'value'],
  ISSUER_KEY_PROVIDER: ['issuing', 'value'],
  ISSUER_SIGNING: ['issuing', 'value'],
  SD_JWT_ISSUER: ['issuing', 'value'],
  CREDENTIAL_ENCRYPTION: ['issuing', 'value'],
  REFRESH_TOKEN_DAYS: ['issuing', 'value'],
  STATUS_LIST_TTL_SECONDS: ['issuing', 'value'],
  STATUS_LIST_EXPIRY_SECONDS: ['issuing', 'value'],
  WALLET_TRUST_ANCHORS: ['issuing', 'value'],
  WALLET_CLIENTS: ['issuing', 'value'],
  VERIFIER_PROFILE: ['verifying', 'value'],
  VERIFIER_LEGACY_PROFILES: ['verifying', 'value'],
  VERIFIER_X509: ['verifying', 'value'],
  VERIFIER_KEY_PROVIDER: ['verifying', 'value'],
  VERIFIER_ATTESTATION: ['verifying', 'value'],
  VERIFIER_REGISTRATIONS: ['verifying', 'value'],
  VERIFIER_RESPONSE_MODE: ['verifying', 'value'],
  TRUSTED_ISSUERS: ['verifying', 'value'],
  TRUST_ANCHORS: ['verifying', 'value'],
  TRUST_LISTS: ['verifying', 'value'],
  STATUS_TRUST_ANCHORS: ['verifying', 'value'],
  REGISTRAR_TRUST_ANCHORS: ['verifying', 'value'],
  PUBLISHED_TRUST_LISTS: ['issuing', 'value'],
  WALLET_LINKS: ['wallets', 'value'],
  WALLET_PROVIDER_X509: ['wallets', 'value'],
  WALLET_REGISTRATION: ['wallets', 'value'],
  VERIFIER_TRUST_ANCHORS: ['wallets', 'value'],
  VERIFIER_ATTESTATION_ISSUERS: ['wallets', 'value'],
  SESSION_RESULT_TTL_SECONDS: ['retention', 'value'],
  SESSION_RETENTION_DAYS: ['retention', 'value'],
  RETENTION_CLAIMS_DAYS: ['retention', 'value'],
  RETENTION_PRESENTATIONS_DAYS: ['retention', 'value'],
  RETENTION_AUDIT_DAYS: ['retention', 'value'],
  DATABASE_URL: ['processes', 'address'],
  DIRECT_DATABASE_URL: ['processes', 'address'],
  DATABASE_REPLICA_URL: ['processes', 'address'],
  EVENTS: ['processes', 'value'],
  REDIS_URL: ['processes', 'address'],
  NATS_URL: ['processes', 'address'],
  NODE_ENV: ['processes', 'value'],
  LOG_LEVEL: ['processes', 'value'],
  WEB_CONCURRENCY: ['processes', 'value'],
  SHUTDOWN_DELAY_SECONDS: ['processes', 'value'],
} as const satisfies Readonly<Record<string, readonly [SettingGroup, Shown]>>

export type Variable = keyof typeof SHOWN

// The cast is needed because the type of Object.keys is `string[]`.
export const VARIABLES = Object.keys(SHOWN) as readonly Variable[]

/** A variable, its state, and the part of its value that may be shown (null if no part may be shown). */
export interface Setting {
  readonly variable: Variable
  readonly group: SettingGroup
  readonly state: 'set' | 'default' | 'unset'
  readonly value: string | null
}

/**
 * Scheme, host and path of an address. Null if there is no host, because what looks like scheme and path could then be
 * user and password. Null also if there is an `@` after the host, because the text before the `@` may be a password
 * that was not encoded, or the password of a second address.
 */
function withoutSecrets(address: string): string | null {
  if (!URL.canParse(address)) return null
  const { protocol, host, pathname, search, hash } = new URL(address)
  if (host === '' || `${pathname}${search}${hash}`.includes('@')) return null
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}

/** A default value as text; null if there is no default. */
function written(value: unknown): string | null {
  const text = Array.isArray(value) ? value.join(',') : value === undefined ? '' : String(value)
  return text === '' ? null : text
}

/**
 * Returns the variables of a process, each with the part of its value that may be shown.
 *
 * @param given the values that are set
 * @param defaultOf returns the default of a variable that is not set
 */
export function settingsOf(
  given: Readonly<Record<string, string | undefined>>,
  defaultOf: (variable: Variable) => unknown,
): Setting[] {
  return VARIABLES.map((variable) => {
    const [group, shown] = SHOWN[variable]
    const own = given[variable]
    if (own === undefined) {
      const value = shown === 'secret' ? null : written(defaultOf(variable))
      return { variable, group, state: value === null ? 'unset' : 'default', value }
    }
    const value = shown === 'value' ? own : shown === 'address' ? withoutSecrets(own) : null
    return { variable, group, state: 'set', value }
  })
}

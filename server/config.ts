import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** A refusal to start; `message` is the whole text for the operator, one problem a line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

const MISSING_OIDC = 'OIDC configuration missing. Set OIDC_JWKS_URL.'

const flag = z
  .enum(['true', 'false'], { error: 'must be true or false.' })
  .default('false')
  .transform((value) => value === 'true')

const integer = (minimum: number, maximum: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, { error: `must be an integer from ${minimum} to ${maximum}.` })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, {
      error: `must be an integer from ${minimum} to ${maximum}.`,
    })
    .default(fallback)

const list = z
  .string()
  .default('')
  .transform((value) => value.split(/[\s,]+/).filter((entry) => entry !== ''))

const url = (protocols: readonly string[], reason: string) =>
  z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), { error: reason })

const required = (error: string) => (issue: { input: unknown }) => (issue.input === undefined ? error : undefined)

const baseUrl = z
  .string({ error: required('must be defined.') })
  .refine((value) => URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol), {
    error: 'must be an https URL.',
    abort: true,
  })
  .refine((value) => !/[?#]/.test(value) && new URL(value).username === '', {
    error: 'must have no query, fragment or user name.',
    abort: true,
  })
  .transform((value) => new URL(value).href.replace(/\/+$/, ''))

const encryptionKey = z
  .string()
  .refine((value) => /^[A-Za-z0-9_-]{43}=?$/.test(value), { error: 'must be 32 bytes in base64url.', abort: true })
  .transform((value) => new Uint8Array(Buffer.from(value, 'base64url')))
  .optional()

const trustProxy = z
  .string()
  .transform((value) =>
    value === 'true' ? true : value === 'false' ? false : /^\d+$/.test(value) ? Number(value) : value,
  )
  .optional()

const certificates = z
  .string()
  .optional()
  .transform((path, context) => {
    if (path === undefined) return []
    try {
      const blocks = readFileSync(path, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
      if (blocks === null) throw new Error('no certificate in it')
      return blocks.map((pem) => new X509Certificate(pem))
    } catch {
      context.addIssue({ code: 'custom', message: 'must name a readable PEM file of certificates.' })
      return z.NEVER
    }
  })

/** Whom presentations may come from: `self`, `*`, DIDs and origins. */
export const isTrustEntry = (entry: string): boolean =>
  entry === 'self' || entry === '*' || /^did:[a-z0-9]+:\S+$/.test(entry) || /^https?:\/\/[^/?#@\s]+$/.test(entry)

const trustedIssuers = z
  .string()
  .default('self')
  .transform((value) => value.split(/[\s,]+/).filter((entry) => entry !== ''))
  .refine((entries) => entries.every(isTrustEntry), { error: 'must list self, *, DIDs and https origins.' })

const optionalText = z.string().optional()

/** Every variable, the rule it must meet and its default. `.env.example` explains each. */
const zEnvironment = z.object({
  NODE_ENV: z.string().default('development'),
  ISSUER_BASE_URL: baseUrl,
  VERIFIER_BASE_URL: baseUrl,
  DATABASE_URL: z
    .string({ error: required('must be defined.') })
    .refine((value) => URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol), {
      error: 'must be a postgres:// URL.',
    }),
  OIDC_JWKS_URL: url(['http:', 'https:'], 'must be an http or https URL.').optional(),
  OIDC_ISSUER: optionalText,
  OIDC_AUDIENCE: optionalText,
  OIDC_DID_CLAIM: z.string().default('did'),
  ISSUER_ROLE: optionalText,
  VERIFIER_ROLE: optionalText,
  CLIENT_SECRET: optionalText,
  CLIENT_SECRET_PREVIOUS: optionalText,
  AUTH_DISABLED: flag,
  ALLOW_INSECURE_HTTP: flag,
  KEY_ENCRYPTION_KEY: encryptionKey,
  KEY_ENCRYPTION_KEY_PREVIOUS: encryptionKey,
  RATE_LIMIT_MAX: integer(0, 1_000_000, 60),
  RATE_LIMIT_WINDOW_SECONDS: integer(1, 86_400, 60),
  REDIS_URL: url(['redis:', 'rediss:'], 'must be a redis:// URL.').optional(),
  TRUST_PROXY: trustProxy,
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535, 3000),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be trace, debug, info, warn, error, fatal or silent.',
    })
    .default('info'),
  WEB_CONCURRENCY: integer(1, 64, 1),
  OUTBOUND_ALLOWED_HOSTS: list,
  CORS_ORIGINS: list,
  TRUSTED_ISSUERS: trustedIssuers,
  TRUST_ANCHORS: certificates,
  VERIFIER_RESPONSE_MODE: z
    .enum(['direct_post', 'direct_post.jwt'], { error: 'must be direct_post or direct_post.jwt.' })
    .default('direct_post.jwt'),
  SESSION_RESULT_TTL_SECONDS: integer(1, 31_536_000, 3600),
  SESSION_RETENTION_DAYS: integer(1, 36_500, 30),
  SD_JWT_ISSUER: z.enum(['did', 'url'], { error: 'must be did or url.' }).default('did'),
})

type Environment = z.infer<typeof zEnvironment>

/** The configuration of one process, read once at start. Names follow the variables of `.env.example`. */
export interface Config {
  readonly production: boolean
  /** Issuer identifier (OpenID4VCI 1.0 §12.2.1), without a trailing slash. */
  readonly issuerBaseUrl: string
  readonly verifierBaseUrl: string
  readonly databaseUrl: string
  readonly oidc: {
    readonly jwksUrl: string | undefined
    readonly issuer: string | undefined
    readonly audience: string | undefined
    readonly didClaim: string
  }
  readonly issuerRole: string | undefined
  readonly verifierRole: string | undefined
  /** Accepted values of `x-client-secret`; empty where none is configured. */
  readonly clientSecrets: readonly string[]
  readonly authDisabled: boolean
  readonly allowInsecureHttp: boolean
  /** Key-encryption keys of 32 bytes; the first one encrypts, all of them decrypt. */
  readonly keyEncryptionKeys: readonly Uint8Array[]
  readonly rateLimit: { readonly max: number; readonly windowSeconds: number }
  readonly redisUrl: string | undefined
  readonly trustProxy: boolean | number | string | undefined
  readonly host: string
  readonly port: number
  readonly logLevel: string
  readonly webConcurrency: number
  readonly outboundAllowedHosts: readonly string[]
  readonly corsOrigins: readonly string[]
  /** Whose credentials a presentation may hold: `self`, `*`, DIDs and https origins. */
  readonly trustedIssuers: readonly string[]
  readonly trustAnchors: readonly X509Certificate[]
  /** Whether wallets are asked to encrypt their answers (OpenID4VP 1.0 §8.3.1). */
  readonly verifierResponseMode: 'direct_post' | 'direct_post.jwt'
  /** How long verified claims can be read. */
  readonly sessionResultTtlSeconds: number
  /** How long a session stays readable after its end. */
  readonly sessionRetentionDays: number
  readonly sdJwtIssuer: 'did' | 'url'
}

function problemsOf(error: z.ZodError): string[] {
  return error.issues.map((issue) => `- ${issue.path.join('.')} ${issue.message}`)
}

/** Rules that hold between variables; each gives one line. */
function crossProblems(input: NodeJS.ProcessEnv): string[] {
  const problems: string[] = []
  if (input.ALLOW_INSECURE_HTTP !== 'true') {
    for (const name of ['ISSUER_BASE_URL', 'VERIFIER_BASE_URL']) {
      if (/^http:/i.test(input[name] ?? '')) {
        problems.push(`- ${name} must be an https URL unless ALLOW_INSECURE_HTTP is true.`)
      }
    }
  }
  if (input.ALLOW_INSECURE_HTTP !== 'true' && /(^|[\s,])http:/i.test(input.TRUSTED_ISSUERS ?? '')) {
    problems.push('- TRUSTED_ISSUERS must list https origins unless ALLOW_INSECURE_HTTP is true.')
  }
  if (input.KEY_ENCRYPTION_KEY_PREVIOUS !== undefined && input.KEY_ENCRYPTION_KEY === undefined) {
    problems.push('- KEY_ENCRYPTION_KEY must be defined where KEY_ENCRYPTION_KEY_PREVIOUS is.')
  }
  return problems
}

function configOf(env: Environment): Config {
  const defined = <T>(values: readonly (T | undefined)[]) => values.filter((value) => value !== undefined)
  return {
    production: env.NODE_ENV === 'production',
    issuerBaseUrl: env.ISSUER_BASE_URL,
    verifierBaseUrl: env.VERIFIER_BASE_URL,
    databaseUrl: env.DATABASE_URL,
    oidc: {
      jwksUrl: env.OIDC_JWKS_URL,
      issuer: env.OIDC_ISSUER,
      audience: env.OIDC_AUDIENCE,
      didClaim: env.OIDC_DID_CLAIM,
    },
    issuerRole: env.ISSUER_ROLE,
    verifierRole: env.VERIFIER_ROLE,
    clientSecrets: defined([env.CLIENT_SECRET, env.CLIENT_SECRET_PREVIOUS]),
    authDisabled: env.AUTH_DISABLED,
    allowInsecureHttp: env.ALLOW_INSECURE_HTTP,
    keyEncryptionKeys: defined([env.KEY_ENCRYPTION_KEY, env.KEY_ENCRYPTION_KEY_PREVIOUS]),
    rateLimit: { max: env.RATE_LIMIT_MAX, windowSeconds: env.RATE_LIMIT_WINDOW_SECONDS },
    redisUrl: env.REDIS_URL,
    trustProxy: env.TRUST_PROXY,
    host: env.HOST,
    port: env.PORT,
    logLevel: env.LOG_LEVEL,
    webConcurrency: env.WEB_CONCURRENCY,
    outboundAllowedHosts: env.OUTBOUND_ALLOWED_HOSTS,
    corsOrigins: env.CORS_ORIGINS,
    trustedIssuers: env.TRUSTED_ISSUERS,
    trustAnchors: env.TRUST_ANCHORS,
    verifierResponseMode: env.VERIFIER_RESPONSE_MODE,
    sessionResultTtlSeconds: env.SESSION_RESULT_TTL_SECONDS,
    sessionRetentionDays: env.SESSION_RETENTION_DAYS,
    sdJwtIssuer: env.SD_JWT_ISSUER,
  }
}

/**
 * Reads the configuration from environment variables. An empty value counts as unset.
 *
 * @throws {ConfigurationError} naming every problem at once.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const input = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = zEnvironment.safeParse(input)
  const problems = [...(parsed.success ? [] : problemsOf(parsed.error)), ...crossProblems(input)]
  const lines: string[] = []
  if (problems.length > 0) lines.push('Invalid environment variables:', ...problems)
  if (input.OIDC_JWKS_URL === undefined && input.AUTH_DISABLED !== 'true') lines.push(MISSING_OIDC)
  if (lines.length > 0 || !parsed.success) throw new ConfigurationError(lines.join('\n'))
  return configOf(parsed.data)
}

/** What the operator should know at every start, though it does not prevent it. */
export function startupWarnings(config: Config): string[] {
  const warnings: string[] = []
  if (config.authDisabled) warnings.push('AUTH_DISABLED is true: every caller is an admin. For local development only.')
  if (config.allowInsecureHttp)
    warnings.push('ALLOW_INSECURE_HTTP is true: plain HTTP is accepted. For local development only.')
  if (config.keyEncryptionKeys.length === 0) {
    warnings.push(
      'KEY_ENCRYPTION_KEY is not set: PRIVATE KEYS ARE STORED IN THE CLEAR. Set it to 32 random bytes in base64url.',
    )
  }
  if (config.clientSecrets.length === 0 && !config.authDisabled) {
    warnings.push('CLIENT_SECRET is not set: routes that need x-client-secret answer 401.')
  }
  for (const [name, value] of [
    ['ISSUER_BASE_URL', config.issuerBaseUrl],
    ['VERIFIER_BASE_URL', config.verifierBaseUrl],
  ] as const) {
    const { pathname, origin } = new URL(value)
    if (pathname !== '/') {
      const documents = name === 'ISSUER_BASE_URL' ? issuerRootDocuments(pathname) : []
      warnings.push(
        [
          `${name} has the path ${pathname}: the proxy must strip it`,
          ...documents.map((path) => `and pass on ${origin}${path}`),
        ].join(', '),
      )
    }
  }
  return warnings
}

/** Documents that standards place at the host's root although the issuer identifier has a path. */
function issuerRootDocuments(pathname: string): string[] {
  return ['openid-credential-issuer', 'oauth-authorization-server', 'jwt-vc-issuer']
    .map((name) => `/.well-known/${name}${pathname}`)
    .concat('/.well-known/did-configuration', '/.well-known/did-configuration.json')
}

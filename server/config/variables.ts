import { z } from 'zod'
import { keyProviders, wrappingKey } from './key-providers.js'
import { publishedLists } from './published-lists.js'
import { issuerRegistrarDataset, registrations } from './registrations.js'
import {
  baseUrl,
  certificates,
  claimPath,
  encryptionKey,
  flag,
  hosts,
  integer,
  integerWithin,
  issuerLegacyProfiles,
  keyAndChain,
  optionalText,
  origins,
  postgresUrl,
  tokenAlgorithms,
  trustedIssuers,
  trustProxy,
  url,
  verifierAttestation,
  verifierAttestationIssuers,
  verifierLegacyProfiles,
  walletClients,
} from './rules.js'
import { SHOWN } from './shown.js'
import { trustLists } from './trust-lists.js'
import { serviceContact, walletLinks } from './wallet-links.js'

/** All variables with their rules and defaults. `.env.example` explains each variable. */
export const zEnvironment = z.object({
  NODE_ENV: z.string().default('development'),
  ISSUER_BASE_URL: baseUrl,
  VERIFIER_BASE_URL: baseUrl,
  DATABASE_URL: postgresUrl,
  DIRECT_DATABASE_URL: postgresUrl.optional(),
  DATABASE_REPLICA_URL: postgresUrl.optional(),
  OIDC_JWKS_URL: url(['http:', 'https:'], 'must be an http or https URL.').optional(),
  OIDC_ISSUER: optionalText,
  OIDC_AUDIENCE: optionalText,
  OIDC_ALGORITHMS: tokenAlgorithms,
  OIDC_DID_CLAIM: z.string().default('did'),
  OIDC_ROLES_CLAIM: claimPath,
  OIDC_CLIENT_ID: optionalText,
  OIDC_CLIENT_SECRET: optionalText,
  OIDC_SCOPE: z
    .string()
    .default('openid profile')
    .refine((value) => value.split(' ').includes('openid'), { error: 'must contain openid.' }),
  ADMIN_ROLE: z.string().default('admin'),
  ISSUER_ROLE: optionalText,
  VERIFIER_ROLE: optionalText,
  CLIENT_SECRET: optionalText,
  CLIENT_SECRET_PREVIOUS: optionalText,
  AUTH_DISABLED: flag,
  ALLOW_INSECURE_HTTP: flag,
  KEY_ENCRYPTION_KEY: encryptionKey,
  KEY_ENCRYPTION_KEY_PREVIOUS: encryptionKey,
  KEY_ENCRYPTION_PROVIDER: wrappingKey,
  KEY_ENCRYPTION_PROVIDER_PREVIOUS: wrappingKey,
  KEY_PROVIDERS: keyProviders,
  ISSUER_KEY_PROVIDER: optionalText,
  ISSUER_SIGNING: z.enum(['every', 'delegated'], { error: 'must be every or delegated.' }).default('every'),
  VERIFIER_KEY_PROVIDER: optionalText,
  RATE_LIMIT_MAX: integer(0, 1_000_000, 60),
  RATE_LIMIT_WINDOW_SECONDS: integer(1, 86_400, 60),
  CONSOLE: z.enum(['on', 'off'], { error: 'must be on or off.' }).optional(),
  CONSOLE_RATE_LIMIT_MAX: integer(0, 1_000_000, 600),
  MAX_STREAMS_PER_CALLER: integer(0, 1_000_000, 1_000),
  MAX_STREAMS: integer(1, 1_000_000, 10_000),
  REDIS_URL: url(['redis:', 'rediss:'], 'must be a redis:// URL.').optional(),
  EVENTS: z.enum(['postgres', 'redis', 'nats'], { error: 'must be postgres, redis or nats.' }).default('postgres'),
  NATS_URL: url(['nats:', 'tls:'], 'must be a nats:// URL.').optional(),
  TRUST_PROXY: trustProxy,
  HOST: z.string().default('127.0.0.1'),
  PORT: integer(0, 65_535, 3000),
  PUBLIC_HOST: z.string().default('127.0.0.1'),
  PUBLIC_PORT: integerWithin(0, 65_535).optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: integerWithin(0, 65_535).optional(),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be trace, debug, info, warn, error, fatal or silent.',
    })
    .default('info'),
  WEB_CONCURRENCY: integer(1, 64, 1),
  SHUTDOWN_DELAY_SECONDS: integer(0, 300, 0),
  OUTBOUND_ALLOWED_HOSTS: hosts,
  CORS_ORIGINS: origins,
  TRUSTED_ISSUERS: trustedIssuers,
  TRUST_ANCHORS: certificates,
  TRUST_LISTS: trustLists,
  PUBLISHED_TRUST_LISTS: publishedLists,
  STATUS_TRUST_ANCHORS: certificates,
  VERIFIER_TRUST_ANCHORS: certificates,
  REGISTRAR_TRUST_ANCHORS: certificates,
  VERIFIER_ATTESTATION_ISSUERS: verifierAttestationIssuers,
  WALLET_TRUST_ANCHORS: certificates,
  WALLET_CLIENTS: walletClients,
  WALLET_LINKS: walletLinks,
  SERVICE_CONTACT: serviceContact,
  ISSUER_X509: keyAndChain,
  ISSUER_REGISTRATIONS: registrations,
  ISSUER_REGISTRAR_DATASET: issuerRegistrarDataset,
  VERIFIER_X509: keyAndChain,
  VERIFIER_ATTESTATION: verifierAttestation,
  VERIFIER_REGISTRATIONS: registrations,
  WALLET_PROVIDER_X509: keyAndChain,
  WALLET_REGISTRATION: z.enum(['optional', 'required'], { error: 'must be optional or required.' }).default('optional'),
  ISSUER_PROFILE: z.enum(['final', 'haip'], { error: 'must be final or haip.' }).default('final'),
  ISSUER_LEGACY_PROFILES: issuerLegacyProfiles,
  VERIFIER_PROFILE: z.enum(['final', 'haip'], { error: 'must be final or haip.' }).default('final'),
  VERIFIER_LEGACY_PROFILES: verifierLegacyProfiles,
  VERIFIER_RESPONSE_MODE: z
    .enum(['direct_post', 'direct_post.jwt'], { error: 'must be direct_post or direct_post.jwt.' })
    .default('direct_post.jwt'),
  SESSION_RESULT_TTL_SECONDS: integer(1, 31_536_000, 3600),
  SESSION_RETENTION_DAYS: integer(1, 36_500, 30),
  RETENTION_CLAIMS_DAYS: integerWithin(1, 36_500).optional(),
  RETENTION_PRESENTATIONS_DAYS: integer(1, 36_500, 365),
  RETENTION_AUDIT_DAYS: integerWithin(30, 36_500).optional(),
  CREDENTIAL_ENCRYPTION: z
    .enum(['off', 'offered', 'required'], { error: 'must be off, offered or required.' })
    .default('offered'),
  REFRESH_TOKEN_DAYS: integer(1, 3_650, 90),
  STATUS_LIST_TTL_SECONDS: integer(1, 31_536_000, 60),
  STATUS_LIST_EXPIRY_SECONDS: integer(60, 31_536_000, 86_400),
  SD_JWT_ISSUER: z.enum(['did', 'url'], { error: 'must be did or url.' }).default('did'),
})

/** The values of all variables, after their rules. */
export type Environment = z.infer<typeof zEnvironment>

// The assignment is a type error if SHOWN does not contain every variable.
SHOWN satisfies Record<keyof Environment, unknown>

/** The names of all variables. */
export const VARIABLES: readonly string[] = Object.keys(zEnvironment.shape)

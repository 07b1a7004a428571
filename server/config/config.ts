import { KeyObject, type X509Certificate } from 'node:crypto'
import { z } from 'zod'
import type { ListedTrust } from '../protocol/issuer-keys/listed-trust.js'
import { isAnchored } from '../protocol/issuer-keys/trusted-chain.js'
import type { JsonObject } from '../protocol/json/json-object.js'
import type { AttestationTrust } from '../protocol/openid4vci/attester.js'
import type { Draft } from '../protocol/openid4vci/drafts.js'
import type { Draft as PresentationDraft } from '../protocol/openid4vp/drafts.js'
import type { VerifierAttestation } from '../protocol/openid4vp/verifier-attestation.js'
import { type ConsoleConfig, consoleConfigOf, consoleProblems } from './console.js'
import { type KeyProviderEntry, keyProviders, type WrappingKey, wrappingKey } from './key-providers.js'
import { type PublishedDefinition, publishedLists } from './published-lists.js'
import { issuerRegistrarDataset, issuerRegistrations } from './registrations.js'
import {
  type AttestationIssuerKey,
  baseUrl,
  certificates,
  claimPath,
  encryptionKey,
  flag,
  hosts,
  integer,
  integerWithin,
  issuerLegacyProfiles,
  type KeyAndChain,
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
  verifierRegistrations,
  walletClients,
} from './rules.js'
import { type Setting, SHOWN, settingsOf } from './shown.js'
import { type ListDefinition, type ListPurpose, trustLists } from './trust-lists.js'
import { serviceContact, type WalletLink, walletLinks } from './wallet-links.js'

/**
 * Thrown if the configuration prevents the start. `message` is the whole text for the operator, one problem on each
 * line.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

const MISSING_OIDC = 'OIDC configuration missing. Set OIDC_JWKS_URL.'

/** All variables with their rules and defaults. `.env.example` explains each variable. */
const zEnvironment = z.object({
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
  ISSUER_REGISTRATIONS: issuerRegistrations,
  ISSUER_REGISTRAR_DATASET: issuerRegistrarDataset,
  VERIFIER_X509: keyAndChain,
  VERIFIER_ATTESTATION: verifierAttestation,
  VERIFIER_REGISTRATIONS: verifierRegistrations,
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

type Environment = z.infer<typeof zEnvironment>

// The assignment is a type error if SHOWN does not contain every variable.
SHOWN satisfies Record<keyof Environment, unknown>

/** The names of all variables. */
export const VARIABLES: readonly string[] = Object.keys(zEnvironment.shape)

/** This service as a client of the identity provider (OpenID Connect Core 1.0). */
export interface SignInConfig {
  readonly issuer: string
  readonly clientId: string
  /** Undefined if the service is a public client. */
  readonly clientSecret: string | undefined
  readonly scope: string
}

/** The configuration of one process, read once at start. Names follow the variables of `.env.example`. */
export interface Config {
  readonly production: boolean
  /** Issuer identifier (OpenID4VCI 1.0 §12.2.1), without a trailing slash. */
  readonly issuerBaseUrl: string
  readonly verifierBaseUrl: string
  readonly databaseUrl: string
  /** The address of the same database without a transaction pooler, for code that needs a direct connection. */
  readonly directDatabaseUrl: string
  /** The address of a streaming replica of the database, for lists that are only shown; undefined without a replica. */
  readonly databaseReplicaUrl: string | undefined
  readonly oidc: {
    readonly jwksUrl: string | undefined
    readonly issuer: string | undefined
    readonly audience: string | undefined
    /** Algorithms that may sign access tokens. */
    readonly algorithms: readonly ('RS256' | 'PS256' | 'ES256' | 'EdDSA')[]
    readonly didClaim: string
    /**
     * Member names that lead to the roles in an access token. If undefined, the roles are at the two places of Keycloak.
     */
    readonly rolesClaim: readonly string[] | undefined
  }
  /** The sign-in of users at the identity provider; undefined if users cannot sign in. */
  readonly signIn: SignInConfig | undefined
  /** The settings of the console; undefined if there is no console. */
  readonly console: ConsoleConfig | undefined
  /** The name that the identity provider gives to the role `admin`. */
  readonly adminRole: string
  readonly issuerRole: string | undefined
  readonly verifierRole: string | undefined
  /** Accepted values of `x-client-secret`; may be empty. */
  readonly clientSecrets: readonly string[]
  readonly authDisabled: boolean
  readonly allowInsecureHttp: boolean
  /**
   * Key-encryption keys of 32 bytes from the environment. The first key encrypts; all keys decrypt. With a wrapping key, these keys only
   * decrypt, and `keys/envelope/` adds the keys of the database.
   */
  readonly keyEncryptionKeys: readonly Uint8Array[]
  /** The keys of key providers that wrap key-encryption keys in the database. */
  readonly wrapping: {
    /** Wraps the key that encrypts; undefined if KEY_ENCRYPTION_KEY encrypts, or no key. */
    readonly current: WrappingKey | undefined
    /** Unwraps keys that it wrapped before. */
    readonly previous: WrappingKey | undefined
  }
  /** The key providers, in which signing keys may lie, and the environment with their credentials. */
  readonly keyProviders: {
    readonly entries: readonly KeyProviderEntry[]
    readonly environment: Readonly<Record<string, string | undefined>>
    /** The provider with the key of the default issuer; undefined for the database. */
    readonly ofIssuer: string | undefined
    /** The provider with the key of the default verifier; undefined for the database. */
    readonly ofVerifier: string | undefined
  }
  readonly rateLimit: { readonly max: number; readonly windowSeconds: number }
  /**
   * Maximum number of open event streams, for each caller and for this process. With 0 for callers, only the limit of
   * the process applies.
   */
  readonly streams: { readonly perCaller: number; readonly process: number }
  readonly redisUrl: string | undefined
  /** The transport of session events between processes. */
  readonly events: { readonly transport: 'postgres' } | { readonly transport: 'redis' | 'nats'; readonly url: string }
  readonly trustProxy: boolean | number | string[] | undefined
  readonly host: string
  readonly port: number
  /** The public listener, which serves only protocol, metadata and pages. Without a port it does not exist. */
  readonly publicListener: { readonly host: string; readonly port: number | undefined }
  /** The listener for health and metrics. Without a port it does not exist. */
  readonly metrics: { readonly host: string; readonly port: number | undefined }
  readonly logLevel: string
  readonly webConcurrency: number
  /** Seconds for which a process still serves after a signal to stop. In this time, it reports that it is not ready. */
  readonly shutdownDelaySeconds: number
  readonly outboundAllowedHosts: readonly string[]
  readonly corsOrigins: readonly string[]
  /**
   * The trusted issuers of presented credentials: `self`, `x5c`, `*`, DIDs and https origins. If unset, the profile
   * decides.
   */
  readonly trustedIssuers: readonly string[] | undefined
  /** Trusted root certificates for issuers of credentials. */
  readonly trustAnchors: readonly X509Certificate[]
  /** Trusted lists that the service reads from their addresses. Admins add more by API. */
  readonly trustLists: readonly ListDefinition[]
  /** Trusted lists that the service publishes about its own issuers. */
  readonly publishedLists: readonly PublishedDefinition[]
  /** The content of trusted lists by purpose, as this process knows it. A running service sets it. */
  readonly listed?: Readonly<Record<Exclude<ListPurpose, 'wallets'>, ListedTrust>>
  /** Trusted root certificates for signers of Token Status Lists, for credentials of any issuer. */
  readonly statusTrustAnchors: readonly X509Certificate[]
  /** Trusted root certificates for verifiers that hosted wallets answer. */
  readonly verifierTrustAnchors: readonly X509Certificate[]
  /** Trusted root certificates for signers of registration certificates and of their status lists. */
  readonly registrarTrustAnchors: readonly X509Certificate[]
  /** Keys whose verifier attestations hosted wallets trust. */
  readonly verifierAttestationIssuers: readonly AttestationIssuerKey[]
  /** Trusted providers of wallet attestations. */
  readonly attestationTrust: AttestationTrust
  /** Wallets that the share pages name to people without a wallet. */
  readonly walletLinks: readonly WalletLink[]
  /** The contact of people who need a new link; undefined without a contact. */
  readonly serviceContact: { readonly href: string; readonly text: string } | undefined
  /** Permitted redirect URIs of known wallets, by `client_id`. */
  readonly walletRedirectUris: ReadonlyMap<string, readonly string[]>
  /** The key of the default issuer and the certificates of the key, leaf first. They are checked at the start. */
  readonly issuerX509: KeyAndChain | undefined
  /** The key of the default issuer signs every document, or only the certificates of short-lived signers (`delegated`). */
  readonly issuerSigning: 'every' | 'delegated'
  /** The registration certificates of the default issuer, for the metadata. They are checked at the start. */
  readonly issuerRegistrations: readonly string[]
  /** The data set that a registrar has about the default issuer, for the metadata. */
  readonly issuerRegistrarDataset: JsonObject | undefined
  /** The key of the default verifier and the certificates of the key, leaf first. They are checked at the start. */
  readonly verifierX509: KeyAndChain | undefined
  /**
   * An attestation of the default verifier and the verifier's key, from an issuer that wallets trust. It is checked at
   * the start.
   */
  readonly verifierAttestation: VerifierAttestation | undefined
  /** The registration certificates of the default verifier. They are checked at the start. */
  readonly verifierRegistrations: readonly string[]
  /**
   * The key that attests hosted wallets, and the certificates of the key, leaf first. They are checked at the start.
   */
  readonly walletProviderX509: KeyAndChain | undefined
  /** Whether hosted wallets deal only with parties whose registration certificates cover everything. */
  readonly walletRegistration: 'optional' | 'required'
  /** The rules for wallets: OpenID4VCI 1.0 (`final`), and HAIP 1.0 too (`haip`). */
  readonly issuerProfile: 'final' | 'haip'
  /** Drafts of OpenID4VCI that offers may use. */
  readonly issuerLegacyProfiles: readonly Draft[]
  /** The default profile of requests: OpenID4VP 1.0 (`final`), and HAIP 1.0 too (`haip`). */
  readonly verifierProfile: 'final' | 'haip'
  /** Drafts of OpenID4VP that requests may use. */
  readonly verifierLegacyProfiles: readonly PresentationDraft[]
  /** `direct_post.jwt` asks wallets to encrypt their answers (OpenID4VP 1.0 §8.3.1). */
  readonly verifierResponseMode: 'direct_post' | 'direct_post.jwt'
  /** Seconds for which verified claims can be read. */
  readonly sessionResultTtlSeconds: number
  /** Days for which a session can be read after its end. */
  readonly sessionRetentionDays: number
  /** Days after issuance for which claims are stored, for types without a retention of their own; undefined for ever. */
  readonly retentionClaimsDays: number | undefined
  /** Days for which the presentations of hosted wallets can be read. */
  readonly retentionPresentationsDays: number
  /** Days for which audit events are stored; undefined for ever. */
  readonly retentionAuditDays: number | undefined
  readonly sdJwtIssuer: 'did' | 'url'
  /** Encryption of credential requests and responses: off, optional or required (OpenID4VCI 1.0 §10). */
  readonly credentialEncryption: 'off' | 'offered' | 'required'
  /** Validity of a refresh token in days. */
  readonly refreshTokenDays: number
  /** Seconds for which a copy of a status list may be used before it is requested again (`ttl`). */
  readonly statusListTtlSeconds: number
  /** Seconds after which a signed status list expires (`exp`). */
  readonly statusListExpirySeconds: number
  /** All variables, each with the part of its value that may be shown. */
  readonly settings: readonly Setting[]
}

function problemsOf(error: z.ZodError): string[] {
  return error.issues.map((issue) => `- ${issue.path.join('.')} ${issue.message}`)
}

/** True if the database address leads to a transaction pooler. */
const isPooled = (address: string | undefined) =>
  address !== undefined && URL.canParse(address) && new URL(address).searchParams.get('pgbouncer') === 'true'

/** Whether certificates can prove issuers of credentials: there is a root or a trusted list. */
export const certifiesIssuers = ({ trustAnchors, listed }: Pick<Config, 'trustAnchors' | 'listed'>): boolean =>
  isAnchored({ trustAnchors, lists: listed?.credentials })

/** Whether something can prove the issuer of a credential by its certificate. */
const hasRoots = ({ TRUST_ANCHORS, TRUST_LISTS }: NodeJS.ProcessEnv) =>
  TRUST_ANCHORS !== undefined || TRUST_LISTS !== undefined

/** Checks the rules that concern several variables. Each violation adds one line to the error. */
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
  if (/(^|[\s,])x5c($|[\s,])/.test(input.TRUSTED_ISSUERS ?? '') && !hasRoots(input)) {
    problems.push('- TRUST_ANCHORS or TRUST_LISTS must be defined where TRUSTED_ISSUERS lists x5c.')
  }
  for (const [transport, name] of [
    ['redis', 'REDIS_URL'],
    ['nats', 'NATS_URL'],
  ]) {
    if (input.EVENTS === transport && input[name ?? ''] === undefined)
      problems.push(`- ${name} must be defined where EVENTS is ${transport}.`)
  }
  if (isPooled(input.DATABASE_URL) && input.DIRECT_DATABASE_URL === undefined)
    problems.push('- DIRECT_DATABASE_URL must be defined where DATABASE_URL has pgbouncer=true.')
  if (isPooled(input.DIRECT_DATABASE_URL)) problems.push('- DIRECT_DATABASE_URL must not have pgbouncer=true.')
  for (const name of ['METRICS_PORT', 'PUBLIC_PORT']) {
    const port = input[name]
    if (port !== undefined && port !== '0' && port === (input.PORT ?? '3000'))
      problems.push(`- ${name} must be another port than PORT.`)
  }
  if (input.ISSUER_PROFILE === 'haip') {
    for (const name of ['ISSUER_X509', 'WALLET_TRUST_ANCHORS']) {
      if (input[name] === undefined) problems.push(`- ${name} must be defined where ISSUER_PROFILE is haip.`)
    }
    if (input.ISSUER_LEGACY_PROFILES !== undefined)
      problems.push('- ISSUER_LEGACY_PROFILES must not be set where ISSUER_PROFILE is haip.')
  }
  if (input.ISSUER_SIGNING === 'delegated' && input.ISSUER_X509 === undefined)
    problems.push('- ISSUER_X509 must be defined where ISSUER_SIGNING is delegated.')
  if (input.VERIFIER_PROFILE === 'haip') {
    if (input.VERIFIER_X509 === undefined)
      problems.push('- VERIFIER_X509 must be defined where VERIFIER_PROFILE is haip.')
    if (!hasRoots(input))
      problems.push('- TRUST_ANCHORS or TRUST_LISTS must be defined where VERIFIER_PROFILE is haip.')
    if (input.VERIFIER_LEGACY_PROFILES !== undefined)
      problems.push('- VERIFIER_LEGACY_PROFILES must not be set where VERIFIER_PROFILE is haip.')
  }
  // The role `admin` of a token is ignored if ADMIN_ROLE is a different role, so it could not let anybody issue.
  for (const name of ['ISSUER_ROLE', 'VERIFIER_ROLE']) {
    if (input[name] === 'admin' && (input.ADMIN_ROLE ?? 'admin') !== 'admin')
      problems.push(`- ${name} must not be admin where ADMIN_ROLE is another role.`)
  }
  const encrypts = input.KEY_ENCRYPTION_KEY !== undefined || input.KEY_ENCRYPTION_PROVIDER !== undefined
  for (const name of ['KEY_ENCRYPTION_KEY_PREVIOUS', 'KEY_ENCRYPTION_PROVIDER_PREVIOUS']) {
    if (input[name] !== undefined && !encrypts)
      problems.push(`- KEY_ENCRYPTION_KEY or KEY_ENCRYPTION_PROVIDER must be defined where ${name} is.`)
  }
  if (input.KEY_ENCRYPTION_KEY !== undefined && input.KEY_ENCRYPTION_PROVIDER !== undefined)
    problems.push(
      '- KEY_ENCRYPTION_KEY and KEY_ENCRYPTION_PROVIDER must not both be set. The former key is KEY_ENCRYPTION_KEY_PREVIOUS.',
    )
  if (
    input.KEY_ENCRYPTION_PROVIDER !== undefined &&
    input.KEY_ENCRYPTION_PROVIDER === input.KEY_ENCRYPTION_PROVIDER_PREVIOUS
  )
    problems.push('- KEY_ENCRYPTION_PROVIDER_PREVIOUS must name another key than KEY_ENCRYPTION_PROVIDER.')
  return problems
}

/** A list over plain http could be replaced by anybody on the way, even though its signature is checked. */
function trustListProblems(env: Environment): string[] {
  const plain = env.TRUST_LISTS.findIndex(({ url: address }) => address.startsWith('http:'))
  const problems =
    plain < 0 || env.ALLOW_INSECURE_HTTP
      ? []
      : [`- TRUST_LISTS must list https URLs unless ALLOW_INSECURE_HTTP is true: ${plain}.url is none.`]
  const isNeeded = env.TRUSTED_ISSUERS?.includes('x5c') === true || env.VERIFIER_PROFILE === 'haip'
  const isEmpty = env.TRUST_LISTS.every(({ purpose }) => purpose !== 'credentials')
  const isMissing = env.TRUST_ANCHORS.length === 0 && isEmpty && env.TRUST_LISTS.length > 0
  if (isNeeded && isMissing)
    problems.push('- TRUST_LISTS must have a list with the purpose credentials, or TRUST_ANCHORS must be defined.')
  return problems
}

/** A list must not expire while its copies may still be used (Token Status List §4.2). */
function statusListProblems({
  STATUS_LIST_TTL_SECONDS: ttl,
  STATUS_LIST_EXPIRY_SECONDS: expiry,
}: Environment): string[] {
  return expiry < ttl ? ['- STATUS_LIST_EXPIRY_SECONDS must not be less than STATUS_LIST_TTL_SECONDS.'] : []
}

/**
 * Two records must not have the same key, because a signature must show which record signed, and the DID of a key must
 * name one record.
 */
function keyProblems({ ISSUER_X509: issuer, VERIFIER_X509: verifier, ...env }: Environment): string[] {
  const leaves = [issuer?.chain[0]?.publicKey, verifier?.chain[0]?.publicKey]
  const isSame = leaves[0] !== undefined && leaves[1] !== undefined && leaves[0].equals(leaves[1])
  const ofWallets = env.WALLET_PROVIDER_X509
  return [
    ...(isSame ? ['- ISSUER_X509 and VERIFIER_X509 must hold different keys.'] : []),
    ...(ofWallets === undefined || ofWallets.key instanceof KeyObject
      ? []
      : ['- WALLET_PROVIDER_X509 must hold a private key.']),
  ]
}

/**
 * Checks the variables for sign-in. Sign-in needs OIDC_ISSUER. OIDC_JWKS_URL alone is not enough, because it leads only
 * to keys.
 */
function signInProblems(input: NodeJS.ProcessEnv): string[] {
  const { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: secret, OIDC_ISSUER: issuer } = input
  if (clientId === undefined) {
    return secret === undefined ? [] : ['- OIDC_CLIENT_ID must be defined where OIDC_CLIENT_SECRET is.']
  }
  if (issuer === undefined) return ['- OIDC_ISSUER must be defined where OIDC_CLIENT_ID is.']
  const protocols = input.ALLOW_INSECURE_HTTP === 'true' ? ['https:', 'http:'] : ['https:']
  const usable = URL.canParse(issuer) && protocols.includes(new URL(issuer).protocol)
  return usable ? [] : ['- OIDC_ISSUER must be an https URL where OIDC_CLIENT_ID is defined.']
}

/** The words of ISSUER_KEY_PROVIDER and VERIFIER_KEY_PROVIDER are `database` and the names of KEY_PROVIDERS. */
function keyProviderProblems(env: Environment): string[] {
  const names = ['database', ...env.KEY_PROVIDERS.map(({ name }) => name)]
  const wrapping = (['KEY_ENCRYPTION_PROVIDER', 'KEY_ENCRYPTION_PROVIDER_PREVIOUS'] as const).flatMap((variable) => {
    const provider = env[variable]?.provider
    return provider === undefined || env.KEY_PROVIDERS.some(({ name }) => name === provider)
      ? []
      : [`- ${variable} must begin with the name of a provider of KEY_PROVIDERS.`]
  })
  const signing = (['ISSUER_KEY_PROVIDER', 'VERIFIER_KEY_PROVIDER'] as const).flatMap((variable) => {
    const name = env[variable]
    return name === undefined || names.includes(name)
      ? []
      : [`- ${variable} must be database or the name of a provider of KEY_PROVIDERS.`]
  })
  return [...wrapping, ...signing]
}

/** Whether values are stored encrypted: under KEY_ENCRYPTION_KEY, or under a key that a key provider wraps. */
export const encrypts = ({ keyEncryptionKeys, wrapping }: Pick<Config, 'keyEncryptionKeys' | 'wrapping'>): boolean =>
  keyEncryptionKeys.length > 0 || wrapping.current !== undefined

/** The name of a key provider; undefined for the database. */
const inProvider = (name: string | undefined) => (name === 'database' ? undefined : name)

function signInOf(env: Environment): SignInConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_SCOPE: scope } = env
  return issuer === undefined || clientId === undefined ? undefined : { issuer, clientId, clientSecret, scope }
}

function eventsOf({ EVENTS: transport, REDIS_URL, NATS_URL }: Environment): Config['events'] {
  const url = transport === 'redis' ? REDIS_URL : NATS_URL
  return transport === 'postgres' || url === undefined ? { transport: 'postgres' } : { transport, url }
}

function configOf(env: Environment, settings: readonly Setting[], environment: NodeJS.ProcessEnv): Config {
  const defined = <T>(values: readonly (T | undefined)[]) => values.filter((value) => value !== undefined)
  return {
    production: env.NODE_ENV === 'production',
    issuerBaseUrl: env.ISSUER_BASE_URL,
    verifierBaseUrl: env.VERIFIER_BASE_URL,
    databaseUrl: env.DATABASE_URL,
    directDatabaseUrl: env.DIRECT_DATABASE_URL ?? env.DATABASE_URL,
    databaseReplicaUrl: env.DATABASE_REPLICA_URL,
    oidc: {
      jwksUrl: env.OIDC_JWKS_URL,
      issuer: env.OIDC_ISSUER,
      audience: env.OIDC_AUDIENCE,
      algorithms: env.OIDC_ALGORITHMS,
      didClaim: env.OIDC_DID_CLAIM,
      rolesClaim: env.OIDC_ROLES_CLAIM,
    },
    signIn: signInOf(env),
    console: consoleConfigOf(env, signInOf(env) !== undefined),
    adminRole: env.ADMIN_ROLE,
    issuerRole: env.ISSUER_ROLE,
    verifierRole: env.VERIFIER_ROLE,
    clientSecrets: defined([env.CLIENT_SECRET, env.CLIENT_SECRET_PREVIOUS]),
    authDisabled: env.AUTH_DISABLED,
    allowInsecureHttp: env.ALLOW_INSECURE_HTTP,
    keyEncryptionKeys: defined([env.KEY_ENCRYPTION_KEY, env.KEY_ENCRYPTION_KEY_PREVIOUS]),
    wrapping: { current: env.KEY_ENCRYPTION_PROVIDER, previous: env.KEY_ENCRYPTION_PROVIDER_PREVIOUS },
    keyProviders: {
      entries: env.KEY_PROVIDERS,
      environment: env.KEY_PROVIDERS.length === 0 ? {} : environment,
      ofIssuer: inProvider(env.ISSUER_KEY_PROVIDER),
      ofVerifier: inProvider(env.VERIFIER_KEY_PROVIDER),
    },
    rateLimit: { max: env.RATE_LIMIT_MAX, windowSeconds: env.RATE_LIMIT_WINDOW_SECONDS },
    streams: { perCaller: env.MAX_STREAMS_PER_CALLER, process: env.MAX_STREAMS },
    redisUrl: env.REDIS_URL,
    events: eventsOf(env),
    trustProxy: env.TRUST_PROXY,
    host: env.HOST,
    port: env.PORT,
    publicListener: { host: env.PUBLIC_HOST, port: env.PUBLIC_PORT },
    metrics: { host: env.METRICS_HOST, port: env.METRICS_PORT },
    logLevel: env.LOG_LEVEL,
    webConcurrency: env.WEB_CONCURRENCY,
    shutdownDelaySeconds: env.SHUTDOWN_DELAY_SECONDS,
    outboundAllowedHosts: env.OUTBOUND_ALLOWED_HOSTS,
    corsOrigins: env.CORS_ORIGINS,
    trustedIssuers: env.TRUSTED_ISSUERS,
    trustAnchors: env.TRUST_ANCHORS,
    trustLists: env.TRUST_LISTS,
    publishedLists: env.PUBLISHED_TRUST_LISTS,
    statusTrustAnchors: env.STATUS_TRUST_ANCHORS.length > 0 ? env.STATUS_TRUST_ANCHORS : env.TRUST_ANCHORS,
    verifierTrustAnchors: env.VERIFIER_TRUST_ANCHORS,
    registrarTrustAnchors: env.REGISTRAR_TRUST_ANCHORS,
    verifierAttestationIssuers: env.VERIFIER_ATTESTATION_ISSUERS,
    attestationTrust: {
      trustAnchors: env.WALLET_TRUST_ANCHORS,
      providers: env.WALLET_CLIENTS.flatMap(({ client_id: clientId, attestation }) =>
        attestation === undefined ? [] : [{ clientId, iss: attestation.iss, keys: attestation.jwks.keys }],
      ),
    },
    walletLinks: env.WALLET_LINKS,
    serviceContact: env.SERVICE_CONTACT,
    walletRedirectUris: new Map(env.WALLET_CLIENTS.map((client) => [client.client_id, client.redirect_uris])),
    issuerX509: env.ISSUER_X509,
    issuerSigning: env.ISSUER_SIGNING,
    issuerRegistrations: env.ISSUER_REGISTRATIONS,
    issuerRegistrarDataset: env.ISSUER_REGISTRAR_DATASET,
    verifierX509: env.VERIFIER_X509,
    verifierAttestation: env.VERIFIER_ATTESTATION,
    verifierRegistrations: env.VERIFIER_REGISTRATIONS,
    walletProviderX509: env.WALLET_PROVIDER_X509,
    walletRegistration: env.WALLET_REGISTRATION,
    issuerProfile: env.ISSUER_PROFILE,
    issuerLegacyProfiles: env.ISSUER_LEGACY_PROFILES,
    verifierProfile: env.VERIFIER_PROFILE,
    verifierLegacyProfiles: env.VERIFIER_LEGACY_PROFILES,
    verifierResponseMode: env.VERIFIER_RESPONSE_MODE,
    sessionResultTtlSeconds: env.SESSION_RESULT_TTL_SECONDS,
    sessionRetentionDays: env.SESSION_RETENTION_DAYS,
    retentionClaimsDays: env.RETENTION_CLAIMS_DAYS,
    retentionPresentationsDays: env.RETENTION_PRESENTATIONS_DAYS,
    retentionAuditDays: env.RETENTION_AUDIT_DAYS,
    sdJwtIssuer: env.SD_JWT_ISSUER,
    credentialEncryption: env.CREDENTIAL_ENCRYPTION,
    refreshTokenDays: env.REFRESH_TOKEN_DAYS,
    statusListTtlSeconds: env.STATUS_LIST_TTL_SECONDS,
    statusListExpirySeconds: env.STATUS_LIST_EXPIRY_SECONDS,
    settings,
  }
}

/**
 * Reads the configuration from environment variables. An empty value counts as a missing value.
 *
 * @throws {ConfigurationError} with all problems at once.
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const input = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = zEnvironment.safeParse(input)
  const problems = [
    ...(parsed.success
      ? [
          ...keyProblems(parsed.data),
          ...statusListProblems(parsed.data),
          ...trustListProblems(parsed.data),
          ...keyProviderProblems(parsed.data),
        ]
      : problemsOf(parsed.error)),
    ...crossProblems(input),
    ...signInProblems(input),
    ...consoleProblems(input),
  ]
  const lines: string[] = []
  if (problems.length > 0) lines.push('Invalid environment variables:', ...problems)
  if (input.OIDC_JWKS_URL === undefined && input.AUTH_DISABLED !== 'true') lines.push(MISSING_OIDC)
  if (lines.length > 0 || !parsed.success) throw new ConfigurationError(lines.join('\n'))
  return configOf(
    parsed.data,
    settingsOf(input, (variable) => zEnvironment.shape[variable].safeParse(undefined).data),
    environment,
  )
}

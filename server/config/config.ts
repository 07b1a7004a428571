import type { X509Certificate } from 'node:crypto'
import type { ListedTrust } from '../protocol/issuer-keys/listed-trust.js'
import { isAnchored } from '../protocol/issuer-keys/trusted-chain.js'
import type { JsonObject } from '../protocol/json/json-object.js'
import type { AttestationTrust } from '../protocol/openid4vci/attester.js'
import type { Draft } from '../protocol/openid4vci/drafts.js'
import type { Draft as PresentationDraft } from '../protocol/openid4vp/drafts.js'
import type { VerifierAttestation } from '../protocol/openid4vp/verifier-attestation.js'
import { type ConsoleConfig, consoleConfigOf } from './console.js'
import type { KeyProviderEntry, WrappingKey } from './key-providers.js'
import { problemsOf } from './problems.js'
import type { PublishedDefinition } from './published-lists.js'
import type { AttestationIssuerKey, KeyAndChain } from './rules.js'
import { type Setting, settingsOf } from './shown.js'
import type { ListDefinition, ListPurpose } from './trust-lists.js'
import { type Environment, zEnvironment } from './variables.js'
import type { WalletLink } from './wallet-links.js'

/**
 * Thrown if the configuration prevents the start. `message` is the whole text for the operator, one problem on each
 * line.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

const MISSING_OIDC = 'OIDC configuration missing. Set OIDC_JWKS_URL.'

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

/** Whether certificates can prove issuers of credentials: there is a root or a trusted list. */
export const certifiesIssuers = ({ trustAnchors, listed }: Pick<Config, 'trustAnchors' | 'listed'>): boolean =>
  isAnchored({ trustAnchors, lists: listed?.credentials })

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
  const problems = problemsOf(input, parsed)
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

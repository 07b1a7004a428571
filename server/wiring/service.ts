import { randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { certificateChecks, expiriesOf } from '../agent/certificate-watch.js'
import { certifiedKey } from '../agent/certified-key.js'
import { createSignerStore } from '../agent/signers/store.js'
import { createAgentStore } from '../agent/store.js'
import type { AppPorts } from '../app.js'
import { createAuditStore } from '../audit/store.js'
import { createAccess, createTokenCheck } from '../auth/access.js'
import { createRequestAccess } from '../auth/request-access.js'
import { createSignIn } from '../auth/sign-in.js'
import type { Config } from '../config/config.js'
import { createChanges } from '../console/changes/changes.js'
import { changesIn, createChangeStore } from '../console/changes/store.js'
import { createConsoleSessions } from '../console/sessions/sessions.js'
import { createConsoleSessionStore } from '../console/sessions/store.js'
import { connectDatabase, type Database } from '../database/connect.js'
import { openReplica } from '../database/replica/open.js'
import type { Deps, Stores } from '../deps.js'
import { documentOf } from '../dids/documents.js'
import { createDomainLinkages } from '../dids/domain-linkage.js'
import { createDidResolver } from '../dids/resolver.js'
import { createDidStore } from '../dids/store.js'
import { createPings } from '../events/pings.js'
import { type Announce, createEventStore } from '../events/store.js'
import { createEvents } from '../events/stream.js'
import { eventTransport } from '../events/transports/configured.js'
import { type Formats, standardFormats } from '../formats/registry.js'
import { readinessOf } from '../health/readiness.js'
import { walletPaths } from '../http/paths.js'
import { createOfferBatchStore } from '../issuer/credential-offers/batch/store.js'
import { createCredentialHistoryStore } from '../issuer/credentials/history/store.js'
import { createCredentialListStore } from '../issuer/credentials/list/store.js'
import { createCredentialStore } from '../issuer/credentials/store.js'
import { createIssuanceStore } from '../issuer/issuance/store.js'
import { createMetadataTexts } from '../issuer/metadata/kept-texts.js'
import { createMetadataStore } from '../issuer/metadata/store.js'
import { createOfferingStore } from '../issuer/offerings/store.js'
import { createDecisionStore } from '../issuer/openid4vci/authorizations/decision-store.js'
import { createAuthorizationStore } from '../issuer/openid4vci/authorizations/store.js'
import { createDeferredIssuanceStore } from '../issuer/openid4vci/deferred/store.js'
import { createSeals } from '../issuer/openid4vci/sealed.js'
import { createOfferSessionListStore } from '../issuer/openid4vci/sessions/list-store.js'
import { CREDENTIAL_OFFER_STATES, isFinal } from '../issuer/openid4vci/sessions/session.js'
import { createOfferSessionStore } from '../issuer/openid4vci/sessions/store.js'
import { createOpenid4vciStore } from '../issuer/openid4vci/store.js'
import { createSchemaListStore } from '../issuer/schemas/list/store.js'
import { createSchemaStore } from '../issuer/schemas/store.js'
import { createKeyRotationStore } from '../key-rotation/store.js'
import { createDecryptionKeys } from '../keys/decryption-keys.js'
import { createKeys, rootSecret } from '../keys/keys.js'
import { createKeyStore } from '../keys/store.js'
import { createVault } from '../keys/vault.js'
import { createLog, type Log } from '../log/log.js'
import { createMaintenance, type Maintenance, type Pace } from '../maintenance/job.js'
import { createPartitionStore } from '../maintenance/partitions/store.js'
import { recentWriterTask } from '../maintenance/recent-writers.js'
import { createMaintenanceStore } from '../maintenance/store.js'
import { createMetrics, type Metrics } from '../metrics/metrics.js'
import { createOutbound, type OutboundOptions } from '../outbound/guard.js'
import { createOwnPathCheck, ownRequestMac } from '../outbound/own-origin.js'
import { createPageStore } from '../people-pages/store.js'
import type { OperatedService } from '../process/operations.js'
import { LruMap } from '../protocol/jose/lru-map.js'
import { deriveKey } from '../protocol/jose/sealed.js'
import { contractRouters, createRouters } from '../router.js'
import { createStatisticsStore } from '../statistics/store.js'
import { createStatusLists } from '../status-lists/status-lists.js'
import { createStatusListStore } from '../status-lists/store.js'
import { createAuthorizationRequestStore } from '../verifier/authorization-requests/store.js'
import { createVerificationSessionListStore } from '../verifier/sessions/list-store.js'
import { createVerificationSessionStore } from '../verifier/sessions/store.js'
import { createTrustedIssuerStore } from '../verifier/trusted-issuers/store.js'
import { createVpQueryStore } from '../verifier/vp-queries/store.js'
import { createWalletCredentialStore } from '../wallet/credentials/store.js'
import { createFlowStore } from '../wallet/flows/store.js'
import { createHolderStore } from '../wallet/holders/store.js'
import { createWalletProvider } from '../wallet/openid4vci/wallet-provider.js'
import { createPendingIssuanceStore } from '../wallet/pending/store.js'
import { createWalletPresentationStore } from '../wallet/presentations/store.js'
import { type Features, wireFeatures } from './features.js'
import { depsOfStrangers } from './strangers.js'

/** What tests and the start-up replace. */
export interface DepsOptions {
  readonly clock?: () => Date
  readonly log?: Log
  /** The credential formats; those of this service unless given. */
  readonly formats?: Formats
  /** Name resolution, address rules and deadline of the outbound guard. */
  readonly outbound?: Pick<OutboundOptions, 'lookup' | 'isPublicAddress' | 'ca' | 'timeoutMs'>
  readonly poolSize?: number
  /** How long a query waits for a connection; 5,000 unless given. */
  readonly databaseWaitMs?: number
  /** Between two pings of an event stream, in milliseconds; 15,000 unless given. */
  readonly pingEveryMs?: number
  /** Between two looks for missed events of sessions, in milliseconds; 1,000 unless given. */
  readonly eventsEveryMs?: number
  /** Between two looks for changes in the lists of the console, in milliseconds; 1,000 unless given. */
  readonly changesEveryMs?: number
  /** Readiness checks of further components. */
  readonly checks?: Record<string, () => Promise<unknown>>
  /** Whether sessions run out by themselves; true unless given. */
  readonly maintenance?: boolean
  /** How the maintenance job knows what time it has used, and how it rests; the process's own unless given. */
  readonly maintenancePace?: Pace
  /** Between two looks of the maintenance job for due tasks, in milliseconds; 1,000 unless given. */
  readonly maintenanceEveryMs?: number
}

const OPEN_STATES = CREDENTIAL_OFFER_STATES.filter((state) => !isFinal(state))

/**
 * The stores over one database; nothing else in the service uses Prisma.
 *
 * @param announce where transitions are told to other processes; a start or a command makes none.
 */
export function createStores(database: Database, announce: Announce = () => {}): Stores {
  return {
    agents: createAgentStore(database),
    audit: createAuditStore(database),
    authorizations: createAuthorizationStore(database),
    decisions: createDecisionStore(database, announce),
    authorizationRequests: createAuthorizationRequestStore(database),
    credentialHistory: createCredentialHistoryStore(database),
    credentialList: createCredentialListStore(database),
    changes: createChangeStore(database, OPEN_STATES),
    consoleSessions: createConsoleSessionStore(database),
    credentials: createCredentialStore(database),
    dids: createDidStore(database),
    events: createEventStore(database),
    flows: createFlowStore(database),
    holders: createHolderStore(database),
    issuance: createIssuanceStore(database),
    openid4vci: createOpenid4vciStore(database, announce),
    keys: createKeyStore(database),
    keyRotation: createKeyRotationStore(database),
    metadata: createMetadataStore(database),
    offerings: createOfferingStore(database),
    offerBatches: createOfferBatchStore(database),
    offerSessionList: createOfferSessionListStore(database),
    offerSessions: createOfferSessionStore(database, announce),
    pages: createPageStore(database),
    partitions: createPartitionStore(database),
    deferredIssuances: createDeferredIssuanceStore(database, announce),
    pendingIssuances: createPendingIssuanceStore(database),
    schemaList: createSchemaListStore(database),
    schemas: createSchemaStore(database),
    signers: createSignerStore(database),
    statistics: createStatisticsStore(database),
    statusLists: createStatusListStore(database),
    trustedIssuers: createTrustedIssuerStore(database),
    verificationSessionList: createVerificationSessionListStore(database),
    verificationSessions: createVerificationSessionStore(database, announce),
    vpQueries: createVpQueryStore(database),
    walletCredentials: createWalletCredentialStore(database),
    walletPresentations: createWalletPresentationStore(database),
  }
}

/** Sealing keys kept: one for each use, and one for each status list that is issued into. */
const MAX_SEALING_KEYS = 10_000

function memoized(make: (label: string) => Uint8Array): (label: string) => Uint8Array {
  const made = new LruMap<string, Uint8Array>(MAX_SEALING_KEYS)
  return (label) => {
    const known = made.get(label)
    if (known !== undefined) return known
    const key = make(label)
    made.set(label, key)
    return key
  }
}

export interface Service {
  readonly deps: Deps
  readonly features: Features
  readonly app: AppPorts
  readonly operated: OperatedService & { readonly metrics: Metrics }
  /** Of the public listener, to which everybody is a stranger. */
  readonly publicApp: AppPorts
  readonly maintenance: Maintenance
  /** From now on the readiness check fails; everything is still served. */
  beginStop(): void
  /** Event streams end, those that are opened from now on at once. */
  endStreams(): void
  /** Closes connections; requests must be done. */
  close(): Promise<void>
}

/** What an application serves of a service. */
const appPorts = (deps: Deps, features: Features): AppPorts => ({
  ...deps,
  routers: createRouters(deps.formats, features),
  context: { deps, accessOf: deps.accessOf, changing: deps.lists.changing, production: deps.config.production },
})

/** Wires a process. The database must be migrated and hold the default issuer and verifier. */
export async function createService(config: Config, options: DepsOptions = {}): Promise<Service> {
  const log = options.log ?? createLog(config.logLevel)
  const clock = options.clock ?? (() => new Date())
  const formats = options.formats ?? standardFormats
  const provider = certifiedKey('walletProvider', config, new Date())
  const database = connectDatabase(config.databaseUrl, {
    ...(options.poolSize === undefined ? {} : { max: options.poolSize }),
    ...(options.databaseWaitMs === undefined ? {} : { waitMs: options.databaseWaitMs }),
    onConnectionLost: (error) => log.warn({ reason: error.message }, 'database connection lost'),
  })
  const metrics = createMetrics()
  const stores = createStores(database, (recorded) => deps.events.announce(recorded))
  const vault = createVault(config.keyEncryptionKeys)
  const keys = createKeys(stores.keys, vault)
  const root = await rootSecret(stores.keys, vault)
  const sealingKey = memoized((label) => deriveKey(root, label))
  const baseUrls = [config.issuerBaseUrl, config.verifierBaseUrl]
  const outbound = createOutbound({
    allowHttp: config.allowInsecureHttp,
    allowedHosts: config.outboundAllowedHosts,
    ownOrigins: baseUrls.map((url) => new URL(url).origin),
    ownPathAllowed: createOwnPathCheck(baseUrls, walletPaths(contractRouters(formats).restRouter)),
    ownRequestMac: ownRequestMac(sealingKey('own-request'), clock, baseUrls),
    onEnd: metrics.outbound,
    ...options.outbound,
  })
  const resolver = createDidResolver({
    fetchJson: (url) => outbound.fetchJson(url),
    allowHttp: config.allowInsecureHttp,
    clock,
    localDocument: async (did) => {
      const stored = await stores.dids.find(did)
      return stored === undefined ? undefined : documentOf(stored, config)
    },
  })
  const tokens = createTokenCheck(config, clock)
  const signIn = config.signIn === undefined ? undefined : createSignIn(config, config.signIn, outbound.fetch, clock)
  const random = (length: number) => new Uint8Array(randomBytes(length))
  const consoleSessions =
    config.console?.mode !== 'login' || signIn === undefined
      ? undefined
      : createConsoleSessions({
          config,
          store: stores.consoleSessions,
          vault,
          signIn,
          tokens,
          clock,
          random,
          newId: randomUUID,
          sealingKey,
          log,
        })
  const access = createAccess(config, tokens, consoleSessions)
  const state = { stopping: false }
  const replica = openReplica({
    url: config.databaseReplicaUrl,
    database,
    log,
    onRead: metrics.listRead,
  })
  const events = createEvents({
    store: stores.events,
    transport: await eventTransport(config, log),
    key: sealingKey('session-events'),
    log,
    clock,
    limits: config.streams,
    everyMs: options.eventsEveryMs,
  })
  const statusLists = createStatusLists({
    store: stores.statusLists,
    keys,
    config,
    clock,
    newId: randomUUID,
    sealingKey,
  })
  const deps: Deps = {
    config,
    formats,
    log,
    clock,
    random,
    newId: randomUUID,
    access,
    accessOf: createRequestAccess({ access, config, isHolderOf: stores.holders.isOwnedBy }),
    tokens,
    consoleSessions,
    signIn,
    walletProvider: provider === undefined ? undefined : await createWalletProvider(provider, config.issuerBaseUrl),
    vault,
    keys,
    decryptionKeys: createDecryptionKeys(stores.keys, vault, clock),
    sealingKey,
    outbound,
    resolver,
    domainLinkages: createDomainLinkages(keys, config, clock),
    allotment: statusLists,
    metadataTexts: createMetadataTexts(stores.metadata, clock),
    statusLists,
    seals: createSeals({ sealingKey, clock, newId: randomUUID }),
    stores,
    lists: replica.listsOver(createStores),
    listsOver: replica.listsOver,
    database,
    events,
    changes: createChanges({
      store: changesIn(replica.listsOver((from) => createChangeStore(from, OPEN_STATES))),
      events,
      clock,
      log,
      newId: randomUUID,
      everyMs: options.changesEveryMs,
    }),
    pings: createPings(options.pingEveryMs),
    health: {
      stopping: () => state.stopping,
      checks: {
        database: () => database.sql(z.strictObject({ up: z.literal(1) }))`SELECT 1 AS up`,
        ...replica.checks,
        ...(config.events.transport === 'nats' ? { nats: async () => deps.events.check?.() } : {}),
        ...(tokens.identityProvider === undefined ? {} : { identityProvider: tokens.identityProvider }),
        ...certificateChecks(config, clock),
        ...options.checks,
      },
    },
    metrics,
  }
  const features = wireFeatures(deps)
  const maintenance = createMaintenance({
    store: createMaintenanceStore(database),
    // All work that is done at intervals, independent of requests.
    tasks: [
      ...features.verificationSessions.tasks,
      ...features.offerSessions.tasks,
      ...features.authorizations.tasks,
      ...features.walletTokens.tasks,
      ...features.nonces.tasks,
      ...features.requestEncryption.tasks,
      ...features.flows.tasks,
      ...features.pendingIssuances.tasks,
      ...features.peoplePages.tasks,
      ...features.console.tasks,
      ...features.certificates.tasks,
      ...features.audit.tasks,
      ...features.statistics.tasks,
      ...features.sessionEvents.tasks,
      ...(replica.forget === undefined ? [] : [recentWriterTask(replica.forget)]),
    ],
    clock,
    log,
    onBatch: metrics.maintenance,
    ...(options.maintenancePace === undefined ? {} : { pace: options.maintenancePace }),
    everyMs: options.maintenanceEveryMs,
  })
  metrics.read({
    database: database.load,
    streams: deps.events.open,
    maintenanceLate: maintenance.late,
    expiries: expiriesOf(config),
  })
  if (options.maintenance !== false) maintenance.start()
  const strangers = depsOfStrangers(deps)
  return {
    deps,
    features,
    app: appPorts(deps, features),
    publicApp: appPorts(strangers, wireFeatures(strangers)),
    operated: { clock, metrics, readiness: () => readinessOf(deps) },
    maintenance,
    beginStop: () => {
      state.stopping = true
    },
    endStreams: () => {
      deps.changes.end()
      deps.events.end()
    },
    close: async () => {
      await maintenance.stop()
      deps.pings.close()
      await deps.events.close()
      await outbound.close()
      await replica.close()
      await database.close()
    },
  }
}

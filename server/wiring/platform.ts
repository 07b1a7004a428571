import { randomBytes, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { certificateChecks } from '../agent/certificate-watch.js'
import { certifiedKey } from '../agent/certified-key.js'
import { registrationsCheck } from '../agent/registrations/watch.js'
import { createAccess, createTokenCheck } from '../auth/access.js'
import { createSignIn } from '../auth/sign-in.js'
import type { Config } from '../config/config.js'
import { createChanges } from '../console/changes/changes.js'
import { changesIn, createChangeStore } from '../console/changes/store.js'
import { createRenewal } from '../console/sessions/renewal.js'
import { createConsoleSessions } from '../console/sessions/sessions.js'
import { connectDatabase } from '../database/connect.js'
import { openReplica } from '../database/replica/open.js'
import { documentOf } from '../dids/documents.js'
import { createDomainLinkages } from '../dids/domain-linkage.js'
import { createDidResolver } from '../dids/resolver.js'
import { createPings } from '../events/pings.js'
import { createEvents } from '../events/stream.js'
import { eventTransport } from '../events/transports/configured.js'
import { type Formats, standardFormats } from '../formats/registry.js'
import { createIdempotency, type IdempotencyLimits } from '../idempotency/idempotency.js'
import { createMetadataTexts } from '../issuer/metadata/kept-texts.js'
import { createSeals } from '../issuer/openid4vci/sealed.js'
import { mayStayClear } from '../keys/at-rest/begin.js'
import { openEncryption } from '../keys/at-rest/encryption.js'
import { createAtRestStore } from '../keys/at-rest/store.js'
import { createWalks } from '../keys/at-rest/walk.js'
import { createWalkStore } from '../keys/at-rest/walk-store.js'
import { createRefusals, type Refusals } from '../keys/claims/refusals.js'
import { createClaimsVault, installationOf } from '../keys/claims/vault.js'
import { createDecryptionKeys } from '../keys/decryption-keys.js'
import { createDocumentSigners } from '../keys/document-signers/document-signers.js'
import { followEnvelopeKeys } from '../keys/envelope/follow.js'
import type { KeyRing } from '../keys/envelope/open.js'
import { createEnvelopeStore } from '../keys/envelope/store.js'
import { createKeys, rootSecret } from '../keys/keys.js'
import { createKeyProviders } from '../keys/providers/providers.js'
import { createKeyStore } from '../keys/store.js'
import { createVault } from '../keys/vault.js'
import { createLog, type Log } from '../log/log.js'
import { encryptionTask } from '../maintenance/encryption/task.js'
import { type PartitionPlan, partitionTask } from '../maintenance/partitions/task.js'
import { dueRows } from '../maintenance/task.js'
import { createMetrics } from '../metrics/metrics.js'
import { createNameIndex } from '../names/names.js'
import { createOutbound, type OutboundOptions } from '../outbound/guard.js'
import { createOwnPathCheck, ownRequestMac } from '../outbound/own-origin.js'
import { providerHosts } from '../outbound/provider-hosts.js'
import { LruMap } from '../protocol/jose/lru-map.js'
import { deriveKey } from '../protocol/jose/sealed.js'
import { createStatusLists } from '../status-lists/status-lists.js'
import { createLiveLists, type LiveLists } from '../trust/live/live-lists.js'
import { createListReading } from '../trust/reading/reader.js'
import { trustListsCheck } from '../trust/watch.js'
import { createWalletProvider } from '../wallet/openid4vci/wallet-provider.js'
import { createDelivery } from '../webhooks/deliver.js'
import { createWebhookSecrets } from '../webhooks/secrets.js'
import { createStores, STATES_OF_THINGS } from './stores.js'

/** Options that tests and the start-up set. */
export interface PlatformOptions {
  readonly clock?: () => Date
  readonly log?: Log
  /** The credential formats. Default: the formats of this service. */
  readonly formats?: Formats
  /** Name resolution, address rules and deadline of the outbound guard. */
  readonly outbound?: Pick<OutboundOptions, 'lookup' | 'isPublicAddress' | 'ca' | 'timeoutMs'>
  readonly poolSize?: number
  /** How long a query waits for a connection, in milliseconds. Default: 5,000. */
  readonly databaseWaitMs?: number
  /** Interval between two pings of an event stream, in milliseconds. Default: 15,000. */
  readonly pingEveryMs?: number
  /** Interval between two checks for missed events of sessions, in milliseconds. Default: 1,000. */
  readonly eventsEveryMs?: number
  /** Interval between two checks for changes in the lists of the console, in milliseconds. Default: 1,000. */
  readonly changesEveryMs?: number
  /** Limits of requests with an `Idempotency-Key`. */
  readonly idempotency?: IdempotencyLimits
  /** Interval between two looks at the stored trusted lists, in milliseconds. Default: 20,000. */
  readonly trustListsEveryMs?: number
  /** The key-encryption keys that the start opened. Default: the keys of the environment. Needed if a key provider wraps keys. */
  readonly keyEncryptionKeys?: KeyRing
  /** Called after a rotation changed the key-encryption keys of this process. */
  readonly onKeysChanged?: (keys: readonly Uint8Array[]) => void
  /** Interval between two looks for a new key-encryption key, in milliseconds. Default: 10,000. */
  readonly envelopeKeysEveryMs?: number
  /** Interval between two looks at document signers, in milliseconds. Default: 30,000. */
  readonly documentSignersEveryMs?: number
  /** Readiness checks of further components. */
  readonly checks?: Record<string, () => Promise<unknown>>
}

/**
 * Time for which the senders of changes stay recorded. It is long, since the clocks of processes and database may
 * differ.
 */
const WRITERS_KEPT_SECONDS = 3_600

/** The configuration with the trusted lists as this process knows them. */
const withLists = (config: Config, trust: LiveLists['trust']): Config => ({
  ...config,
  listed: {
    credentials: trust.credentials,
    status: trust.status,
    verifiers: trust.verifiers,
    registrars: trust.registrars,
  },
  attestationTrust: { ...config.attestationTrust, lists: trust.wallets, statusLists: trust.walletStatus },
})

/** Number of cached sealing keys: one for each purpose, and one for each status list with new credentials. */
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

/** The key-encryption keys of this process. A running process changes the list when a key is rotated. */
function openedKeys({ keyEncryptionKeys, wrapping }: Config, { keyEncryptionKeys: opened }: PlatformOptions): KeyRing {
  if (opened === undefined && (wrapping.current ?? wrapping.previous) !== undefined)
    throw new Error('The start must open the wrapped key-encryption keys.')
  return opened ?? [...keyEncryptionKeys]
}

function encryptionStatus(
  envelopeKeys: Pick<ReturnType<typeof followEnvelopeKeys>, 'degraded' | 'isBehind'> | undefined,
  refusals: Pick<Refusals, 'status'>,
) {
  // Other processes can serve, so this process gets no more requests.
  if (envelopeKeys?.isBehind()) throw new Error('Other processes encrypt under a key that this process cannot unwrap.')
  const degraded = envelopeKeys?.degraded()
  return degraded === undefined ? refusals.status() : { degraded }
}

/**
 * Creates the parts that all features of a process use: configuration, database, keys, outbound requests, events.
 *
 * @param isForWallets whether hosted wallets may request a path of this service
 */
export async function createPlatform(
  config: Config,
  options: PlatformOptions,
  isForWallets: (path: string) => boolean,
) {
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
  const keyEncryptionKeys = openedKeys(config, options)
  const root = await rootSecret(createKeyStore(database), keyEncryptionKeys)
  const atRest = createAtRestStore(database)
  const encryption = await openEncryption({ store: atRest, keys: keyEncryptionKeys, log }, root)
  const refusals = createRefusals(clock, log)
  const vault = createVault(keyEncryptionKeys, {
    clearIsRefused: async (place) =>
      encryption.isEncrypted(place.column) || !(await mayStayClear(place, stores.keys.isOfHolder)),
    onRefused: refusals.note,
  })
  const claims = createClaimsVault({
    keys: keyEncryptionKeys,
    installation: installationOf(root.secret),
    clearIsRefused: encryption.isEncrypted,
    onRefused: refusals.note,
  })
  const stores = createStores(database, claims, (recorded) => {
    events.announce(recorded)
    // The statement that recorded the event also wrote it to the outbox of webhooks.
    delivery.wake()
  })
  const keyProviders = createKeyProviders({
    config,
    clock,
    onCall: metrics.keyProviderCall,
    outbound: { ...options.outbound, onEnd: metrics.outbound },
  })
  const keys = createKeys(stores.keys, vault, keyProviders)
  const envelopeKeys =
    config.wrapping.current === undefined
      ? undefined
      : followEnvelopeKeys({
          config,
          store: createEnvelopeStore(database),
          atRest,
          providers: keyProviders,
          encryption,
          ring: keyEncryptionKeys,
          log,
          onChanged: options.onKeysChanged ?? (() => {}),
          everyMs: options.envelopeKeysEveryMs,
        })
  const random = (length: number) => new Uint8Array(randomBytes(length))
  const documentSigners = createDocumentSigners({
    keys,
    chainsOf: stores.keys.chains,
    config,
    clock,
    log,
    random,
    onMade: metrics.documentSigner,
    everyMs: options.documentSignersEveryMs,
  })
  const sealingKey = memoized((label) => deriveKey(root.secret, label))
  const baseUrls = [config.issuerBaseUrl, config.verifierBaseUrl]
  const outboundOptions: OutboundOptions = {
    allowHttp: config.allowInsecureHttp,
    allowedHosts: config.outboundAllowedHosts,
    ownOrigins: baseUrls.map((url) => new URL(url).origin),
    ownPathAllowed: createOwnPathCheck(baseUrls, (path) => isForWallets(path)),
    ownRequestMac: ownRequestMac(sealingKey('own-request'), clock, baseUrls),
    onEnd: metrics.outbound,
    ...options.outbound,
  }
  const outbound = createOutbound(outboundOptions)
  // Requests to the configured identity provider, which may have a private address. The permission holds only here: no
  // caller chooses an address that this guard requests.
  const toProvider = createOutbound({
    ...outboundOptions,
    allowedHosts: [...config.outboundAllowedHosts, ...providerHosts(config)],
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
  const signIn = config.signIn === undefined ? undefined : createSignIn(config, config.signIn, toProvider.fetch, clock)
  const consoleSessions =
    config.console?.mode !== 'login' || signIn === undefined
      ? undefined
      : createConsoleSessions({
          config,
          store: stores.consoleSessions,
          vault,
          usable: createRenewal({
            config,
            store: stores.consoleSessions,
            vault,
            signIn,
            tokens,
            clock,
            newId: randomUUID,
            log,
          }),
          key: sealingKey('console-session'),
          clock,
          random,
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
  const webhookSecrets = createWebhookSecrets(vault)
  const delivery = createDelivery({
    outbox: stores.webhookOutbox,
    isAnyActive: stores.webhooks.isAnyActive,
    content: stores.webhookContent,
    secrets: webhookSecrets,
    outbound,
    metrics,
    clock,
    log,
  })
  const statusLists = createStatusLists({
    store: stores.statusLists,
    documentSigners,
    config,
    clock,
    newId: randomUUID,
    sealingKey,
  })
  const idempotency = createIdempotency({
    store: stores.idempotency,
    newUnit: database.newUnit,
    vault,
    sealingKey,
    tokenIssuer: config.oidc.issuer,
    metrics,
    clock,
    newId: randomUUID,
    limits: options.idempotency,
  })
  const pings = createPings(options.pingEveryMs)
  const listReading = createListReading()
  const trustLists = createLiveLists({
    configured: config.trustLists,
    lists: stores.trustLists,
    documents: stores.trustDocuments,
    reading: listReading,
    clock,
    log,
    everyMs: options.trustListsEveryMs,
  })
  await trustLists.start()
  const checks: Record<string, () => Promise<unknown>> = {
    database: () => database.sql(z.strictObject({ up: z.literal(1) }))`SELECT 1 AS up`,
    ...replica.checks,
    ...(config.events.transport === 'nats' ? { nats: async () => events.check?.() } : {}),
    ...(tokens.identityProvider === undefined ? {} : { identityProvider: tokens.identityProvider }),
    ...certificateChecks(config, clock),
    registrations: () => registrationsCheck(stores.registrations, clock()),
    ...(keyEncryptionKeys.length === 0 ? {} : { encryption: async () => encryptionStatus(envelopeKeys, refusals) }),
    ...(keyProviders.names.length === 0 ? {} : { keyProviders: keyProviders.health }),
    documentSigners: documentSigners.health,
    ...options.checks,
  }
  const encryptionTasks =
    keyEncryptionKeys.length === 0
      ? []
      : [
          encryptionTask({
            store: atRest,
            encryption,
            walks: createWalks({
              store: createWalkStore(database),
              keys: keyEncryptionKeys,
              claims,
              isEncrypted: encryption.isEncrypted,
            }),
            keys: keyEncryptionKeys,
            log,
            onValues: metrics.encryption,
            onRefused: refusals.note,
          }),
        ]
  return {
    config: withLists(config, trustLists.trust),
    trustLists,
    listReading,
    formats,
    log,
    clock,
    random,
    newId: randomUUID,
    access,
    tokens,
    consoleSessions,
    signIn,
    walletProvider: provider === undefined ? undefined : await createWalletProvider(provider, config.issuerBaseUrl),
    vault,
    claims,
    keys,
    documentSigners,
    keyProviders,
    decryptionKeys: createDecryptionKeys(stores.keys, vault, clock),
    sealingKey,
    names: createNameIndex(sealingKey('names')),
    outbound,
    resolver,
    domainLinkages: createDomainLinkages(keys, config, clock),
    metadataTexts: createMetadataTexts(stores.metadata, clock),
    statusLists,
    webhookSecrets,
    delivery,
    idempotency,
    seals: createSeals({ sealingKey, clock, newId: randomUUID }),
    stores,
    listsOver: replica.listsOver,
    changing: replica.changing,
    database,
    events,
    changes: createChanges({
      store: changesIn(replica.listsOver((from) => createChangeStore(from, STATES_OF_THINGS))),
      events,
      clock,
      log,
      newId: randomUUID,
      everyMs: options.changesEveryMs,
    }),
    pings,
    health: {
      stopping: () => state.stopping,
      /** Lists come and go while the service runs. Without a list there is no such component. */
      get checks() {
        if (trustLists.all().length === 0) return checks
        return { ...checks, trustLists: async () => trustListsCheck(trustLists.all(), clock()) }
      },
    },
    metrics,
    partitionTask: (plan: PartitionPlan) => partitionTask(stores.partitions, metrics, plan),
    /** The maintenance job's tasks that belong to no feature. */
    tasks: [
      ...(replica.forget === undefined
        ? []
        : [dueRows({ name: 'recent-writers', everyMs: 60_000, seconds: WRITERS_KEPT_SECONDS, batch: replica.forget })]),
      ...encryptionTasks,
      ...idempotency.tasks,
    ],
    encryption,
    /** True for the public listener, which treats all callers as anonymous. */
    forStrangers: false,

    beginStop: () => {
      state.stopping = true
    },
    async close() {
      await envelopeKeys?.close()
      encryption.close()
      documentSigners.close()
      await trustLists.close()
      await listReading.close()
      pings.close()
      await events.close()
      await outbound.close()
      await keyProviders.close()
      await toProvider.close()
      await replica.close()
      await database.close()
    },
  }
}

/** Only the wiring uses this type: each feature declares its own dependencies. */
export type Platform = Awaited<ReturnType<typeof createPlatform>>

import { randomBytes, randomUUID } from 'node:crypto'
import { type AgentStore, createAgentStore } from './agent/store.js'
import { type Access, createAccess } from './auth/access.js'
import type { Config } from './config.js'
import { connectDatabase, type Database } from './database/connect.js'
import { documentOf } from './dids/documents.js'
import { createDomainLinkages } from './dids/domain-linkage.js'
import { createDidResolver, type DidResolver } from './dids/resolver.js'
import { createDidStore, type DidStore } from './dids/store.js'
import { createPings, type Pings } from './events/pings.js'
import { createEventStore, type EventStore } from './events/store.js'
import { createEvents, type Events } from './events/stream.js'
import { type CredentialStore, createCredentialStore } from './issuer/credentials/store.js'
import { createIssuanceStore, type IssuanceStore } from './issuer/issuance/store.js'
import { createOfferingStore, type OfferingStore } from './issuer/offerings/store.js'
import { createSeals, type Seals } from './issuer/openid4vci/sealed.js'
import { createOfferSessionStore, type OfferSessionStore } from './issuer/openid4vci/sessions/store.js'
import { createIssuingStore, type IssuingStore } from './issuer/openid4vci/store.js'
import { createSchemaStore, type SchemaStore } from './issuer/schemas/store.js'
import { createKeys, type Keys, rootSecret } from './keys/keys.js'
import { createKeyStore, type KeyStore } from './keys/store.js'
import { createVault, type Vault } from './keys/vault.js'
import { createLog, type Log } from './log.js'
import { createMaintenance, type Maintenance } from './maintenance/job.js'
import { createMaintenanceStore } from './maintenance/store.js'
import { maintenanceTasks } from './maintenance/tasks.js'
import { createOutbound, type Outbound, type OutboundOptions } from './outbound/guard.js'
import { createOwnPathCheck, ownRequestMac } from './outbound/own-origin.js'
import { deriveKey } from './protocol/jose/sealed.js'
import { createAllotment, type StatusIndexAllotment } from './status-lists/allotment.js'
import { createPublication, type StatusListPublication } from './status-lists/publication.js'
import { createStatusListStore, type StatusListStore } from './status-lists/store.js'
import {
  type AuthorizationRequestStore,
  createAuthorizationRequestStore,
} from './verifier/authorization-requests/store.js'
import { createVerificationSessionStore, type VerificationSessionStore } from './verifier/sessions/store.js'
import { createVpQueryStore, type VpQueryStore } from './verifier/vp-queries/store.js'
import { createWalletCredentialStore, type WalletCredentialStore } from './wallet/credentials/store.js'
import { createFlowStore, type FlowStore } from './wallet/flows/store.js'
import { createHolderStore, type HolderStore } from './wallet/holders/store.js'
import { createWalletPresentationStore, type WalletPresentationStore } from './wallet/presentations/store.js'

export interface Stores {
  readonly agents: AgentStore
  readonly authorizationRequests: AuthorizationRequestStore
  readonly credentials: CredentialStore
  readonly dids: DidStore
  readonly events: EventStore
  readonly flows: FlowStore
  readonly holders: HolderStore
  readonly issuance: IssuanceStore
  readonly issuing: IssuingStore
  readonly keys: KeyStore
  readonly offerings: OfferingStore
  readonly offerSessions: OfferSessionStore
  readonly schemas: SchemaStore
  readonly statusLists: StatusListStore
  readonly verificationSessions: VerificationSessionStore
  readonly vpQueries: VpQueryStore
  readonly walletCredentials: WalletCredentialStore
  readonly walletPresentations: WalletPresentationStore
}

export interface Health {
  /** Whether the process was told to stop. */
  stopping(): boolean
  /** One check for each component that a request needs; a rejection says that it is down. */
  readonly checks: Record<string, () => Promise<unknown>>
}

/** All that a request may use. */
export interface Deps {
  readonly config: Config
  readonly log: Log
  readonly clock: () => Date
  readonly random: (length: number) => Uint8Array
  readonly newId: () => string
  readonly access: Access
  readonly vault: Vault
  readonly keys: Keys
  /** A key of 32 bytes for one use, the same in every process and after every restart. */
  readonly sealingKey: (label: string) => Uint8Array
  readonly outbound: Outbound
  readonly resolver: DidResolver
  readonly domainLinkages: ReturnType<typeof createDomainLinkages>
  readonly allotment: StatusIndexAllotment
  readonly statusLists: StatusListPublication
  /** Sealed, stateless values of OpenID4VCI: codes, nonces, notification ids. */
  readonly seals: Seals
  readonly stores: Stores
  readonly events: Events
  /** Keeps Server-Sent Events streams alive. */
  readonly pings: Pings
  readonly health: Health
}

/** What tests and the start-up replace. */
export interface DepsOptions {
  readonly clock?: () => Date
  readonly log?: Log
  /** Name resolution and address rules of the outbound guard. */
  readonly outbound?: Pick<OutboundOptions, 'lookup' | 'isPublicAddress' | 'ca'>
  readonly poolSize?: number
  /** Between two pings of an event stream, in milliseconds; 15,000 unless given. */
  readonly pingEveryMs?: number
  /** Readiness checks of further components. */
  readonly checks?: Record<string, () => Promise<unknown>>
  /** Whether sessions run out by themselves; true unless given. */
  readonly maintenance?: boolean
}

/** The stores over one database: all of Prisma that the service knows. */
export function createStores(database: Database): Stores {
  return {
    agents: createAgentStore(database),
    authorizationRequests: createAuthorizationRequestStore(database),
    credentials: createCredentialStore(database),
    dids: createDidStore(database),
    events: createEventStore(database),
    flows: createFlowStore(database),
    holders: createHolderStore(database),
    issuance: createIssuanceStore(database),
    issuing: createIssuingStore(database),
    keys: createKeyStore(database),
    offerings: createOfferingStore(database),
    offerSessions: createOfferSessionStore(database),
    schemas: createSchemaStore(database),
    statusLists: createStatusListStore(database),
    verificationSessions: createVerificationSessionStore(database),
    vpQueries: createVpQueryStore(database),
    walletCredentials: createWalletCredentialStore(database),
    walletPresentations: createWalletPresentationStore(database),
  }
}

function memoized(make: (label: string) => Uint8Array): (label: string) => Uint8Array {
  const made = new Map<string, Uint8Array>()
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
  readonly maintenance: Maintenance
  /** From now on the readiness check fails, and event streams end. */
  beginStop(): void
  /** Closes connections; requests must be done. */
  close(): Promise<void>
}

/** Wires a process. The database must be migrated and hold the default issuer and verifier. */
export async function createService(config: Config, options: DepsOptions = {}): Promise<Service> {
  const log = options.log ?? createLog(config.logLevel)
  const clock = options.clock ?? (() => new Date())
  const database = connectDatabase(config.databaseUrl, {
    ...(options.poolSize === undefined ? {} : { max: options.poolSize }),
    onConnectionLost: (error) => log.warn({ reason: error.message }, 'database connection lost'),
  })
  const stores = createStores(database)
  const vault = createVault(config.keyEncryptionKeys)
  const keys = createKeys(stores.keys, vault)
  const root = await rootSecret(stores.keys, vault)
  const sealingKey = memoized((label) => deriveKey(root, label))
  const baseUrls = [config.issuerBaseUrl, config.verifierBaseUrl]
  const outbound = createOutbound({
    allowHttp: config.allowInsecureHttp,
    allowedHosts: config.outboundAllowedHosts,
    ownOrigins: baseUrls.map((url) => new URL(url).origin),
    ownPathAllowed: createOwnPathCheck(baseUrls),
    ownRequestMac: ownRequestMac(sealingKey('own-request'), clock, baseUrls),
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
  const state = { stopping: false }
  const deps: Deps = {
    config,
    log,
    clock,
    random: (length) => new Uint8Array(randomBytes(length)),
    newId: randomUUID,
    access: createAccess(config, clock),
    vault,
    keys,
    sealingKey,
    outbound,
    resolver,
    domainLinkages: createDomainLinkages(keys, config, clock),
    allotment: createAllotment(stores.statusLists, randomUUID, (listId) => sealingKey(`status-list ${listId}`)),
    statusLists: createPublication(stores.statusLists, keys, config, clock),
    seals: createSeals({ sealingKey, clock, newId: randomUUID }),
    stores,
    events: createEvents({ store: stores.events, databaseUrl: config.databaseUrl, log }),
    pings: createPings(options.pingEveryMs),
    health: {
      stopping: () => state.stopping,
      checks: { database: () => database.sql`SELECT 1`, ...options.checks },
    },
  }
  const maintenance = createMaintenance({
    store: createMaintenanceStore(database),
    tasks: maintenanceTasks(deps),
    clock,
    log,
  })
  if (options.maintenance !== false) maintenance.start()
  return {
    deps,
    maintenance,
    beginStop: () => {
      state.stopping = true
      deps.events.end()
    },
    close: async () => {
      await maintenance.stop()
      deps.pings.close()
      await deps.events.close()
      await outbound.close()
      await database.close()
    },
  }
}

import type { SignerStore } from './agent/signers/store.js'
import type { AgentStore } from './agent/store.js'
import type { AuditStore } from './audit/store.js'
import type { Access, TokenCheck } from './auth/access.js'
import type { AccessRequest, RequestAccess } from './auth/request-access.js'
import type { SignIn } from './auth/sign-in.js'
import type { Config } from './config/config.js'
import type { Changes } from './console/changes/changes.js'
import type { ChangeStore } from './console/changes/store.js'
import type { ConsoleSessions } from './console/sessions/sessions.js'
import type { ConsoleSessionStore } from './console/sessions/store.js'
import type { Database } from './database/connect.js'
import type { Lists } from './database/replica/lists.js'
import type { Replica } from './database/replica/open.js'
import type { DomainLinkages } from './dids/domain-linkage.js'
import type { DidResolver } from './dids/resolver.js'
import type { DidStore } from './dids/store.js'
import type { Pings } from './events/pings.js'
import type { EventStore } from './events/store.js'
import type { Events } from './events/stream.js'
import type { Formats } from './formats/registry.js'
import type { OfferBatchStore } from './issuer/credential-offers/batch/store.js'
import type { CredentialHistoryStore } from './issuer/credentials/history/store.js'
import type { CredentialListStore } from './issuer/credentials/list/store.js'
import type { CredentialStore } from './issuer/credentials/store.js'
import type { IssuanceStore } from './issuer/issuance/store.js'
import type { MetadataTexts } from './issuer/metadata/kept-texts.js'
import type { MetadataStore } from './issuer/metadata/store.js'
import type { OfferingStore } from './issuer/offerings/store.js'
import type { DecisionStore } from './issuer/openid4vci/authorizations/decision-store.js'
import type { AuthorizationStore } from './issuer/openid4vci/authorizations/store.js'
import type { DeferredIssuanceStore } from './issuer/openid4vci/deferred/store.js'
import type { Seals } from './issuer/openid4vci/sealed.js'
import type { OfferSessionListStore } from './issuer/openid4vci/sessions/list-store.js'
import type { OfferSessionStore } from './issuer/openid4vci/sessions/store.js'
import type { Openid4vciStore } from './issuer/openid4vci/store.js'
import type { SchemaListStore } from './issuer/schemas/list/store.js'
import type { SchemaStore } from './issuer/schemas/store.js'
import type { KeyRotationStore } from './key-rotation/store.js'
import type { DecryptionKeys } from './keys/decryption-keys.js'
import type { Keys } from './keys/keys.js'
import type { KeyStore } from './keys/store.js'
import type { Vault } from './keys/vault.js'
import type { Log } from './log/log.js'
import type { PartitionStore } from './maintenance/partitions/store.js'
import type { Metrics } from './metrics/metrics.js'
import type { Outbound } from './outbound/guard.js'
import type { PageStore } from './people-pages/store.js'
import type { StatisticsStore } from './statistics/store.js'
import type { StatusIndexAllotment } from './status-lists/allotment.js'
import type { StatusLists } from './status-lists/status-lists.js'
import type { StatusListStore } from './status-lists/store.js'
import type { AuthorizationRequestStore } from './verifier/authorization-requests/store.js'
import type { VerificationSessionListStore } from './verifier/sessions/list-store.js'
import type { VerificationSessionStore } from './verifier/sessions/store.js'
import type { TrustedIssuerStore } from './verifier/trusted-issuers/store.js'
import type { VpQueryStore } from './verifier/vp-queries/store.js'
import type { WalletCredentialStore } from './wallet/credentials/store.js'
import type { FlowStore } from './wallet/flows/store.js'
import type { HolderStore } from './wallet/holders/store.js'
import type { WalletProvider } from './wallet/openid4vci/wallet-provider.js'
import type { PendingIssuanceStore } from './wallet/pending/store.js'
import type { WalletPresentationStore } from './wallet/presentations/store.js'

export interface Stores {
  readonly agents: AgentStore
  readonly audit: AuditStore
  readonly authorizations: AuthorizationStore
  readonly decisions: DecisionStore
  readonly authorizationRequests: AuthorizationRequestStore
  readonly credentialHistory: CredentialHistoryStore
  readonly credentialList: CredentialListStore
  readonly changes: ChangeStore
  readonly consoleSessions: ConsoleSessionStore
  readonly credentials: CredentialStore
  readonly dids: DidStore
  readonly events: EventStore
  readonly flows: FlowStore
  readonly holders: HolderStore
  readonly issuance: IssuanceStore
  readonly openid4vci: Openid4vciStore
  readonly keys: KeyStore
  readonly keyRotation: KeyRotationStore
  readonly metadata: MetadataStore
  readonly offerings: OfferingStore
  readonly offerBatches: OfferBatchStore
  readonly offerSessionList: OfferSessionListStore
  readonly offerSessions: OfferSessionStore
  readonly pages: PageStore
  readonly partitions: PartitionStore
  readonly deferredIssuances: DeferredIssuanceStore
  readonly pendingIssuances: PendingIssuanceStore
  readonly schemaList: SchemaListStore
  readonly schemas: SchemaStore
  readonly signers: SignerStore
  readonly statistics: StatisticsStore
  readonly statusLists: StatusListStore
  readonly trustedIssuers: TrustedIssuerStore
  readonly verificationSessionList: VerificationSessionListStore
  readonly verificationSessions: VerificationSessionStore
  readonly vpQueries: VpQueryStore
  readonly walletCredentials: WalletCredentialStore
  readonly walletPresentations: WalletPresentationStore
}

/** What lists are read with: nothing that decides what anybody may do or gets. */
export interface ListStores {
  readonly agents: Pick<AgentStore, 'issuers' | 'verifiers'>
  readonly audit: Pick<AuditStore, 'page'>
  readonly changes: ChangeStore
  readonly credentialList: CredentialListStore
  readonly dids: Pick<DidStore, 'createdBy' | 'ofHolder'>
  readonly holders: Pick<HolderStore, 'createdBy'>
  readonly offerings: Pick<OfferingStore, 'list' | 'redemptions' | 'roomFor'>
  readonly offerSessionList: OfferSessionListStore
  readonly schemaList: SchemaListStore
  readonly signers: Pick<SignerStore, 'page'>
  readonly trustedIssuers: Pick<TrustedIssuerStore, 'page'>
  readonly verificationSessionList: VerificationSessionListStore
  readonly vpQueries: Pick<VpQueryStore, 'list'>
  readonly walletCredentials: Pick<WalletCredentialStore, 'list'>
  readonly walletPresentations: Pick<WalletPresentationStore, 'list'>
}

export interface Health {
  /** Whether the process was told to stop. */
  stopping(): boolean
  /**
   * One check for each component; a rejection says that it is down, and no request can be served. `degraded` says that
   * requests are served without it.
   */
  readonly checks: Record<string, () => Promise<unknown>>
}

/** All that a request may use. */
export interface Deps {
  readonly config: Config
  readonly formats: Formats
  readonly log: Log
  readonly clock: () => Date
  readonly random: (length: number) => Uint8Array
  readonly newId: () => string
  readonly access: Access
  readonly accessOf: (request: AccessRequest) => RequestAccess
  /** Access tokens of the identity provider, wherever they come from. */
  readonly tokens: Pick<TokenCheck, 'user'>
  /** Those of the console; undefined where nobody logs in. */
  readonly consoleSessions: ConsoleSessions | undefined
  /** Sign-in at the identity provider; undefined where nobody can. */
  readonly signIn: SignIn | undefined
  /** Vouches for hosted wallets; undefined without WALLET_PROVIDER_X509. */
  readonly walletProvider: WalletProvider | undefined
  readonly vault: Vault
  readonly keys: Keys
  readonly decryptionKeys: DecryptionKeys
  /** A key of 32 bytes for one use, the same in every process and after every restart. */
  readonly sealingKey: (label: string) => Uint8Array
  readonly outbound: Outbound
  readonly resolver: DidResolver
  readonly domainLinkages: DomainLinkages
  readonly allotment: StatusIndexAllotment
  readonly metadataTexts: MetadataTexts
  readonly statusLists: StatusLists
  /** Sealed, stateless values of OpenID4VCI: codes, nonces, notification ids. */
  readonly seals: Seals
  readonly stores: Stores
  /** Where lists are read: from the primary, or the replica of DATABASE_REPLICA_URL. */
  readonly lists: Lists<ListStores>
  readonly database: Database
  /** Lists over stores that are made for the primary, and for the replica of DATABASE_REPLICA_URL. */
  readonly listsOver: Replica['listsOver']
  readonly events: Events
  /** Streams of what changes in the lists of the console. */
  readonly changes: Changes
  /** Keeps Server-Sent Events streams alive. */
  readonly pings: Pings
  readonly health: Health
  readonly metrics: Metrics
  /** Of the public listener, which has neither console nor reference: nothing leads there. */
  readonly forStrangers?: true
}

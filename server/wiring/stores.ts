import { createRegistrationStore } from '../agent/registrations/store.js'
import { createSignerStore } from '../agent/signers/store.js'
import { createSigningKeyStore } from '../agent/signing-keys/store.js'
import { createAgentStore } from '../agent/store.js'
import { createAuditStore } from '../audit/store.js'
import { createChangeStore, type StatesOfThings } from '../console/changes/store.js'
import { createConsoleSessionStore } from '../console/sessions/store.js'
import type { Database } from '../database/connect.js'
import { afterCommit, joining } from '../database/unit-of-work.js'
import { createDidStore } from '../dids/store.js'
import { type Announce, createEventStore } from '../events/store.js'
import { createClaimsStore } from '../exports/claims-store.js'
import { createPersonStore } from '../exports/person/store.js'
import { createExportStore } from '../exports/store.js'
import { createIdempotencyStore } from '../idempotency/store.js'
import { createImageStore } from '../images/store.js'
import { createAttestationWatchStore } from '../issuer/attestation-watch/store.js'
import { createClaimsSourceStore } from '../issuer/claims-source/store.js'
import { createOfferAgainStore } from '../issuer/credential-offers/again/store.js'
import { createOfferBatchStore } from '../issuer/credential-offers/batch/store.js'
import { createOfferBatchesStore } from '../issuer/credential-offers/batches/store.js'
import { createCredentialHistoryStore } from '../issuer/credentials/history/store.js'
import { createCredentialListStore } from '../issuer/credentials/list/store.js'
import { statusColumn } from '../issuer/credentials/status.js'
import { createCredentialStore } from '../issuer/credentials/store.js'
import { createErasureStore } from '../issuer/erasure/store.js'
import { createIssuanceStore } from '../issuer/issuance/store.js'
import { createMetadataStore } from '../issuer/metadata/store.js'
import { createOfferingStore } from '../issuer/offerings/store.js'
import { createDecisionStore } from '../issuer/openid4vci/authorizations/decision-store.js'
import { createAuthorizationStore } from '../issuer/openid4vci/authorizations/store.js'
import { createDeferredIssuanceStore } from '../issuer/openid4vci/deferred/store.js'
import { createOfferSessionListStore } from '../issuer/openid4vci/sessions/list-store.js'
import { CREDENTIAL_OFFER_STATES, isFinal } from '../issuer/openid4vci/sessions/session.js'
import { createOfferSessionStore } from '../issuer/openid4vci/sessions/store.js'
import { createOpenid4vciStore } from '../issuer/openid4vci/store.js'
import { createSchemaListStore } from '../issuer/schemas/list/store.js'
import { createSchemaStore } from '../issuer/schemas/store.js'
import { createStatusJobStore } from '../issuer/status-jobs/store.js'
import { createStatusWorkStore } from '../issuer/status-jobs/work-store.js'
import { createKeyRotationStore } from '../key-rotation/store.js'
import { type ClaimsVault, claimsInClear } from '../keys/claims/vault.js'
import { createKeyStore } from '../keys/store.js'
import { createPartitionStore } from '../maintenance/partitions/store.js'
import { createPageStore } from '../people-pages/store.js'
import { createSearchStore } from '../search/store.js'
import { createStatisticsStore } from '../statistics/store.js'
import { createStatusListStore } from '../status-lists/store.js'
import { createDocumentStore } from '../trust/document-store.js'
import { createPublishedListStore } from '../trust/published/store.js'
import { createTrustListStore } from '../trust/store.js'
import { createAuthorizationRequestStore } from '../verifier/authorization-requests/store.js'
import { createEvidenceStore } from '../verifier/evidence/store.js'
import { createDeclineStore } from '../verifier/sessions/decline-store.js'
import { createVerificationSessionListStore } from '../verifier/sessions/list-store.js'
import { createVerificationSessionStore } from '../verifier/sessions/store.js'
import { createTrustedIssuerStore } from '../verifier/trusted-issuers/store.js'
import { createVpQueryStore } from '../verifier/vp-queries/store.js'
import { createWalletCredentialStore } from '../wallet/credentials/store.js'
import { createFlowStore } from '../wallet/flows/store.js'
import { createHolderStore } from '../wallet/holders/store.js'
import { createPendingIssuanceStore } from '../wallet/pending/store.js'
import { createWalletPresentationStore } from '../wallet/presentations/store.js'
import { createContentStore } from '../webhooks/content-store.js'
import { createDeliveryStore } from '../webhooks/delivery-store.js'
import { createOutboxStore } from '../webhooks/outbox-store.js'
import { createWebhookStore } from '../webhooks/store.js'

/** For the console's lists: the open states of offers, and the SQL column with the status of a credential. */
export const STATES_OF_THINGS: StatesOfThings = {
  openStates: CREDENTIAL_OFFER_STATES.filter((state) => !isFinal(state)),
  credentialStatus: statusColumn,
}

/**
 * Creates the stores of one database. Only stores use Prisma. Stores that join write what creating requests create:
 * see {@link joining}. Keys and status indices do not join, because a process hands them to several requests.
 *
 * @param claims protects claims at rest. It is left out in commands, which read and write no claims.
 * @param announce reports transitions to other processes. It is left out at the start and in commands, which make no
 * transitions.
 */
export function createStores(database: Database, claims: ClaimsVault = claimsInClear, announce: Announce = () => {}) {
  const announceCommitted: Announce = (recorded) => afterCommit(() => announce(recorded))
  return {
    agents: joining(createAgentStore(database)),
    attestationWatch: createAttestationWatchStore(database),
    audit: createAuditStore(database),
    authorizations: createAuthorizationStore(database),
    decisions: createDecisionStore(database, claims, announceCommitted),
    authorizationRequests: joining(createAuthorizationRequestStore(database)),
    credentialHistory: createCredentialHistoryStore(database, claims),
    credentialList: createCredentialListStore(database, claims),
    changes: createChangeStore(database, STATES_OF_THINGS),
    consoleSessions: createConsoleSessionStore(database),
    credentials: createCredentialStore(database, claims),
    dids: joining(createDidStore(database)),
    claimsSources: createClaimsSourceStore(database),
    claims: createClaimsStore(database, claims),
    erasure: createErasureStore(database),
    events: createEventStore(database),
    exports: joining(createExportStore(database)),
    flows: joining(createFlowStore(database)),
    holders: joining(createHolderStore(database)),
    idempotency: joining(createIdempotencyStore(database)),
    images: joining(createImageStore(database)),
    issuance: joining(createIssuanceStore(database, claims)),
    openid4vci: createOpenid4vciStore(database, claims, announceCommitted),
    keys: createKeyStore(database),
    keyRotation: joining(createKeyRotationStore(database)),
    metadata: createMetadataStore(database),
    offerings: joining(createOfferingStore(database, claims)),
    offerBatches: joining(createOfferBatchStore(database, claims)),
    madeBatches: createOfferBatchesStore(database, claims, announceCommitted),
    offersAgain: joining(createOfferAgainStore(database, claims, announceCommitted)),
    offerSessionList: createOfferSessionListStore(database, claims),
    offerSessions: joining(createOfferSessionStore(database, claims, announceCommitted)),
    pages: joining(createPageStore(database, claims)),
    persons: createPersonStore(database),
    partitions: createPartitionStore(database),
    deferredIssuances: createDeferredIssuanceStore(database, claims, announceCommitted),
    pendingIssuances: createPendingIssuanceStore(database),
    schemaList: createSchemaListStore(database),
    schemas: joining(createSchemaStore(database)),
    search: createSearchStore(database, claims),
    signers: createSignerStore(database),
    signingKeys: joining(createSigningKeyStore(database)),
    registrations: joining(createRegistrationStore(database)),
    statistics: createStatisticsStore(database),
    statusJobs: joining(createStatusJobStore(database)),
    statusWork: createStatusWorkStore(database, claims),
    statusLists: createStatusListStore(database),
    trustDocuments: createDocumentStore(database),
    trustLists: createTrustListStore(database),
    publishedTrustLists: createPublishedListStore(database),
    trustedIssuers: joining(createTrustedIssuerStore(database)),
    verificationEvidence: createEvidenceStore(database, claims),
    verificationSessionList: createVerificationSessionListStore(database, claims),
    verificationDeclines: createDeclineStore(database, announceCommitted),
    verificationSessions: joining(createVerificationSessionStore(database, claims, announceCommitted)),
    vpQueries: joining(createVpQueryStore(database)),
    walletCredentials: createWalletCredentialStore(database),
    walletPresentations: createWalletPresentationStore(database),
    webhooks: joining(createWebhookStore(database)),
    webhookContent: createContentStore(database, claims),
    webhookDeliveries: joining(createDeliveryStore(database)),
    webhookOutbox: createOutboxStore(database),
  }
}

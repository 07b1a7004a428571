import { createSignerStore } from '../agent/signers/store.js'
import { createAgentStore } from '../agent/store.js'
import { createAuditStore } from '../audit/store.js'
import { createChangeStore, type StatesOfThings } from '../console/changes/store.js'
import { createConsoleSessionStore } from '../console/sessions/store.js'
import type { Database } from '../database/connect.js'
import { createDidStore } from '../dids/store.js'
import { type Announce, createEventStore } from '../events/store.js'
import { createClaimsStore } from '../exports/claims-store.js'
import { createPersonStore } from '../exports/person/store.js'
import { createExportStore } from '../exports/store.js'
import { createOfferAgainStore } from '../issuer/credential-offers/again/store.js'
import { createOfferBatchStore } from '../issuer/credential-offers/batch/store.js'
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
import { createKeyRotationStore } from '../key-rotation/store.js'
import { type ClaimsVault, claimsInClear } from '../keys/claims/vault.js'
import { createKeyStore } from '../keys/store.js'
import { createPartitionStore } from '../maintenance/partitions/store.js'
import { createPageStore } from '../people-pages/store.js'
import { createStatisticsStore } from '../statistics/store.js'
import { createStatusListStore } from '../status-lists/store.js'
import { createAuthorizationRequestStore } from '../verifier/authorization-requests/store.js'
import { createEvidenceStore } from '../verifier/evidence/store.js'
import { createVerificationSessionListStore } from '../verifier/sessions/list-store.js'
import { createVerificationSessionStore } from '../verifier/sessions/store.js'
import { createTrustedIssuerStore } from '../verifier/trusted-issuers/store.js'
import { createVpQueryStore } from '../verifier/vp-queries/store.js'
import { createWalletCredentialStore } from '../wallet/credentials/store.js'
import { createFlowStore } from '../wallet/flows/store.js'
import { createHolderStore } from '../wallet/holders/store.js'
import { createPendingIssuanceStore } from '../wallet/pending/store.js'
import { createWalletPresentationStore } from '../wallet/presentations/store.js'

/** For the console's lists: the open states of offers, and the SQL column with the status of a credential. */
export const STATES_OF_THINGS: StatesOfThings = {
  openStates: CREDENTIAL_OFFER_STATES.filter((state) => !isFinal(state)),
  credentialStatus: statusColumn,
}

/**
 * Creates the stores of one database. Only stores use Prisma.
 *
 * @param claims protects claims at rest. It is left out in commands, which read and write no claims.
 * @param announce reports transitions to other processes. It is left out at the start and in commands, which make no
 * transitions.
 */
export function createStores(database: Database, claims: ClaimsVault = claimsInClear, announce: Announce = () => {}) {
  return {
    agents: createAgentStore(database),
    audit: createAuditStore(database),
    authorizations: createAuthorizationStore(database),
    decisions: createDecisionStore(database, claims, announce),
    authorizationRequests: createAuthorizationRequestStore(database),
    credentialHistory: createCredentialHistoryStore(database),
    credentialList: createCredentialListStore(database),
    changes: createChangeStore(database, STATES_OF_THINGS),
    consoleSessions: createConsoleSessionStore(database),
    credentials: createCredentialStore(database, claims),
    dids: createDidStore(database),
    claims: createClaimsStore(database, claims),
    erasure: createErasureStore(database),
    events: createEventStore(database),
    exports: createExportStore(database),
    flows: createFlowStore(database),
    holders: createHolderStore(database),
    issuance: createIssuanceStore(database, claims),
    openid4vci: createOpenid4vciStore(database, claims, announce),
    keys: createKeyStore(database),
    keyRotation: createKeyRotationStore(database),
    metadata: createMetadataStore(database),
    offerings: createOfferingStore(database, claims),
    offerBatches: createOfferBatchStore(database, claims),
    offersAgain: createOfferAgainStore(database, claims, announce),
    offerSessionList: createOfferSessionListStore(database),
    offerSessions: createOfferSessionStore(database, claims, announce),
    pages: createPageStore(database, claims),
    persons: createPersonStore(database),
    partitions: createPartitionStore(database),
    deferredIssuances: createDeferredIssuanceStore(database, claims, announce),
    pendingIssuances: createPendingIssuanceStore(database),
    schemaList: createSchemaListStore(database),
    schemas: createSchemaStore(database),
    signers: createSignerStore(database),
    statistics: createStatisticsStore(database),
    statusLists: createStatusListStore(database),
    trustedIssuers: createTrustedIssuerStore(database),
    verificationEvidence: createEvidenceStore(database, claims),
    verificationSessionList: createVerificationSessionListStore(database),
    verificationSessions: createVerificationSessionStore(database, claims, announce),
    vpQueries: createVpQueryStore(database),
    walletCredentials: createWalletCredentialStore(database),
    walletPresentations: createWalletPresentationStore(database),
  }
}

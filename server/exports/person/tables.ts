import type { PersonRecord } from './purposes.js'

/**
 * All tables of the database. A table with data about persons has the records that hold its rows in the export of a person. Any other
 * table has the reason why the export leaves it out. A test fails if a table of the data model is missing.
 */
export const TABLES: Readonly<Record<string, readonly PersonRecord[] | string>> = {
  credentials: ['credential'],
  credential_instances: ['credential'],
  redemptions: ['redemption'],
  offerings: ['offering'],
  credential_offer_sessions: ['offering', 'auditEvent'],
  authorizations: ['authorization'],
  deferred_issuances: ['authorization'],
  verification_sessions: ['verificationResult', 'auditEvent'],
  holders: ['wallet'],
  dids: ['did'],
  wallet_credentials: ['walletCredential'],
  wallet_credential_copies: ['walletCredential'],
  wallet_presentations: ['walletPresentation'],
  wallet_pending_issuances: ['walletPendingIssuance'],
  flows: ['flow'],
  console_sessions: ['consoleSession'],
  audit_events: ['auditEvent'],
  exports: ['exportOrder'],
  credential_types: ['made'],
  schemas: ['made'],
  issuers: ['made'],
  verifiers: ['made'],
  trusted_issuers: ['made'],
  pages: ['made'],

  secrets: 'Keys of the installation.',
  content_keys: 'Encrypted keys of claims. The claims are in other records.',
  encryption_progress: 'The position of the encryption of stored values.',
  key_sets: 'Groups of keys without an owner.',
  keys: 'Private keys, and public keys that the DIDs of a person contain.',
  schema_issuers: 'Which issuer issues which type.',
  status_lists: 'Bits of credentials. The position of a credential is in the record of the credential.',
  verification_evidence:
    'Answers of wallets for auditors. The service does not know whose answers they are: an auditor reads them by session.',
  vp_queries: 'Stored queries without an owner.',
  session_events: 'States of sessions, without claims. The sessions themselves are in other records.',
  statistics: 'Counts.',
  statistics_progress: 'The position of the counter.',
  credential_offer_keys: 'The keys of a backend for its own offers. The offers themselves are in other records.',
  issuance_tokens: 'Hashes of access tokens of wallets. The offer of a token is in another record.',
  refresh_tokens: 'Hashes of refresh tokens of wallets. The sign-in of a token is in another record.',
  recent_writers: 'Hashes of callers, deleted after an hour.',
  used_nonces: 'Hashes of random numbers.',
}

import { Counter, Histogram, type Registry } from 'prom-client'

const DURATIONS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Registers the counters of one process. */
export function counters(registry: Registry) {
  const registers = [registry]
  return {
    requests: new Counter({
      name: 'credence_requests_total',
      help: 'Requests by procedure and HTTP status. Each call of a batch counts. "none" is a request without a procedure.',
      labelNames: ['procedure', 'status'],
      registers,
    }),
    durations: new Histogram({
      name: 'credence_request_duration_seconds',
      help: 'Time from a request until its answer is sent, without event streams.',
      labelNames: ['procedure'],
      buckets: DURATIONS,
      registers,
    }),
    rateLimited: new Counter({
      name: 'credence_rate_limited_total',
      help: 'Requests refused by the rate limit.',
      registers,
    }),
    verificationSessions: new Counter({
      name: 'credence_verification_sessions_total',
      help: 'Verification sessions by outcome, and by the failed check if a presentation was refused.',
      labelNames: ['outcome', 'check'],
      registers,
    }),
    offerSessions: new Counter({
      name: 'credence_offer_sessions_total',
      help: 'Credential offer sessions by outcome, and by the failed check if the session failed.',
      labelNames: ['outcome', 'check'],
      registers,
    }),
    verifications: new Counter({
      name: 'credence_verifications_total',
      help: 'Credentials verified without a session, by outcome and the check that failed.',
      labelNames: ['outcome', 'check'],
      registers,
    }),
    outbound: new Counter({
      name: 'credence_outbound_requests_total',
      help: 'Requests to other services, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    claimsSources: new Counter({
      name: 'credence_claims_source_requests_total',
      help: 'Requests to the claims sources of credential types, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    webhookTries: new Counter({
      name: 'credence_webhook_tries_total',
      help: 'Tries of webhook deliveries, by outcome: "delivered", "retry" (failed, another try follows), or "failed" (given up).',
      labelNames: ['outcome'],
      registers,
    }),
    keyProviderCalls: new Counter({
      name: 'credence_key_provider_calls_total',
      help: 'Calls to key providers, by provider, operation and outcome.',
      labelNames: ['provider', 'operation', 'outcome'],
      registers,
    }),
    keyProviderSeconds: new Histogram({
      name: 'credence_key_provider_call_duration_seconds',
      help: 'Time of calls to key providers, with their time in the queue.',
      labelNames: ['provider', 'operation'],
      buckets: DURATIONS,
      registers,
    }),
    documentSigners: new Counter({
      name: 'credence_document_signer_certificates_total',
      help: 'Certificates of short-lived document signers, by outcome: "made", or "failed" (the key of the issuer record could not sign).',
      labelNames: ['outcome'],
      registers,
    }),
    idempotency: new Counter({
      name: 'credence_idempotent_requests_total',
      help: 'Requests with an Idempotency-Key that was used before, by outcome: "replayed", "running" (refused with 409), or "other-request" (refused with 422).',
      labelNames: ['outcome'],
      registers,
    }),
    trustListReads: new Counter({
      name: 'credence_trust_list_reads_total',
      help: 'Attempts to read trusted lists from their addresses, by outcome: "changed", "unchanged", or the failed check.',
      labelNames: ['outcome'],
      registers,
    }),
    listReads: new Counter({
      name: 'credence_list_reads_total',
      help: 'Lists by the place where they were read: the "replica"; or the primary, because the caller "wrote" or the replica is "behind", "away" or "failed".',
      labelNames: ['source'],
      registers,
    }),
    maintained: new Counter({
      name: 'credence_maintenance_done_total',
      help: 'Work of the maintenance job: removed rows and expired sessions, by task.',
      labelNames: ['task'],
      registers,
    }),
    encrypted: new Counter({
      name: 'credence_encryption_values_total',
      help: 'Stored values that the maintenance job encrypted under the current key-encryption key, or refused, by column.',
      labelNames: ['column', 'outcome'],
      registers,
    }),
    partitions: new Counter({
      name: 'credence_partitions_total',
      help: 'Attempts to make or drop a partition, by table and result: made, dropped, locked, occupied, known.',
      labelNames: ['table', 'change'],
      registers,
    }),
    maintenanceFailures: new Counter({
      name: 'credence_maintenance_failures_total',
      help: 'Batches of maintenance that failed, by task.',
      labelNames: ['task'],
      registers,
    }),
  }
}

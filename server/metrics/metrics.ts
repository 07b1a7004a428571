import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ListSource } from '../database/replica/lists.js'
import type { Check } from '../protocol/credential/verification.js'

/**
 * Changes of verification sessions that are counted. `declined`: the wallet answered with an error (OpenID4VP 1.0
 * §8.5).
 */
export type VerificationOutcome = 'created' | 'verified' | 'refused' | 'declined' | 'expired'

/**
 * Changes of credential offer sessions that are counted.
 *
 * - `issued`: the first credential was issued.
 * - `accepted`: the wallet reported that it stored the credential.
 * - `deferred`: a wallet waits for a decision.
 * - `approved`, `rejected`: the issuer has decided.
 * - `cancelled`: the issuer cancelled the offer.
 * - `resent`: the offer got a new link.
 */
export type OfferOutcome =
  | 'created'
  | 'deferred'
  | 'approved'
  | 'rejected'
  | 'cancelled'
  | 'resent'
  | 'issued'
  | 'accepted'
  | 'failed'
  | 'expired'

/** The cause of a failed session: a check of a presentation, the transaction code, or a wallet's notification (OpenID4VCI 1.0 §11). */
export type FailedCheck = Check | 'tx-code' | 'credential-failure' | 'credential-deleted'

/** How a request to a claims source ended. */
export type SourceOutcome = 'claims' | 'deferred' | 'unknown' | 'refused' | 'failed' | 'busy'

/** How a try of a webhook delivery ended. `retry`: it failed, and another try follows. `failed`: it was the last try. */
export type WebhookTryOutcome = 'delivered' | 'retry' | 'failed'

/**
 * How a request with an `Idempotency-Key` that was used before ended. `running`: an equal request had not ended in time.
 * `other-request`: the key belongs to another request.
 */
export type IdempotencyOutcome = 'replayed' | 'running' | 'other-request'

/**
 * The times when the certificates and attestations in the service's files expire. Undefined for a file that is not
 * configured.
 */
export interface Expiries {
  readonly issuerCertificate: Date | undefined
  readonly verifierCertificate: Date | undefined
  readonly verifierAttestation: Date | undefined
}

/** The values of other modules that metrics report. They are read each time the metrics are requested. */
export interface Readings {
  /**
   * The number of statements that were sent to the database, the number of busy and idle connections, and the number of
   * callers that wait for a connection.
   */
  readonly database: () => {
    readonly statements: number
    readonly busy: number
    readonly idle: number
    readonly waiting: number
  }
  /** Number of open event streams. */
  readonly streams: () => number
  /** Seconds by which maintenance is late, by task. Only the process that does the maintenance has values. */
  readonly maintenanceLate: ReadonlyMap<string, number>
  /** Estimated number of rows that the encryption of stored values has left, by column. */
  readonly encryptionLeft: () => ReadonlyMap<string, number>
  readonly expiries: Expiries
  /** The document signers in the memory of this process. */
  readonly documentSigners: () => { readonly count: number; readonly oldestSeconds: number; readonly failing: number }
  /** Numbers of overdue erasures and removals, by kind. */
  readonly overdue: () => Promise<Readonly<Record<string, number>>>
  /** Numbers of the registration certificates of verifiers, and when the first usable one ends. */
  readonly registrations: () => Promise<{
    readonly usable: number
    readonly unusable: number
    readonly firstEnd: Date | undefined
  }>
  /** Numbers of the status lists of wallet providers. */
  readonly attestationLists: () => Promise<{ readonly count: number; readonly unreadable: number }>
  /** Numbers of trusted lists by state, and the first end of a list that can be used. */
  readonly trustLists: () => {
    readonly states: Readonly<Record<string, number>>
    readonly firstEnd: Date | undefined
    readonly alerts: number
  }
  /** Numbers of sessions and credentials with waiting events, and of disabled webhooks. */
  readonly webhooks: () => Promise<{ readonly disabled: number; readonly waiting: number }>
}

/** The counts of one process. Labels are names from the source code, never values from callers. */
export interface Metrics {
  /** Counts a request. @param seconds undefined for a stream, since the client decides how long a stream lasts. */
  request(procedure: string, status: string, seconds: number | undefined): void
  rateLimited(): void
  /** Counts changes of verification sessions. @param count number of sessions. Default: 1. */
  verificationSession(outcome: VerificationOutcome, check?: FailedCheck, count?: number): void
  offerSession(outcome: OfferOutcome, check?: FailedCheck, count?: number): void
  /**
   * Counts a credential that was verified without a session (`POST /credentials/verify`). @param failed undefined if
   * the credential is valid.
   */
  verification(failed: Check | undefined): void
  /**
   * Counts an outbound request. @param outcome the class of the status (`2xx`), the code of the OutboundError, or
   * `aborted`.
   */
  outbound(outcome: string): void
  /** Counts a request to a claims source. A repeated request counts once. */
  claimsSource(outcome: SourceOutcome): void
  /** Counts a try of a webhook delivery. */
  webhookTry(outcome: WebhookTryOutcome): void
  /** Counts a call to a key provider. @param provider its name in KEY_PROVIDERS */
  keyProviderCall(provider: string, operation: string, outcome: string, seconds: number): void
  /** Counts certificates of document signers that a key of an issuer record signed, or could not sign. */
  documentSigner(outcome: 'made' | 'failed'): void
  /** Counts a request with an `Idempotency-Key` that was used before. */
  idempotency(outcome: IdempotencyOutcome): void
  /** Counts an attempt to read a trusted list. @param outcome `changed`, `unchanged`, or the failed check */
  trustListRead(outcome: string): void
  /** Counts a read of a list, from the database or its replica. */
  listRead(source: ListSource): void
  /** Counts a batch of a maintenance task. @param count number of processed items; undefined if the batch failed. */
  maintenance(task: string, count: number | undefined): void
  /** Counts stored values of a column that the maintenance job encrypted or refused. */
  encryption(column: string, outcome: 'encrypted' | 'refused', count: number): void
  /** Counts the outcome of making or dropping a partition. */
  partition(table: string, change: string): void
  /** Sets the sources of the counts of other modules. */
  read(readings: Readings): void
  /**
   * Adds Node's metrics of the process: processor time, memory, garbage collection, event loop lag. Call it once for
   * each process.
   */
  readProcess(): void
  readonly registry: Registry
}

const DURATIONS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

function counters(registry: Registry) {
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

function readCounts(
  registry: Registry,
  {
    database,
    streams,
    maintenanceLate,
    encryptionLeft,
    expiries,
    documentSigners,
    overdue,
    attestationLists,
    registrations,
    trustLists,
    webhooks,
  }: Readings,
): void {
  const registers = [registry]
  new Counter({
    name: 'credence_database_statements_total',
    help: 'SQL statements sent.',
    registers,
    collect() {
      this.reset()
      this.inc(database().statements)
    },
  })
  new Gauge({
    name: 'credence_database_connections',
    help: 'Connections of the pool by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const { busy, idle } = database()
      this.set({ state: 'busy' }, busy)
      this.set({ state: 'idle' }, idle)
    },
  })
  new Gauge({
    name: 'credence_database_waiting',
    help: 'Statements and transactions that wait for a connection of the pool.',
    registers,
    collect() {
      this.set(database().waiting)
    },
  })
  new Gauge({
    name: 'credence_event_streams',
    help: 'Event streams and subscriptions that are open.',
    registers,
    collect() {
      this.set(streams())
    },
  })
  new Gauge({
    name: 'credence_maintenance_late_seconds',
    help: 'Seconds since the oldest remaining work of maintenance was due, by task; 0 if no work remains.',
    labelNames: ['task'],
    // Only one process does maintenance at a time. If several workers report a delay nevertheless, the largest delay is
    // shown.
    aggregator: 'max',
    registers,
    collect() {
      this.reset()
      for (const [task, seconds] of maintenanceLate) this.set({ task }, seconds)
    },
  })
  new Gauge({
    name: 'credence_retention_overdue',
    help: 'Records whose retention has ended, and which still wait: claims of credentials and offerings, and whole records. At most 10,000 of each kind are counted.',
    labelNames: ['kind'],
    // All workers count the same rows.
    aggregator: 'max',
    registers,
    async collect() {
      this.reset()
      // Without a database the other metrics are still read.
      const counts = await overdue().catch(() => ({}))
      for (const [kind, count] of Object.entries(counts)) this.set({ kind }, count)
    },
  })
  new Gauge({
    name: 'credence_attestation_lists',
    help: 'Status lists of wallet providers that are read again for issued credentials, by state: "readable" or "unreadable".',
    labelNames: ['state'],
    // All workers count the same rows.
    aggregator: 'max',
    registers,
    async collect() {
      this.reset()
      // Without a database the other metrics are still read.
      const lists = await attestationLists().catch(() => undefined)
      if (lists === undefined) return
      this.set({ state: 'readable' }, lists.count - lists.unreadable)
      this.set({ state: 'unreadable' }, lists.unreadable)
    },
  })
  new Gauge({
    name: 'credence_registration_certificates',
    help: 'Registration certificates of issuers and verifiers by state: "usable" or "unusable". Former certificates of an intended use of a verifier do not count.',
    labelNames: ['state'],
    // All workers count the same rows.
    aggregator: 'max',
    registers,
    async collect() {
      this.reset()
      // Without a database the other metrics are still read.
      const counts = await registrations().catch(() => undefined)
      if (counts === undefined) return
      this.set({ state: 'usable' }, counts.usable)
      this.set({ state: 'unusable' }, counts.unusable)
    },
  })
  new Gauge({
    name: 'credence_registration_certificate_expiry_timestamp_seconds',
    help: 'When the first usable registration certificate of an issuer or a verifier expires. Absent if there is none.',
    aggregator: 'min',
    registers,
    async collect() {
      this.reset()
      const firstEnd = await registrations()
        .then((counts) => counts.firstEnd)
        .catch(() => undefined)
      if (firstEnd === undefined) this.remove()
      else this.set(firstEnd.getTime() / 1000)
    },
  })
  new Gauge({
    name: 'credence_trust_lists',
    help: 'Trusted lists by state: "usable"; "failing" (usable, but the last attempt to read it failed); "unusable" (no entity of it is trusted).',
    labelNames: ['state'],
    // All workers know the same lists.
    aggregator: 'max',
    registers,
    collect() {
      this.reset()
      for (const [state, count] of Object.entries(trustLists().states)) this.set({ state }, count)
    },
  })
  new Gauge({
    name: 'credence_trust_list_alerts',
    help: 'Trusted lists that no longer have a certificate of this installation.',
    aggregator: 'max',
    registers,
    collect() {
      this.set(trustLists().alerts)
    },
  })
  new Gauge({
    name: 'credence_trust_list_expiry_timestamp_seconds',
    help: 'When the first trusted list ends that can be used now. Absent if there is none.',
    aggregator: 'min',
    registers,
    collect() {
      this.reset()
      const { firstEnd } = trustLists()
      if (firstEnd === undefined) this.remove()
      else this.set(firstEnd.getTime() / 1000)
    },
  })
  new Gauge({
    name: 'credence_webhook_waiting',
    help: 'Sessions and credentials with events that wait for a webhook. At most 10,000 are counted.',
    // All workers count the same rows.
    aggregator: 'max',
    registers,
    async collect() {
      this.reset()
      // Without a database the other metrics are still read.
      const counts = await webhooks().catch(() => undefined)
      if (counts !== undefined) this.set(counts.waiting)
    },
  })
  new Gauge({
    name: 'credence_webhooks_disabled',
    help: 'Webhooks that the service switched off: after an answer 410, or after five days without success.',
    // All workers count the same rows.
    aggregator: 'max',
    registers,
    async collect() {
      this.reset()
      // Without a database the other metrics are still read.
      const counts = await webhooks().catch(() => undefined)
      if (counts !== undefined) this.set(counts.disabled)
    },
  })
  new Gauge({
    name: 'credence_encryption_rows_left',
    help: 'Estimated number of rows that the encryption of stored values has left, by column.',
    labelNames: ['column'],
    // Every process reads the same progress.
    aggregator: 'max',
    registers,
    collect() {
      this.reset()
      for (const [column, rows] of encryptionLeft()) this.set({ column }, rows)
    },
  })
  new Gauge({
    name: 'credence_document_signers',
    help: 'Short-lived document signers of issuer records, by state: "ready", or "failing" (could not be made or renewed).',
    labelNames: ['state'],
    registers,
    collect() {
      const { count, failing } = documentSigners()
      this.set({ state: 'ready' }, count)
      this.set({ state: 'failing' }, failing)
    },
  })
  new Gauge({
    name: 'credence_document_signer_age_seconds',
    help: 'Age of the oldest document signer of issuer records in the memory of a process.',
    aggregator: 'max',
    registers,
    collect() {
      this.set(documentSigners().oldestSeconds)
    },
  })
  for (const [name, help, end] of [
    ['issuer_certificate', 'When the first certificate of ISSUER_X509 expires.', expiries.issuerCertificate],
    ['verifier_certificate', 'When the first certificate of VERIFIER_X509 expires.', expiries.verifierCertificate],
    ['verifier_attestation', 'When VERIFIER_ATTESTATION expires.', expiries.verifierAttestation],
  ] as const) {
    if (end === undefined) continue
    // All workers have the same value, so it must not be added up.
    const gauge = new Gauge({
      name: `credence_${name}_expiry_timestamp_seconds`,
      help,
      aggregator: 'min',
      registers,
    })
    gauge.set(end.getTime() / 1000)
  }
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const counted = counters(registry)
  return {
    registry,
    request(procedure, status, seconds) {
      counted.requests.labels(procedure, status).inc()
      if (seconds !== undefined) counted.durations.labels(procedure).observe(seconds)
    },
    rateLimited: () => counted.rateLimited.inc(),
    verificationSession: (outcome, check = undefined, count = 1) =>
      counted.verificationSessions.labels(outcome, check ?? '').inc(count),
    offerSession: (outcome, check = undefined, count = 1) =>
      counted.offerSessions.labels(outcome, check ?? '').inc(count),
    verification: (failed) =>
      counted.verifications.labels(failed === undefined ? 'valid' : 'invalid', failed ?? '').inc(),
    outbound: (outcome) => counted.outbound.labels(outcome).inc(),
    claimsSource: (outcome) => counted.claimsSources.labels(outcome).inc(),
    keyProviderCall: (provider, operation, outcome, seconds) => {
      counted.keyProviderCalls.labels(provider, operation, outcome).inc()
      counted.keyProviderSeconds.labels(provider, operation).observe(seconds)
    },
    documentSigner: (outcome) => counted.documentSigners.labels(outcome).inc(),
    webhookTry: (outcome) => counted.webhookTries.labels(outcome).inc(),
    idempotency: (outcome) => counted.idempotency.labels(outcome).inc(),
    trustListRead: (outcome) => counted.trustListReads.labels(outcome).inc(),
    listRead: (source) => counted.listReads.labels(source).inc(),
    maintenance: (task, count) => {
      if (count === undefined) counted.maintenanceFailures.labels(task).inc()
      else counted.maintained.labels(task).inc(count)
    },
    encryption: (column, outcome, count) => {
      if (count > 0) counted.encrypted.labels(column, outcome).inc(count)
    },
    partition: (table, change) => counted.partitions.labels(table, change).inc(),
    read: (readings) => readCounts(registry, readings),
    readProcess: () => collectDefaultMetrics({ register: registry }),
  }
}

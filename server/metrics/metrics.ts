import { collectDefaultMetrics, Registry } from 'prom-client'
import type { ListSource } from '../database/replica/lists.js'
import type { Check } from '../protocol/credential/verification.js'
import { counters } from './counters.js'
import { type Readings, readCounts } from './readings.js'

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

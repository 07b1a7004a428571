import { Counter, Gauge, type Registry } from 'prom-client'

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

/** Registers metrics that read the values of other modules at each request for the metrics. */
export function readCounts(
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

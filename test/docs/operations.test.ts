import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../server/metrics/metrics.js'

const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(resolve(root, path), 'utf8')

function namesThereAre(): Set<string> {
  const metrics = createMetrics()
  metrics.read({
    database: () => ({ statements: 0, busy: 0, idle: 0, waiting: 0 }),
    streams: () => 0,
    maintenanceLate: new Map(),
    encryptionLeft: () => new Map(),
    expiries: { issuerCertificate: new Date(), verifierCertificate: new Date(), verifierAttestation: new Date() },
    documentSigners: () => ({ count: 0, oldestSeconds: 0, failing: 0 }),
    overdue: async () => ({}),
    registrations: async () => ({ usable: 0, unusable: 0, firstEnd: new Date() }),
    attestationLists: async () => ({ count: 0, unreadable: 0 }),
    trustLists: () => ({ states: {}, firstEnd: new Date(), alerts: 0 }),
    webhooks: async () => ({ disabled: 0, waiting: 0 }),
  })
  return new Set([...metrics.registry.getMetricsAsArray().map(({ name }) => name), 'credence_workers'])
}

/** Names of the service's metrics in a text, without the suffixes that Prometheus adds to histograms. */
const namesIn = (text: string) =>
  new Set([...text.matchAll(/\bcredence_[a-z_]+\b/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, '')))

describe('docs/operations/monitoring.md', () => {
  it('names every existing metric, and no other metric', () => {
    expect([...namesIn(read('docs/operations/monitoring.md'))].sort()).toEqual([...namesThereAre()].sort())
  })

  it('has alerts for existing metrics only', () => {
    const named = namesIn(read('deploy/prometheus/credence.rules.yml'))
    expect(named.size).toBeGreaterThan(5)
    expect([...named].filter((name) => !namesThereAre().has(name))).toEqual([])
  })
})

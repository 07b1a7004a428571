import { existsSync, readFileSync } from 'node:fs'
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
    expiries: { issuerCertificate: new Date(), verifierCertificate: new Date(), verifierAttestation: new Date() },
  })
  return new Set([...metrics.registry.getMetricsAsArray().map(({ name }) => name), 'credence_workers'])
}

/** Names of the service's metrics in a text, without what Prometheus adds to those of histograms. */
const namesIn = (text: string) =>
  new Set([...text.matchAll(/\bcredence_[a-z_]+\b/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, '')))

describe('docs/operations.md', () => {
  it('names every metric that there is, and no other', () => {
    expect([...namesIn(read('docs/operations.md'))].sort()).toEqual([...namesThereAre()].sort())
  })

  it('has alerts for metrics that there are', () => {
    const named = namesIn(read('deploy/prometheus/credence.rules.yml'))
    expect(named.size).toBeGreaterThan(5)
    expect([...named].filter((name) => !namesThereAre().has(name))).toEqual([])
  })

  it.each(['README.md', 'docs/operations.md', 'docs/scaling.md', 'docs/wallets.md', 'docs/conformance.md'])(
    'links of %s lead somewhere',
    (path) => {
      const links = [...read(path).matchAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g)]
      expect(links.length).toBeGreaterThan(0)
      for (const [, file = '', anchor] of links) {
        const target = resolve(root, path, '..', file === '' ? resolve(root, path) : file)
        expect(existsSync(target), file).toBe(true)
        if (anchor === undefined) continue
        const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(
          ([, heading = '']) =>
            `#${heading
              .toLowerCase()
              .replace(/[^\w\- ]/g, '')
              .replaceAll(' ', '-')}`,
        )
        expect(headings, `${file}${anchor}`).toContain(anchor)
      }
    },
  )
})

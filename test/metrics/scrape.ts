import { createOperationsServer } from '../../server/http/operations.js'
import { ownSources } from '../../server/process/operations.js'
import { closeServer, listenLocally } from '../support/local-server.js'
import type { TestService } from '../support/service.js'

/** Reads the samples of a text in the Prometheus format. The key is the text before the value. */
export type Samples = ReadonlyMap<string, number>

const SAMPLE = /^([a-z][a-z0-9_]*(?:\{.*\})?) (\S+)$/

export function parseSamples(text: string): Samples {
  const samples = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# ')) continue
    const [, name = '', value] = SAMPLE.exec(line) ?? []
    if (value === undefined || samples.has(name)) throw new Error(`Not a line of a metric, or there twice: ${line}`)
    samples.set(name, Number(value))
  }
  return samples
}

export const scrape = async (url: string): Promise<Samples> =>
  parseSamples(await (await fetch(`${url}/metrics`)).text())

/** The samples of one metric. */
export const ofMetric = (samples: Samples, name: string): Record<string, number> =>
  Object.fromEntries([...samples].filter(([sample]) => sample === name || sample.startsWith(`${name}{`)))

/** The settings of a test for a service's port for operators. */
export async function startOperations(service: TestService) {
  const server = createOperationsServer(ownSources(service.service.operated))
  const url = await listenLocally(server)
  return {
    url,
    samples: () => scrape(url),
    close: () => closeServer(server),
  }
}

/** Returns by how much each series has grown between two scrapes. Series that did not grow are omitted. */
export function grown(before: Samples, after: Samples, metric: string): Record<string, number> {
  const growth = Object.entries(ofMetric(after, metric)).map(
    ([name, value]) => [name.slice(metric.length), value - (before.get(name) ?? 0)] as const,
  )
  return Object.fromEntries(growth.filter(([, more]) => more !== 0))
}

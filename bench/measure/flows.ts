import type { Target } from '../targets/target.js'
import { cpuMs, residentMiB } from './process-usage.js'
import { percentile, type Sample } from './sample.js'

/**
 * Runs flows for a number of seconds. Each actor begins its next flow when its previous flow has ended. A flow that
 * fails ends the benchmark.
 *
 * @param flow runs one flow. It may return the milliseconds to record; by default the whole duration of the flow is
 * recorded
 */
export async function measureFlows(
  target: Target,
  flow: () => Promise<number | undefined>,
  atOnce: number,
  seconds: number,
): Promise<Sample> {
  const times: number[] = []
  const cpuBefore = cpuMs(target.pid)
  const started = performance.now()
  const end = started + seconds * 1000
  const actor = async () => {
    while (performance.now() < end) {
      const begun = performance.now()
      const span = await flow()
      times.push(span ?? performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, actor))
  const elapsed = performance.now() - started
  return {
    operations: times.length,
    perSecond: times.length / (elapsed / 1000),
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    cpuMs: (cpuMs(target.pid) - cpuBefore) / times.length,
    residentMiB: residentMiB(target.pid),
  }
}

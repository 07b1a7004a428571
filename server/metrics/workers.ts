import { AggregatorRegistry, type Registry } from 'prom-client'

/** The counts of one process, as they go over the process channel. */
export type Counts = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** Metrics of a process that has ended: counters are kept, gauges dropped. */
const GROWING: ReadonlySet<string> = new Set(['counter', 'histogram'])

const sumOf = (counts: readonly Counts[]): Registry => AggregatorRegistry.aggregate([...counts])

/**
 * The counts of all workers together. Those of a worker that ended stay in the sums, so that no counter ever falls, which
 * Prometheus would take for a restart; and of one that does not answer the last ones count.
 */
export class WorkerCounts {
  readonly #last = new Map<number, Counts>()
  #ended: Promise<Counts> = Promise.resolve([])

  /** What a worker has counted until now. */
  took(workerId: number, counts: Counts): void {
    this.#last.set(workerId, counts)
  }

  /** A worker is no more. */
  ended(workerId: number): void {
    const last = this.#last.get(workerId) ?? []
    this.#last.delete(workerId)
    const growing = last.filter(({ type }) => GROWING.has(String(type)))
    this.#ended = this.#ended.then((former) => sumOf([former, growing]).getMetricsAsJSON())
  }

  /** All of them, and `own` of the primary, in the Prometheus text format. */
  async text(own: Counts): Promise<string> {
    const ended = await this.#ended
    return sumOf([own, ...this.#last.values(), ended]).metrics()
  }
}

import { AggregatorRegistry, type Registry } from 'prom-client'

/** The counts of one process, in the form that is sent over the process channel. */
export type Counts = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The kinds of metrics that are kept after a process has ended; gauges are dropped. */
const GROWING: ReadonlySet<string> = new Set(['counter', 'histogram'])

const sumOf = (counts: readonly Counts[]): Registry => AggregatorRegistry.aggregate([...counts])

/**
 * The counts of all workers together. The counts of an ended worker stay in the sums, so that no counter ever
 * decreases: Prometheus would treat a decrease as a restart. For a worker that does not answer, its last counts are
 * used.
 */
export class WorkerCounts {
  readonly #last = new Map<number, Counts>()
  #ended: Promise<Counts> = Promise.resolve([])

  /** Stores the present counts of a worker. */
  took(workerId: number, counts: Counts): void {
    this.#last.set(workerId, counts)
  }

  /** Adds the last counts of an ended worker to the sums. */
  ended(workerId: number): void {
    const last = this.#last.get(workerId) ?? []
    this.#last.delete(workerId)
    const growing = last.filter(({ type }) => GROWING.has(String(type)))
    this.#ended = this.#ended.then((former) => sumOf([former, growing]).getMetricsAsJSON())
  }

  /** The counts of all workers and of the primary (`own`), in the Prometheus text format. */
  async text(own: Counts): Promise<string> {
    const ended = await this.#ended
    return sumOf([own, ...this.#last.values(), ended]).metrics()
  }
}

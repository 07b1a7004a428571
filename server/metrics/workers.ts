import { AggregatorRegistry, type Registry } from 'prom-client'

/** The metrics of one process, as they are sent over the channel between the processes. */
export type Counts = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The kinds of metrics that are still reported after their process has ended. Gauges are not reported any more. */
const GROWING: ReadonlySet<string> = new Set(['counter', 'histogram'])

const sumOf = (counts: readonly Counts[]): Registry => AggregatorRegistry.aggregate([...counts])

/**
 * Adds up the counts of all workers. The counts of an ended worker stay in the sums, so that no counter ever decreases.
 * Prometheus would treat a decrease as a restart. If a worker does not answer, its last counts are used.
 */
export class WorkerCounts {
  readonly #last = new Map<number, Counts>()
  #ended: Promise<Counts> = Promise.resolve([])

  /** Stores the current counts of a worker. */
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

  /** Returns the counts of all workers and of the primary process (`own`), in the Prometheus text format. */
  async text(own: Counts): Promise<string> {
    const ended = await this.#ended
    return sumOf([own, ...this.#last.values(), ended]).metrics()
  }
}

import cluster, { type Worker } from 'node:cluster'
import type { AddressInfo } from 'node:net'
import { Gauge, Registry } from 'prom-client'
import { type Config, ConfigurationError } from '../config/config.js'
import type { Components } from '../health/readiness.js'
import { createOperationsServer, type OperationsSources } from '../http/operations.js'
import type { Log } from '../log/log.js'
import type { Metrics } from '../metrics/metrics.js'
import { type Counts, WorkerCounts } from '../metrics/workers.js'
import { type AskWorkers, answerPrimary, createQuestions } from './worker-questions.js'

/** Time limit for a worker's answer with its metrics. If the worker is too late, its previous metrics are used. */
const METRICS_TIMEOUT_MS = 1_000
/** Time limit for a worker's readiness, a little longer than the time limit of its checks. */
const READINESS_TIMEOUT_MS = 4_000

/**
 * Listens on METRICS_PORT, if it is set.
 *
 * @throws {ConfigurationError} if listening fails.
 */
export async function listenForOperators(config: Config, log: Log, sources: () => OperationsSources): Promise<void> {
  const { host, port } = config.metrics
  if (port === undefined) return
  const server = createOperationsServer(sources())
  await new Promise<void>((resolve, reject) => {
    const refuse = ({ code }: NodeJS.ErrnoException) =>
      reject(
        new ConfigurationError(`${host}:${port} cannot be listened on (${code}). Check METRICS_HOST and METRICS_PORT.`),
      )
    server.once('error', refuse).listen(port, host, () => resolve(void server.off('error', refuse)))
  })
  log.info({ address: host, port: (server.address() as AddressInfo).port }, 'metrics listening')
}

/** The parts of a service whose data are reported on METRICS_PORT. */
export interface OperatedService {
  readonly clock: () => Date
  readonly readiness: () => Promise<Components>
  readonly metrics: Pick<Metrics, 'registry'>
}

/** Returns the sources of the data for a process without workers. */
export const ownSources = ({ clock, readiness, metrics }: OperatedService): OperationsSources => ({
  clock,
  readiness,
  metrics: () => metrics.registry.metrics(),
})

/** Answers the questions of the primary process with the readiness and the metrics of this worker. */
export function tellPrimary({ readiness, metrics }: OperatedService): void {
  answerPrimary({ metrics: () => metrics.registry.getMetricsAsJSON(), readiness })
}

/** Returns the worst status that each component has in any worker. */
export function worst(answers: readonly Components[]): Components {
  const merged: Record<string, Components[string]> = {}
  for (const [name, component] of answers.flatMap((answer) => Object.entries(answer))) {
    const known = merged[name]
    if (known === undefined || known.status === 'up') merged[name] = component
    else if (component.status === 'down') merged[name] = component
  }
  return merged
}

async function readinessOfAll(workers: readonly Worker[], ask: AskWorkers): Promise<Components> {
  if (workers.length === 0) return { service: { status: 'down' } }
  const answers = await ask(workers, 'readiness', READINESS_TIMEOUT_MS)
  // A worker that has just ended is ignored, since a new worker replaces it.
  const silent = workers.some((worker) => !answers.has(worker) && worker.isConnected())
  return { ...worst([...answers.values()] as Components[]), ...(silent ? { workers: { status: 'down' } } : {}) }
}

/** Returns the sources of the data for all workers together. The primary process reports them. */
export function workerSources(): OperationsSources {
  const ask = createQuestions()
  const counts = new WorkerCounts()
  const listening = new Set<Worker>()
  cluster.on('listening', (worker) => listening.add(worker))
  cluster.on('exit', (worker) => {
    listening.delete(worker)
    counts.ended(worker.id)
  })
  const registry = new Registry()
  new Gauge({
    name: 'credence_workers',
    help: 'Worker processes that serve.',
    registers: [registry],
    collect() {
      this.set(listening.size)
    },
  })
  return {
    clock: () => new Date(),
    readiness: () => readinessOfAll([...listening], ask),
    async metrics() {
      const answers = await ask([...listening], 'metrics', METRICS_TIMEOUT_MS)
      for (const [worker, answer] of answers) counts.took(worker.id, answer as Counts)
      return counts.text(await registry.getMetricsAsJSON())
    },
  }
}

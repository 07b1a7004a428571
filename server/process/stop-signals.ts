import cluster, { type Worker } from 'node:cluster'
import { constants } from 'node:os'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** What the primary tells a worker when it was told to stop a second time. */
interface Hurry {
  readonly hurry: true
}

const isHurry = (message: unknown): message is Hurry =>
  typeof message === 'object' && message !== null && (message as Partial<Hurry>).hurry === true

/** The primary's side: the worker, which has its signal, is to wait no longer. */
export function hurryWorker(worker: Worker): void {
  const said: Hurry = { hurry: true }
  // The channel of one that has just ended is broken, which without a callback would be an uncaught error.
  worker.process.send?.(said, undefined, undefined, () => {})
}

const end = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal])

/**
 * Until a process has something to stop, SIGTERM and SIGINT end it at once. They would without this too, but not the first process
 * of a container: that one is sent no signal that it does not handle, and would start to serve all the same.
 */
export function endWhileStarting(): void {
  for (const signal of SIGNALS) process.on(signal, end)
}

/** What these signals mean from now on. */
export function onSignals(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) process.off(signal, end).on(signal, listener)
}

/**
 * Calls `stop` once, at the first SIGTERM or SIGINT. The second one aborts `hurry`: whatever waits should not. A worker takes
 * that from its primary alone, since process managers send one signal to all processes of a service, and the primary passes it on.
 *
 * @returns what `stop` returns.
 */
export function onStop<T>(stop: (signal: string, hurry: AbortSignal) => Promise<T>): Promise<T> {
  const hurry = new AbortController()
  if (cluster.isWorker) {
    process.on('message', (message: unknown) => {
      if (isHurry(message)) hurry.abort()
    })
  }
  return new Promise((resolve, reject) => {
    let stopping = false
    onSignals((signal) => {
      if (stopping) {
        if (cluster.isPrimary) hurry.abort()
        return
      }
      stopping = true
      stop(signal, hurry.signal).then(resolve, reject)
    })
  })
}

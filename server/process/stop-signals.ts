import cluster, { type Worker } from 'node:cluster'
import { constants } from 'node:os'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** The message that the primary process sends to a worker after a second signal to stop. */
interface Hurry {
  readonly hurry: true
}

const isHurry = (message: unknown): message is Hurry =>
  typeof message === 'object' && message !== null && 'hurry' in message && message.hurry === true

/** Called in the primary process: tells a worker that is already stopping not to wait any longer. */
export function hurryWorker(worker: Worker): void {
  const said: Hurry = { hurry: true }
  // If the worker has just ended, its channel is broken. A send without a callback would then cause an uncaught error.
  worker.process.send?.(said, undefined, undefined, () => {})
}

const end = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal])

/**
 * Makes SIGTERM and SIGINT end a process immediately while it starts. Most processes would end without this handler.
 * But the first process of a container receives only signals that it handles. Without the handler, such a process would
 * ignore the signal, finish its start and serve requests.
 */
export function endWhileStarting(): void {
  for (const signal of SIGNALS) process.on(signal, end)
}

/** Replaces the handler of these signals. */
export function onSignals(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) process.off(signal, end).on(signal, listener)
}

/**
 * Calls `stop` once, at the first SIGTERM or SIGINT. The second signal aborts `hurry`, so that `stop` does not wait any
 * longer. A worker ignores further signals and waits for the message of the primary process. Otherwise one signal would
 * count twice: process managers send each signal to all processes, and the primary process also sends it to its
 * workers.
 *
 * @returns the result of `stop`.
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

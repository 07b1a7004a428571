import cluster, { type Worker } from 'node:cluster'
import { constants } from 'node:os'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** The message of the primary to a worker after a second signal to stop. */
interface Hurry {
  readonly hurry: true
}

const isHurry = (message: unknown): message is Hurry =>
  typeof message === 'object' && message !== null && (message as Partial<Hurry>).hurry === true

/** The primary's side: sends a worker that is already stopping the message not to wait any longer. */
export function hurryWorker(worker: Worker): void {
  const said: Hurry = { hurry: true }
  // If the worker has just ended, its channel is broken. A send without a callback would then cause an uncaught error.
  worker.process.send?.(said, undefined, undefined, () => {})
}

const end = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal])

/**
 * Makes SIGTERM and SIGINT end a process immediately while it starts. Most processes would end without this handler.
 * But the first process of a container receives only signals that it handles. Without the handler, it would begin to
 * serve.
 */
export function endWhileStarting(): void {
  for (const signal of SIGNALS) process.on(signal, end)
}

/** Replaces the handler of these signals. */
export function onSignals(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) process.off(signal, end).on(signal, listener)
}

/**
 * Calls `stop` once, at the first SIGTERM or SIGINT. The second signal aborts `hurry`, so that `stop` waits for nothing
 * more. A worker accepts the second signal only from its primary: process managers send each signal to all processes,
 * and the primary sends it to its workers too.
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

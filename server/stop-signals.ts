import cluster, { type Worker } from 'node:cluster'

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
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (stopping) {
          if (cluster.isPrimary) hurry.abort()
          return
        }
        stopping = true
        stop(signal, hurry.signal).then(resolve, reject)
      })
    }
  })
}

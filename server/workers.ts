import cluster from 'node:cluster'
import type { Log } from './log.js'
import { hurryWorker } from './stop-signals.js'

/**
 * Starts workers, replaces one that dies, and passes on the signal to stop, and with a second one that there is no time left. A
 * worker that ends before it listens would end again: then all of them are stopped, and the process exits 1.
 */
export function superviseWorkers(count: number, log: Log): void {
  const listening = new Set<number>()
  let stopping = false
  const stop = () => {
    const again = stopping
    stopping = true
    for (const worker of Object.values(cluster.workers ?? {})) {
      if (worker !== undefined && again) hurryWorker(worker)
      else worker?.process.kill('SIGTERM')
    }
  }
  cluster.on('listening', (worker) => listening.add(worker.id))
  cluster.on('exit', (worker, code, signal) => {
    if (stopping) return
    log.error({ worker: worker.id, exitCode: code, signal }, 'worker ended')
    if (listening.delete(worker.id)) {
      cluster.fork()
      return
    }
    process.exitCode = 1
    stop()
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
  for (let started = 0; started < count; started += 1) cluster.fork()
}

import cluster from 'node:cluster'
import type { Log } from '../log/log.js'
import { hurryWorker, onSignals } from './stop-signals.js'

/** Pause before a worker that could not begin to serve is replaced, in milliseconds. */
const AGAIN_MS = 1_000

/**
 * Starts workers and replaces workers that die. At a signal to stop, it sends the signal to the workers. At a second
 * signal, it tells the workers not to wait. If a worker ends before it serves and no other worker serves, the next
 * worker would end too. Then all workers are stopped and the process exits with 1. If other workers serve, they
 * continue, and a new worker is started after a pause. A worker ends early, for example, while the database accepts no
 * new connections.
 *
 * @param ports the number of ports on which a worker listens; it serves when it listens on all of them
 */
export function superviseWorkers(count: number, ports: number, log: Log): void {
  const listening = new Map<number, number>()
  const serving = new Set<number>()
  let stopping = false
  const stop = () => {
    const again = stopping
    stopping = true
    for (const worker of Object.values(cluster.workers ?? {})) {
      if (worker !== undefined && again) hurryWorker(worker)
      else worker?.process.kill('SIGTERM')
    }
  }
  cluster.on('listening', ({ id }) => {
    const listensAt = (listening.get(id) ?? 0) + 1
    listening.set(id, listensAt)
    if (listensAt === ports) serving.add(id)
  })
  cluster.on('exit', (worker, code, signal) => {
    if (stopping) {
      // If the stop of a worker fails, the stop of the whole service has failed.
      if (code === 1) process.exitCode = 1
      return
    }
    log.error({ worker: worker.id, exitCode: code, signal }, 'worker ended')
    listening.delete(worker.id)
    if (serving.delete(worker.id)) {
      cluster.fork()
      return
    }
    if (serving.size > 0) {
      setTimeout(() => {
        if (!stopping) cluster.fork()
      }, AGAIN_MS).unref()
      return
    }
    process.exitCode = 1
    stop()
  })
  onSignals(stop)
  for (let started = 0; started < count; started += 1) cluster.fork()
}

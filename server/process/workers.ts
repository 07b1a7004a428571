import cluster from 'node:cluster'
import type { Log } from '../log/log.js'
import { hurryWorker, onSignals } from './stop-signals.js'

/** Pause in milliseconds before a worker that ended during its start is replaced. */
const AGAIN_MS = 1_000

/**
 * Starts workers and replaces workers that end. A signal to stop is sent on to the workers. At a second signal, the
 * workers are told not to wait. If a worker ends during its start and no other worker serves, a new worker would most
 * likely end too. So all workers are stopped and the process exits with 1. If other workers serve, they continue, and a
 * new worker is started after a pause. A worker can end during its start, for example, because the database accepts no
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
      // If a worker could not stop properly, the exit code of the whole service shows it.
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

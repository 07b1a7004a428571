import cluster from 'node:cluster'
import type { Log } from '../log/log.js'
import { hurryWorker, onSignals } from './stop-signals.js'

/** How long to wait until a worker takes the place of one that could not begin to serve. */
const AGAIN_MS = 1_000

/**
 * Starts workers, replaces one that dies, and passes on the signal to stop, and with a second one that there is no time left. Where a
 * worker ends before it serves and no other one serves, all of them are stopped, and the process exits 1: the next would end too.
 * Where others serve, such as while the database takes no new connections, they go on, and it is tried again.
 *
 * @param ports at how many a worker listens: at the last one it serves
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
      // Its stop has failed, and so has that of the whole.
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

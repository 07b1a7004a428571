import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedBinaries } from './binaries.js'
import { freePort } from './free-port.js'
import { type ClusterOptions, Programs } from './programs.js'

const readyWithinMilliseconds = 60_000

/** A PostgreSQL server on 127.0.0.1 that runs as a child of this process. */
export class Cluster {
  private constructor(
    readonly port: number,
    private readonly programs: Programs,
    private readonly options: ClusterOptions,
    private readonly server: ChildProcess,
  ) {}

  /** Starts a server. First it makes the data directory if it is missing, and stops a server that an earlier run left on the directory. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const programs = new Programs(await embeddedBinaries(), options)
    await programs.initialise()
    await programs.stopLeftover()
    for (let attempt = 1; ; attempt += 1) {
      const port = await freePort(attempt === 1 ? options.preferredPort : undefined)
      const server = await programs.spawnServer(port)
      if (await becomesReady(server, options.dataDirectory)) return new Cluster(port, programs, options, server)
      const log = await readFile(options.logFile, 'utf8')
      // Either a different program took the port, or the child processes of a killed server have not ended yet.
      const passes = /could not bind|pre-existing shared memory|lock file .* already exists/.test(log)
      if (!passes || attempt === 20) throw new Error(`PostgreSQL did not start (${options.logFile}):\n${log.trimEnd()}`)
      await sleep(250)
    }
  }

  /** Stops a server that runs on the data directory without a supervisor. */
  static async stopLeftover(options: ClusterOptions): Promise<void> {
    await new Programs(await embeddedBinaries(), options).stopLeftover()
  }

  /** Connection URL of a database of this server, as its superuser. */
  url(database = 'postgres'): string {
    return `postgresql://postgres:${encodeURIComponent(this.options.password)}@127.0.0.1:${this.port}/${database}`
  }

  /** Calls `listener` when the server has ended, for any reason. */
  onExit(listener: () => void): void {
    if (this.hasEnded()) listener()
    else this.server.once('exit', listener)
  }

  /** Ends all sessions and stops the server. Resolves when the server has ended. */
  async stop(): Promise<void> {
    if (this.hasEnded()) return
    const gone = new Promise<void>((resolve) => this.onExit(resolve))
    await this.programs.stopServer()
    await gone
  }

  private hasEnded(): boolean {
    return this.server.exitCode !== null || this.server.signalCode !== null
  }
}

/**
 * Waits until the server is ready, as pg_ctl does: a server that is ready writes `ready` into line 8 of postmaster.pid.
 */
async function becomesReady(server: ChildProcess, dataDirectory: string): Promise<boolean> {
  const deadline = Date.now() + readyWithinMilliseconds
  while (server.exitCode === null && server.signalCode === null && Date.now() < deadline) {
    const lines = (await readFile(`${dataDirectory}/postmaster.pid`, 'utf8').catch(() => '')).split('\n')
    if (lines[0] === String(server.pid) && lines[7]?.startsWith('ready')) return true
    await sleep(20)
  }
  server.kill('SIGKILL')
  return false
}

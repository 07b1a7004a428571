import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, parse } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isRunning } from '../setup/lock.mjs'
import { accountFor, type Command, commandAs } from './account.js'
import { type Binaries, embeddedBinaries, majorVersion } from './binaries.js'
import { freePort } from './free-port.js'
import { isPostgresOn } from './process.js'

export interface ClusterOptions {
  /** Absolute; made when it is missing. */
  readonly dataDirectory: string
  readonly logFile: string
  /** Of the superuser `postgres`; takes effect when the data directory is made. */
  readonly password: string
  /** Taken when it is free; otherwise another one is. */
  readonly preferredPort?: number | undefined
  /** Server parameters beyond the defaults. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

const readyWithinMilliseconds = 60_000

/** One PostgreSQL server on 127.0.0.1, run as a child of this process. */
export class Cluster {
  private constructor(
    readonly port: number,
    private readonly programs: Programs,
    private readonly options: ClusterOptions,
    private readonly server: ChildProcess,
  ) {}

  /** Makes the data directory if need be, stops a server that an earlier run left on it, and starts. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const programs = new Programs(await embeddedBinaries(), options)
    await programs.initialise()
    await programs.stopLeftover()
    for (let attempt = 1; ; attempt += 1) {
      const port = await freePort(attempt === 1 ? options.preferredPort : undefined)
      const server = await programs.spawnServer(port)
      if (await becomesReady(server, options.dataDirectory)) return new Cluster(port, programs, options, server)
      const log = await readFile(options.logFile, 'utf8')
      // Another program took the port, or the children of a killed server have not yet noticed.
      const passes = /could not bind|pre-existing shared memory|lock file .* already exists/.test(log)
      if (!passes || attempt === 20) throw new Error(`PostgreSQL did not start (${options.logFile}):\n${log.trimEnd()}`)
      await sleep(250)
    }
  }

  /** Stops a server that runs on the data directory although nobody supervises it any more. */
  static async stopLeftover(options: ClusterOptions): Promise<void> {
    await new Programs(await embeddedBinaries(), options).stopLeftover()
  }

  /** Connection URL of a database of this server, as its superuser. */
  url(database = 'postgres'): string {
    return `postgresql://postgres:${encodeURIComponent(this.options.password)}@127.0.0.1:${this.port}/${database}`
  }

  /** Calls `listener` when the server is gone, for whatever reason. */
  onExit(listener: () => void): void {
    if (this.hasEnded()) listener()
    else this.server.once('exit', listener)
  }

  /** Ends all sessions and stops; resolves when the server is gone. */
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

/** PostgreSQL's programs on one data directory, run as the right account. */
class Programs {
  constructor(
    private readonly binaries: Binaries,
    private readonly options: ClusterOptions,
  ) {}

  async initialise(): Promise<void> {
    const { dataDirectory } = this.options
    await mkdir(dirname(dataDirectory), { recursive: true })
    const version = await readFile(`${dataDirectory}/PG_VERSION`, 'utf8').catch(() => null)
    if (version === null) return this.makeDataDirectory()
    const needed = await majorVersion(this.binaries)
    if (version.trim() !== needed) {
      throw new Error(
        `${dataDirectory} was made by PostgreSQL ${version.trim()}, this is PostgreSQL ${needed}. ` +
          'Move the data with pg_dump, or delete the directory to start afresh.',
      )
    }
  }

  /** Made beside its place and moved there whole, so that an interrupted start leaves no half of one. */
  private async makeDataDirectory(): Promise<void> {
    const draft = `${this.options.dataDirectory}.new`
    const passwordFile = `${draft}.password`
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { mode: 0o700 })
    await writeFile(passwordFile, this.options.password, { mode: 0o600 })
    try {
      const account = accountFor(this.options.dataDirectory)
      if (account !== null) {
        await chown(draft, account.uid, account.gid)
        await chown(passwordFile, account.uid, account.gid)
      }
      await this.run(this.binaries.initdb, [
        `--pgdata=${draft}`,
        '--username=postgres',
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-instructions',
        // Also when it is for keeps: nothing is in it yet.
        '--no-sync',
      ])
      await rename(draft, this.options.dataDirectory)
    } finally {
      await rm(passwordFile, { force: true })
    }
  }

  /** A server without a supervisor (both were killed, or the machine stopped) is stopped before a new one starts. */
  async stopLeftover(): Promise<void> {
    if (process.platform === 'win32') return
    const pidFile = `${this.options.dataDirectory}/postmaster.pid`
    const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10)
    if (!Number.isInteger(pid) || !isRunning(pid)) return
    if (isPostgresOn(this.options.dataDirectory, pid)) await this.stopServer()
    // The number belongs to another program by now, which PostgreSQL would take for a rival.
    else await rm(pidFile, { force: true })
  }

  async spawnServer(port: number): Promise<ChildProcess> {
    const settings = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      ...this.options.settings,
    }
    const { file, args, options } = this.command(this.binaries.postgres, [
      '-D',
      this.options.dataDirectory,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ])
    const log = await open(this.options.logFile, 'w')
    try {
      const server = spawn(file, args, { ...this.surroundings(), ...options, stdio: ['ignore', log.fd, log.fd] })
      await once(server, 'spawn')
      return server
    } finally {
      await log.close()
    }
  }

  async stopServer(): Promise<void> {
    const { dataDirectory } = this.options
    const stop = (mode: string) =>
      this.run(this.binaries.pg_ctl, ['stop', '-D', dataDirectory, '-m', mode, '-w', '-t', '20', '-s'])
    await stop('fast').catch(async (error) => {
      // It may have gone by itself meanwhile.
      if (await readFile(`${dataDirectory}/postmaster.pid`).catch(() => null)) await stop('immediate')
      else if (isMissing(error)) throw error
    })
  }

  private async run(binary: string, args: readonly string[]): Promise<void> {
    const { file, args: all, options } = this.command(binary, args)
    await promisify(execFile)(file, [...all], { ...this.surroundings(), ...options })
  }

  private command(binary: string, args: readonly string[]): Command {
    return commandAs(accountFor(this.options.dataDirectory), binary, args, [binary, this.options.dataDirectory])
  }

  private surroundings(): { cwd: string; env: NodeJS.ProcessEnv } {
    const foreign = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))
    return { cwd: parse(this.options.dataDirectory).root, env: { ...Object.fromEntries(foreign), LC_ALL: 'C' } }
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** As pg_ctl does it: the server writes `ready` into line 8 of postmaster.pid. */
async function becomesReady(server: ChildProcess, dataDirectory: string): Promise<boolean> {
  const deadline = Date.now() + readyWithinMilliseconds
  while (server.exitCode === null && server.signalCode === null && Date.now() < deadline) {
    const lines = (await readFile(`${dataDirectory}/postmaster.pid`, 'utf8').catch(() => '')).split('\n')
    if (lines[0] === String(server.pid) && lines[7]?.startsWith('ready')) return true
    await sleep(20)
  }
  return false
}

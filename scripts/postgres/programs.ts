import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, parse } from 'node:path'
import { promisify } from 'node:util'
import { isRunning } from '../launch/lock.mjs'
import { accountFor, type Command, commandAs } from './account.js'
import { type Binaries, majorVersion } from './binaries.js'
import { isPostgresOn } from './process.js'

export interface ClusterOptions {
  /** Absolute path. A missing directory is made. */
  readonly dataDirectory: string
  readonly logFile: string
  /** Password of the superuser `postgres`. It is set when the data directory is made. */
  readonly password: string
  /** The port of the server if it is free. Otherwise the server gets another port. */
  readonly preferredPort?: number | undefined
  /** Server parameters that differ from their defaults. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

/** Runs PostgreSQL's programs on one data directory, as the right account. */
export class Programs {
  constructor(
    private readonly binaries: Binaries,
    private readonly options: ClusterOptions,
  ) {}

  async initialise(): Promise<void> {
    const { dataDirectory } = this.options
    await mkdir(dirname(dataDirectory), { recursive: true })
    const version = await readIfThere(`${dataDirectory}/PG_VERSION`)
    if (version === null) return this.makeDataDirectory()
    const needed = await majorVersion(this.binaries)
    if (version.trim() !== needed) {
      throw new Error(
        `${dataDirectory} was made by PostgreSQL ${version.trim()}, this is PostgreSQL ${needed}. ` +
          'Move the data with pg_dump, or delete the directory to start afresh.',
      )
    }
  }

  /** Makes the data directory in a temporary place and then moves it, so that an interrupted start leaves no incomplete directory. */
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
        // A permanent data directory needs no fsync at this time either, because it contains no data yet.
        '--no-sync',
      ])
      await rename(draft, this.options.dataDirectory)
    } finally {
      await rm(passwordFile, { force: true })
    }
  }

  /** Stops a server without a supervisor, before a new server starts: the earlier run was killed, or the machine stopped. */
  async stopLeftover(): Promise<void> {
    if (process.platform === 'win32') return
    const pidFile = `${this.options.dataDirectory}/postmaster.pid`
    const pid = Number.parseInt((await readIfThere(pidFile)) ?? '', 10)
    if (!Number.isInteger(pid) || !isRunning(pid)) return
    if (isPostgresOn(this.options.dataDirectory, pid)) await this.stopServer()
    // The process id in the file now belongs to a different program. PostgreSQL would take this program for a running
    // server.
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
    await stop('fast').catch(async () => {
      // If the file is gone, the server has ended meanwhile.
      if ((await readIfThere(`${dataDirectory}/postmaster.pid`)) !== null) await stop('immediate')
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

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { ClusterOptions } from '../postgres/programs.js'
import type { Supervisor } from '../supervisor/handle.js'

const zAccess = z.object({ password: z.string(), port: z.number().optional() })

const patienceMilliseconds = 2_000

/** The data directory of the embedded database, below .data/. The data stay between starts. */
export class DataDirectory {
  readonly logFile: string
  private readonly dataDirectory: string
  private readonly accessFile: string

  constructor(private readonly directory: string) {
    this.dataDirectory = join(directory, 'postgres')
    this.accessFile = join(directory, 'postgres.json')
    this.logFile = join(directory, 'postgres.log')
  }

  /**
   * Starts the server under the supervisor, with the port of the last start if that port is free.
   *
   * @returns the connection URL
   * @throws {Error} if another run uses the database
   */
  async start(supervisor: Supervisor): Promise<string> {
    await this.claim(supervisor)
    const { password, port } = this.access()
    const url = await supervisor.call('startPostgres', { ...this.options(password), preferredPort: port })
    this.write({ password, port: Number(new URL(url).port) })
    return url
  }

  /** The address of the server at the last start; null before the first start. */
  lastUrl(): string | null {
    const { password, port } = existsSync(this.accessFile) ? this.access() : {}
    return password === undefined || port === undefined
      ? null
      : `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`
  }

  options(password = ''): ClusterOptions {
    return { dataDirectory: this.dataDirectory, logFile: this.logFile, password }
  }

  /**
   * Acquires the lock. If a different run holds the lock, it waits for a moment, because a killed run needs time to
   * stop its processes.
   */
  private async claim(supervisor: Supervisor): Promise<void> {
    const deadline = Date.now() + patienceMilliseconds
    for (;;) {
      const holder = await supervisor.call('claim', join(this.directory, 'postgres.lock'))
      if (holder === null) return
      if (Date.now() > deadline) {
        throw new Error(
          `Another npm start uses the database in ${this.directory}. Stop it first (kill ${holder}), or set DATABASE_URL to another database.`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  private access(): z.infer<typeof zAccess> {
    if (existsSync(this.accessFile)) return zAccess.parse(JSON.parse(readFileSync(this.accessFile, 'utf8')))
    if (existsSync(this.dataDirectory)) {
      throw new Error(
        `${this.accessFile}, which holds the password of the database beside it, is gone. Delete ${this.dataDirectory} to start afresh.`,
      )
    }
    const fresh = { password: randomBytes(18).toString('base64url') }
    this.write(fresh)
    return fresh
  }

  private write(access: z.infer<typeof zAccess>): void {
    mkdirSync(dirname(this.accessFile), { recursive: true })
    writeFileSync(this.accessFile, `${JSON.stringify(access)}\n`, { mode: 0o600 })
  }
}

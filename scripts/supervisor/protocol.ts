import type { ClusterOptions } from '../postgres/programs.js'

/** The command of the service, which is a Node program. */
export interface ServiceOptions {
  /** The arguments of `node`. The first argument is the program. */
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** How the service ended: either its exit code or its signal is set. */
export interface ServiceEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The commands of a supervisor. Each call is answered when the command is done. */
export interface Commands {
  /**
   * Acquires the lock file until the supervisor ends. Answers with null, or with the number of the process that already
   * holds the lock.
   */
  claim(lockFile: string): Promise<number | null>
  /**
   * Starts PostgreSQL and answers with the URL of the database `postgres`. If `temporaryDirectory` is set, this
   * directory is removed when the supervisor ends.
   */
  startPostgres(options: ClusterOptions, temporaryDirectory?: string): Promise<string>
  stopPostgres(): Promise<void>
  /** Starts the service and answers with its process id. */
  startService(options: ServiceOptions): Promise<number>
  /** Kills the service if it takes too long to end. */
  killService(): Promise<void>
  /** Stops the service, then PostgreSQL, then itself. */
  end(): Promise<void>
}

/** A message to the supervisor. */
export interface Call {
  readonly id: number
  readonly command: keyof Commands
  readonly args: readonly unknown[]
}

/** A message from the supervisor: the answer to a call, or an event. */
export type Report =
  | { readonly id: number; readonly value?: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly event: 'service-ended'; readonly end: ServiceEnd }
  | { readonly event: 'postgres-ended' }

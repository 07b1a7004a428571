import type { ClusterOptions } from '../postgres/programs.js'

/** How to run the service: a Node program. */
export interface ServiceOptions {
  /** Arguments of `node`, the program first. */
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** How the service ended; one of the two is set. */
export interface ServiceEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Commands that the supervisor carries out; each call is answered when it is done. */
export interface Commands {
  /** Takes the lock file for the supervisor's life: null, or the number of the process that holds it. */
  claim(lockFile: string): Promise<number | null>
  /** Answers with the URL of the database `postgres`. The temporary directory, if given, is removed at the end. */
  startPostgres(options: ClusterOptions, temporaryDirectory?: string): Promise<string>
  stopPostgres(): Promise<void>
  /** Answers with the process id. */
  startService(options: ServiceOptions): Promise<number>
  /** Kills the service if it takes too long to end. */
  killService(): Promise<void>
  /** Stops the service, then PostgreSQL, then itself. */
  end(): Promise<void>
}

/** To the supervisor. */
export interface Call {
  readonly id: number
  readonly command: keyof Commands
  readonly args: readonly unknown[]
}

/** From the supervisor: the answer to a call, or an event. */
export type Report =
  | { readonly id: number; readonly value?: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly event: 'service-ended'; readonly end: ServiceEnd }
  | { readonly event: 'postgres-ended' }

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'

export interface LogLine {
  readonly level: number
  readonly msg: string
  readonly [member: string]: unknown
}

/** The built service, or a command of it, in its own process, as an operator starts it. */
export interface ServiceProcess extends AsyncDisposable {
  readonly child: ChildProcess
  /** The output so far. */
  stdout(): string
  stderr(): string
  /** The log so far. Every line of standard output must be a log line. */
  log(): LogLine[]
  /** Waits for a number of log lines with a message. */
  logged(message: string, count?: number): Promise<LogLine[]>
  /** Waits until the service listens. Returns its address. */
  url(): Promise<string>
  /** Waits until the port for operators listens. Returns its address. */
  operationsUrl(): Promise<string>
  /** Waits for the end of the process. Returns the exit code, or the signal that ended it. */
  exit(): Promise<number | NodeJS.Signals | null>
}

/** Variables of this machine's environment that would change the tested behaviour. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'LANG']

/** @param program below `dist/server/`. */
export function startProcess(environment: Readonly<Record<string, string>>, program = 'main.js'): ServiceProcess {
  const inherited = Object.fromEntries(INHERITED.map((name) => [name, process.env[name]]))
  // The process does not run in the project's directory, because it would read the .env of that directory.
  const child = spawn(process.execPath, [join(inject('installation'), 'dist/server', program)], {
    cwd: tmpdir(),
    env: { ...inherited, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const log = () =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line): LogLine => JSON.parse(line))
  const logged = async (message: string, count = 1) => {
    for (;;) {
      const lines = log().filter(({ msg }) => msg === message)
      if (lines.length >= count) return lines
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`Ended with ${child.exitCode ?? child.signalCode} before "${message}".\n${stdout}${stderr}`)
      }
      await Promise.race([once(child.stdout, 'data'), ended])
    }
  }
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    log,
    logged,
    url: async () => `http://127.0.0.1:${(await logged('listening'))[0]?.port}`,
    operationsUrl: async () => `http://127.0.0.1:${(await logged('metrics listening'))[0]?.port}`,
    exit: async () => {
      const [code, signal] = await ended
      return code ?? signal
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
    },
  }
}

/** A complete configuration for local use. */
export const localEnvironment = (databaseUrl: string) => ({
  ISSUER_BASE_URL: 'http://127.0.0.1:3000',
  VERIFIER_BASE_URL: 'http://127.0.0.1:3000',
  ALLOW_INSECURE_HTTP: 'true',
  AUTH_DISABLED: 'true',
  DATABASE_URL: databaseUrl,
})

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { portOf } from '../support/local-server.js'

/** A server for one test, which may stop it and start again at the same address. */
export interface OwnServer extends AsyncDisposable {
  readonly port: number
  start(): Promise<void>
  /** Begins an outage: all connections break, and new connections are refused. */
  stop(): Promise<void>
}

/**
 * Whether a program is installed on this machine. Tests that need a missing program are skipped, and their names say
 * so.
 */
export function hasProgram(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`])
    return true
  } catch {
    return false
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const port = portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Runs a program. Resolves when the program's output contains the text, because the program has then started. */
async function ownServer(
  program: string,
  args: (port: number, directory: string) => string[],
  ready: RegExp,
): Promise<OwnServer> {
  const port = await freePort()
  const directory = mkdtempSync(join(tmpdir(), `credence-${program}-`))
  let child: ChildProcess | undefined
  const stop = async () => {
    const running = child
    child = undefined
    if (running === undefined) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill('SIGKILL')
    await ended
  }
  const start = async () => {
    const started = spawn(program, args(port, directory), { stdio: ['ignore', 'pipe', 'pipe'] })
    child = started
    await new Promise<void>((resolve, reject) => {
      let said = ''
      const look = (data: Buffer) => {
        said += data
        if (ready.test(said)) resolve()
      }
      started.stdout.on('data', look)
      started.stderr.on('data', look)
      started.once('error', reject)
      started.once('exit', () => reject(new Error(`${program} has ended: ${said}`)))
    })
  }
  await start()
  return {
    port,
    start,
    stop,
    [Symbol.asyncDispose]: async () => {
      await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export const startRedis = () =>
  ownServer(
    'redis-server',
    (port, directory) => ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory],
    /Ready to accept connections/,
  )

export const startNats = () =>
  ownServer('nats-server', (port) => ['-a', '127.0.0.1', '-p', String(port)], /Server is ready/)

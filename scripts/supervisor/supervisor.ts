/**
 * Stops the processes of a start: the service first, then PostgreSQL. The supervisor has its own process session, so
 * Ctrl-C in a terminal reaches only the starter: the process that started the supervisor. The supervisor ends when the
 * starter says so, or when the starter has ended for any reason.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { acquireLock, releaseLock } from '../launch/lock.mjs'
import { Cluster } from '../postgres/cluster.js'
import type { Call, Commands, Report } from './protocol.js'

const serviceStopMilliseconds = 30_000

let lock: string | undefined
/** The server, set as soon as it begins to start. So it is also stopped if the supervisor ends during its start. */
let starting: Promise<Cluster> | undefined
let cluster: Cluster | undefined
let service: ChildProcess | undefined
let removedAtEnd: string | undefined
let ending: Promise<void> | undefined

const commands: Commands = {
  async claim(lockFile) {
    const holder = acquireLock(lockFile)
    if (holder === null) lock = lockFile
    return holder
  },

  async startPostgres(options, temporaryDirectory) {
    removedAtEnd = temporaryDirectory
    starting = Cluster.start(options)
    const started = await starting
    cluster = started
    started.onExit(() => {
      if (cluster !== started) return
      cluster = undefined
      report({ event: 'postgres-ended' })
    })
    return started.url()
  },

  async stopPostgres() {
    const stopping = await starting?.catch(() => undefined)
    starting = undefined
    cluster = undefined
    await stopping?.stop()
  },

  async startService({ args, cwd, env }) {
    const child = spawn(process.execPath, [...args], { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
    await once(child, 'spawn')
    service = child
    child.once('exit', (code, signal) => {
      service = undefined
      report({ event: 'service-ended', end: { code, signal } })
    })
    return child.pid ?? 0
  },

  async killService() {
    service?.kill('SIGKILL')
  },

  end() {
    ending ??= stopAll()
    return ending
  },
}

async function stopAll(): Promise<void> {
  if (service !== undefined) await stopService(service)
  await commands.stopPostgres()
  if (removedAtEnd !== undefined) await rm(removedAtEnd, { recursive: true, force: true })
  if (lock !== undefined) releaseLock(lock)
}

async function stopService(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  const late = setTimeout(() => child.kill('SIGKILL'), serviceStopMilliseconds)
  child.kill('SIGTERM')
  await gone
  clearTimeout(late)
}

/** The starter, which reads the messages, may have ended. */
function report(message: Report): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve())
    else resolve()
  })
}

async function answer({ id, command, args }: Call): Promise<void> {
  try {
    const run: (...args: never[]) => Promise<unknown> = commands[command]
    // Each command has the arguments that `Call` declares for its name.
    await report({ id, value: await run(...(args as never[])) })
  } catch (error) {
    await report({ id, error: error instanceof Error ? error.message : String(error) })
  }
  if (command === 'end') process.exit(0)
}

async function endAlone(): Promise<void> {
  await commands.end().catch(() => undefined)
  process.exit(1)
}

process.on('message', (call: Call) => void answer(call))
process.on('disconnect', () => void endAlone())
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void endAlone())
// The terminal or pipe for the output may close before this process ends.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const START_SECONDS = 60
const STOP_SECONDS = 30

/** A process under measurement. */
export interface Target {
  readonly url: string
  readonly pid: number
  /**
   * Sends a command to the process and resolves with the process's answer. If the process has ended, rejects with the
   * output of the process.
   */
  ask(command: string | Readonly<Record<string, unknown>>): Promise<unknown>
  stop(): Promise<void>
}

export interface TargetOptions {
  /** Path of the program, relative to this folder. */
  readonly program: string
  /** Path of the Node.js that runs the program. */
  readonly node: string
  readonly port: number
  readonly env?: Readonly<Record<string, string>>
  readonly execArgv?: readonly string[]
  /** A path that answers 200 as soon as the program is ready. Without this path, the program serves no HTTP. */
  readonly ready?: string
}

async function untilReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = performance.now() + START_SECONDS * 1000
  for (;;) {
    const end = child.exitCode ?? child.signalCode
    if (end !== null) throw new Error(`The process ended with ${end}:\n${output()}`)
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok === true) return
    if (performance.now() > deadline) throw new Error(`${url} does not answer:\n${output()}`)
    await sleep(50)
  }
}

/** Starts a program. From this process's environment it gets only the variables that Node needs. */
export async function startTarget({
  program,
  node,
  port,
  env = {},
  execArgv = [],
  ready,
}: TargetOptions): Promise<Target> {
  const { PATH = '', HOME = '' } = process.env
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), [], {
    env: { PATH, HOME, NODE_ENV: 'production', PORT: String(port), ...env },
    execPath: node,
    execArgv: ['--expose-gc', ...execArgv],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-20_000)
    })
  }
  const url = `http://127.0.0.1:${port}`
  try {
    if (ready !== undefined) await untilReady(`${url}${ready}`, child, () => output)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
  if (child.pid === undefined) throw new Error(`${program} did not start.`)
  // The error contains the whole output.
  const ended = once(child, 'close').then(([code, signal]): never => {
    throw new Error(`${program} ended with ${code ?? signal}:\n${output}`)
  })
  ended.catch(() => {})
  return {
    url,
    pid: child.pid,
    ask: async (command) => {
      const answer = once(child, 'message')
      // If the process has ended, the error is the end of the process, not the failed send.
      child.send(command, () => {})
      const [message] = await Promise.race([ended, answer])
      return message
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1000)
      await exit.finally(() => clearTimeout(late))
    },
  }
}

import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isRunning } from '../launch/lock.mjs'
import type { Commands, Report, ServiceEnd, ServiceOptions } from './protocol.js'

interface Events {
  'service-ended': [ServiceEnd]
  'postgres-ended': []
  /** Called if the supervisor itself has ended. */
  exit: []
}

/**
 * The interface with which the process that starts a supervisor controls it. Each command of `Commands` is a method.
 */
export class Supervisor extends EventEmitter<Events> {
  private readonly pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  private calls = 0
  private gone = false
  private service: number | undefined

  private constructor(private readonly child: ChildProcess) {
    super()
    child.on('message', (report: Report) => this.receive(report))
    child.once('exit', () => {
      this.gone = true
      for (const { reject } of this.pending.values()) reject(new Error('The supervisor was killed.'))
      this.pending.clear()
      this.emit('exit')
    })
  }

  static async start(): Promise<Supervisor> {
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
    const child = fork(fileURLToPath(new URL('supervisor.ts', import.meta.url)), [], {
      detached: true,
      execArgv: ['--import', tsx],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    await once(child, 'spawn')
    return new Supervisor(child)
  }

  /** Starts the service under the supervisor. */
  async startService(options: ServiceOptions): Promise<void> {
    this.service = await this.call('startService', options)
  }

  call<C extends keyof Commands>(command: C, ...args: Parameters<Commands[C]>): ReturnType<Commands[C]> {
    this.calls += 1
    const id = this.calls
    const answer = new Promise<unknown>((resolve, reject) => {
      this.pending.set(id, { resolve, reject })
      this.child.send({ id, command, args }, (error) => {
        if (error !== null) reject(error)
      })
    })
    return answer as ReturnType<Commands[C]>
  }

  /**
   * Stops all processes of the supervisor, and the supervisor itself. If the supervisor was killed, it stops the service and
   * returns true: PostgreSQL may still be running.
   */
  async end(): Promise<boolean> {
    if (this.gone) {
      if (this.service !== undefined && isRunning(this.service)) process.kill(this.service, 'SIGTERM')
      return true
    }
    const exit = once(this.child, 'exit')
    await this.call('end')
    await exit
    return false
  }

  private receive(report: Report): void {
    if (!('id' in report)) {
      if (report.event === 'postgres-ended') this.emit('postgres-ended')
      else {
        this.service = undefined
        this.emit('service-ended', report.end)
      }
      return
    }
    const call = this.pending.get(report.id)
    this.pending.delete(report.id)
    if ('error' in report) call?.reject(new Error(report.error))
    else call?.resolve(report.value)
  }
}

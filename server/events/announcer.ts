import type { Log } from '../log/log.js'
import { packed } from './announcement.js'
import type { Transport } from './transport.js'

/** Announcements that wait while others are being sent; what comes on top is found by those who ask once a second. */
const MAX_WAITING = 100_000
/** At most so many in one batch: some twenty messages. */
const MAX_BATCH = 5_000
/** How long to wait after a batch that could not be sent, and how long a process that ends waits for its last batch. */
const WAIT_MS = 1_000

/** Sends announcements: all that gather while a batch is on its way go in the next one. */
export class Announcer {
  readonly #transport: Pick<Transport, 'send'>
  readonly #log: Log
  readonly #waitMs: number
  readonly #waiting = new Map<string, number>()
  #sending: Promise<void> | undefined
  #failing = false
  #closed = false

  /** @param waitMs after a batch that could not be sent, and for the last batch of a process that ends */
  constructor(transport: Pick<Transport, 'send'>, log: Log, waitMs = WAIT_MS) {
    this.#transport = transport
    this.#log = log
    this.#waitMs = waitMs
  }

  announce(name: string, seq: number): void {
    if (this.#closed || (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(name))) return
    this.#waiting.set(name, Math.max(seq, this.#waiting.get(name) ?? 0))
    this.#sending ??= this.#run()
  }

  /** What was announced before is sent, unless that takes long. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#sending === undefined) return
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#waitMs)
    })
    await Promise.race([this.#sending, late])
    clearTimeout(timer)
  }

  async #run(): Promise<void> {
    // Everything that this turn of the event loop commits goes together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.size > 0) await this.#send()
    this.#sending = undefined
  }

  async #send(): Promise<void> {
    const batch: [string, number][] = []
    for (const entry of this.#waiting) {
      batch.push(entry)
      this.#waiting.delete(entry[0])
      if (batch.length === MAX_BATCH) break
    }
    try {
      await this.#transport.send(packed(batch))
      if (this.#failing) this.#log.info('session events are announced again')
      this.#failing = false
    } catch (error) {
      // They are not sent again: who waits for them has asked before that.
      const reason = error instanceof Error ? error.message : String(error)
      if (!this.#failing)
        this.#log.warn({ reason }, 'session events cannot be announced: streams are up to a second late')
      this.#failing = true
      if (this.#closed) this.#waiting.clear()
      else await new Promise((resolve) => setTimeout(resolve, this.#waitMs).unref())
    }
  }
}

import type { Log } from '../log/log.js'
import { packed } from './announcement.js'
import type { Transport } from './transport.js'

/**
 * Limit of announcements that wait while a batch is sent. Further announcements are dropped. Receivers still find these
 * events, because they ask the database once a second.
 */
const MAX_WAITING = 100_000
/** Limit of announcements in one batch. A full batch is about twenty messages. */
const MAX_BATCH = 5_000
/** Pause after a failed batch, and maximum wait of a stopping process for its last batch, in milliseconds. */
const WAIT_MS = 1_000

/** Sends announcements in batches. Announcements that are made during a batch are sent in the next batch. */
export class Announcer {
  readonly #transport: Pick<Transport, 'send'>
  readonly #log: Log
  readonly #waitMs: number
  readonly #waiting = new Map<string, number>()
  #sending: Promise<void> | undefined
  #failing = false
  #closed = false

  /**
   * @param waitMs pause after a failed batch, and maximum time that a stopping process waits for its last batch, in
   * milliseconds
   */
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

  /** Stops the announcer. Waiting announcements are sent before, within a time limit. */
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
    // Waits until the end of this turn of the event loop, so that all announcements of this turn are sent together.
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
      // The batch is not sent again, because receivers ask the database for missed events.
      const reason = error instanceof Error ? error.message : String(error)
      if (!this.#failing)
        this.#log.warn({ reason }, 'session events cannot be announced: streams are up to a second late')
      this.#failing = true
      if (this.#closed) this.#waiting.clear()
      else await new Promise((resolve) => setTimeout(resolve, this.#waitMs).unref())
    }
  }
}

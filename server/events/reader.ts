import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log/log.js'
import type { EventStore, SessionEvent } from './store.js'
import type { Subscription } from './subscriptions.js'

/** Limit of sessions that one statement reads. */
const MAX_BATCH = 1_000
const RETRY_READ_MS = 1_000

/**
 * Reads the events of many subscriptions in one statement. Many subscriptions must often read at the same time:
 * announcements arrive in bursts, and after an outage every subscription must read.
 */
export class EventReader {
  readonly #wanting = new Set<Subscription>()
  #reading = false
  #closed = false

  constructor(
    private readonly store: Pick<EventStore, 'after'>,
    private readonly log: Log,
  ) {}

  want(subscription: Subscription): void {
    subscription.reading = true
    this.#wanting.add(subscription)
    if (this.#reading || this.#closed) return
    this.#reading = true
    setImmediate(() => void this.#read())
  }

  forget(subscription: Subscription): void {
    this.#wanting.delete(subscription)
  }

  close(): void {
    this.#closed = true
  }

  async #read(): Promise<void> {
    while (this.#wanting.size > 0 && !this.#closed) {
      const batch = [...this.#wanting].slice(0, MAX_BATCH)
      for (const subscription of batch) this.#wanting.delete(subscription)
      try {
        await this.#readBatch(batch)
      } catch (error) {
        this.log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'events cannot be read')
        await sleep(RETRY_READ_MS, undefined, { ref: false })
        for (const subscription of batch) if (!subscription.ended) this.#wanting.add(subscription)
      }
    }
    this.#reading = false
  }

  async #readBatch(batch: readonly Subscription[]): Promise<void> {
    // If a session has several readers, the read begins after the lowest position of these readers.
    const wanted = new Map<string, number>()
    for (const { sessionId, position } of batch) {
      wanted.set(sessionId, Math.min(position, wanted.get(sessionId) ?? position))
    }
    const rows = await this.store.after([...wanted].map(([sessionId, after]) => ({ sessionId, after })))
    const bySession = new Map<string, SessionEvent[]>()
    for (const row of rows) {
      const known = bySession.get(row.sessionId)
      if (known === undefined) bySession.set(row.sessionId, [row])
      else known.push(row)
    }
    for (const subscription of batch) {
      subscription.take(bySession.get(subscription.sessionId) ?? [])
      subscription.notify()
    }
  }
}

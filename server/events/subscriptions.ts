import type { SessionEvent } from './store.js'

/** One reader of one session. It sleeps in `changed()` until there is something to do. */
export class Subscription {
  readonly sessionId: string
  /** `seq` of the event that was handed on last. */
  position = 0
  /** Whether the session may have events after `position` that were not read. */
  dirty = false
  ended = false
  /** Whether its rows are being read from the database; they may or may not include events announced meanwhile. */
  reading = true
  rows: readonly SessionEvent[] = []
  /** When the reader's access token expires, in milliseconds since 1970. */
  readonly until: number
  expired = false
  /** Ends it, and gives back what it holds. */
  leave: () => void = () => {}
  #changed = false
  #wake: (() => void) | undefined

  constructor(sessionId: string, until: number) {
    this.sessionId = sessionId
    this.until = until
  }

  /** Ends it where the reader's access token has expired. */
  expire(now: number): void {
    if (this.expired || now < this.until) return
    this.expired = true
    this.leave()
  }

  /**
   * Takes an event from a notification, if it is the next one and the reader is waiting for it.
   *
   * @returns true where the reader has the event now, or had it before, so that no read is needed.
   */
  offer(event: SessionEvent): boolean {
    if (this.reading || this.dirty) return false
    if (event.seq <= this.position) return true
    if (event.seq !== this.position + 1 || this.rows.length > 0) return false
    this.rows = [event]
    return true
  }

  /** What was read from the database; it holds everything after `position` that was there to read. */
  take(rows: readonly SessionEvent[]): void {
    this.rows = rows
    this.reading = false
  }

  notify(): void {
    this.#changed = true
    this.#wake?.()
    this.#wake = undefined
  }

  async changed(): Promise<void> {
    if (!this.#changed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#changed = false
  }

  /** Events that were read and not delivered yet. Overlapping reads can return an event twice: it is delivered once. */
  *unseen(): Generator<SessionEvent> {
    const { rows } = this
    this.rows = []
    for (const row of rows) {
      if (row.seq <= this.position) continue
      this.position = row.seq
      yield row
    }
  }
}

/** Who is subscribed to what in this process. */
export class Subscriptions {
  readonly #bySession = new Map<string, Set<Subscription>>()

  /** @param until when the reader's access token expires, in milliseconds since 1970. */
  add(sessionId: string, until: number): Subscription {
    const subscription = new Subscription(sessionId, until)
    const others = this.#bySession.get(sessionId)
    if (others === undefined) this.#bySession.set(sessionId, new Set([subscription]))
    else others.add(subscription)
    return subscription
  }

  delete(subscription: Subscription): void {
    const subscriptions = this.#bySession.get(subscription.sessionId)
    subscriptions?.delete(subscription)
    if (subscriptions?.size === 0) this.#bySession.delete(subscription.sessionId)
  }

  get size(): number {
    let size = 0
    for (const subscriptions of this.#bySession.values()) size += subscriptions.size
    return size
  }

  of(sessionId: string): Iterable<Subscription> {
    return this.#bySession.get(sessionId) ?? []
  }

  *all(): Generator<Subscription> {
    for (const subscriptions of this.#bySession.values()) yield* subscriptions
  }
}

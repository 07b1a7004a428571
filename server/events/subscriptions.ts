import type { SessionEvent } from './store.js'

/** One reader of one session. It sleeps in `changed()` until there are new events, or the subscription ends. */
export class Subscription {
  readonly sessionId: string
  /** `seq` of the event that was delivered last. */
  position = 0
  /** Whether the session may have unread events after `position`. */
  dirty = false
  /**
   * The highest `seq` that this process knows, never lower than `position`. The event exists already, so every read
   * that begins now will include it.
   */
  #known = 0
  ended = false
  /** Whether a read from the database is running. Its rows may lack events that are announced during the read. */
  reading = true
  rows: readonly SessionEvent[] = []
  /** Members that every event gets when it is delivered. */
  also: Readonly<Record<string, unknown>> | undefined
  /** When the reader's access token expires, in milliseconds since 1970. */
  readonly until: number
  expired = false
  /** Ends the subscription, and releases its resources. */
  leave: () => void = () => {}
  #changed = false
  #wake: (() => void) | undefined

  constructor(sessionId: string, until: number) {
    this.sessionId = sessionId
    this.until = until
  }

  /** Ends the subscription if the reader's access token has expired. */
  expire(now: number): void {
    if (this.expired || now < this.until) return
    this.expired = true
    this.leave()
  }

  /**
   * Receives the announcement of an event with this number. The event is read from the database, unless its number is
   * already known.
   *
   * @param data of the event, if this process recorded it. A sleeping reader that lacks only this event receives the
   * data directly. All other readers read the event from the database.
   */
  hear(seq: number, data?: SessionEvent['data']): void {
    if (seq <= this.#known) return
    this.#known = seq
    const next = seq === this.position + 1 && this.waits && this.#wake !== undefined
    if (data === undefined || !next) this.stir()
    else {
      this.rows = [{ seq, data }]
      this.notify()
    }
  }

  /** Marks that there may be unread events. */
  stir(): void {
    this.dirty = true
    this.notify()
  }

  /** Whether the reader has received every known event. */
  get waits(): boolean {
    return !this.dirty && !this.reading && this.rows.length === 0 && !this.ended
  }

  /** Receives rows from the database. They are all events after `position` that existed at the time of the read. */
  take(rows: readonly SessionEvent[]): void {
    this.rows = rows
    this.reading = false
    // If there is no row for an announced number, the event does not exist yet. So a later announcement of this number
    // must not be ignored.
    this.#known = rows.at(-1)?.seq ?? this.position
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

  /**
   * Events that were read and are not delivered yet. Overlapping reads can return an event twice, but it is delivered
   * once.
   */
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

/** The subscriptions in this process. */
export class Subscriptions {
  /** The subscriptions by the name of their session in announcements. */
  readonly #byName = new Map<string, Set<Subscription>>()
  readonly #nameOf: (sessionId: string) => string
  #size = 0

  constructor(nameOf: (sessionId: string) => string) {
    this.#nameOf = nameOf
  }

  /** @param until when the reader's access token expires, in milliseconds since 1970. */
  add(sessionId: string, until: number): Subscription {
    const subscription = new Subscription(sessionId, until)
    const name = this.#nameOf(sessionId)
    const others = this.#byName.get(name)
    if (others === undefined) this.#byName.set(name, new Set([subscription]))
    else others.add(subscription)
    this.#size += 1
    return subscription
  }

  delete(subscription: Subscription): void {
    const name = this.#nameOf(subscription.sessionId)
    const subscriptions = this.#byName.get(name)
    if (subscriptions?.delete(subscription) === true) this.#size -= 1
    if (subscriptions?.size === 0) this.#byName.delete(name)
  }

  get size(): number {
    return this.#size
  }

  /** The subscriptions of the session with this name. */
  of(name: string): Iterable<Subscription> {
    return this.#byName.get(name) ?? []
  }

  *all(): Generator<Subscription> {
    for (const subscriptions of this.#byName.values()) yield* subscriptions
  }
}

import type { SessionEvent } from './store.js'

/** One reader of one session. It sleeps in `changed()` until there is something to do. */
export class Subscription {
  readonly sessionId: string
  /** `seq` of the event that was handed on last. */
  position = 0
  /** Whether the session may have events after `position` that were not read. */
  dirty = false
  /** The highest `seq` that is known of, no less than `position`: what a read brings that began since. */
  #known = 0
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
   * There is an event of this number, as somebody says: it is read, unless a read that began since brings it.
   *
   * @param data of the event, where this process recorded it. A reader that sleeps and lacks no other one is given it as it is;
   *   for one that is busy nothing is kept.
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

  /** There may be events that were not read. */
  stir(): void {
    this.dirty = true
    this.notify()
  }

  /** Whether nothing is known that it has not been given. */
  get waits(): boolean {
    return !this.dirty && !this.reading && this.rows.length === 0 && !this.ended
  }

  /** What was read from the database; it holds everything after `position` that was there to read. */
  take(rows: readonly SessionEvent[]): void {
    this.rows = rows
    this.reading = false
    // What was announced and is not there was no event: the next announcement counts again.
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
  /** By the name under which a session is announced. */
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

  /** Of the session of a name. */
  of(name: string): Iterable<Subscription> {
    return this.#byName.get(name) ?? []
  }

  *all(): Generator<Subscription> {
    for (const subscriptions of this.#byName.values()) yield* subscriptions
  }
}

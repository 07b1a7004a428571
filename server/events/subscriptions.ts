import type { SessionEvent } from './store.js'

/** One reader of one session. It sleeps in `changed()` until there is something to do. */
export class Subscription {
  readonly sessionId: string
  /** `seq` of the event that was handed on last. */
  position = 0
  /** Whether the session may have events after `position` that were not read. */
  dirty = false
  ended = false
  rows: readonly SessionEvent[] = []
  #changed = false
  #wake: (() => void) | undefined

  constructor(sessionId: string) {
    this.sessionId = sessionId
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

  /** What was read and not handed on yet; a read that was asked for twice brings some of it twice. */
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

  add(sessionId: string): Subscription {
    const subscription = new Subscription(sessionId)
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

  of(sessionId: string): Iterable<Subscription> {
    return this.#bySession.get(sessionId) ?? []
  }

  *all(): Generator<Subscription> {
    for (const subscriptions of this.#bySession.values()) yield* subscriptions
  }
}

import type { Log } from '../log/log.js'
import type { EventStore, EventsWanted } from './store.js'
import type { Subscription, Subscriptions } from './subscriptions.js'

const EVERY_MS = 1_000
/** Limit of sessions in one statement. */
const MAX_BATCH = 1_000

/**
 * Asks the database once a second whether sessions with a subscriber in this process have new events. Announcements
 * alone are not enough: a process may end after it has committed a change and before it has announced the change, and
 * announcements may get lost. The query searches by session and event number, because no time or number orders the
 * commits of different sessions.
 */
export class Inquiry {
  readonly #subscriptions: Subscriptions
  readonly #store: Pick<EventStore, 'moved'>
  readonly #log: Log
  readonly #everyMs: number
  #timer: NodeJS.Timeout | undefined
  #asking = false
  /**
   * Whether to ask again immediately after the answer, because an announcement may have been missed after the question
   * was sent.
   */
  #again = false
  #failing = false
  #closed = false

  constructor(subscriptions: Subscriptions, store: Pick<EventStore, 'moved'>, log: Log, everyMs = EVERY_MS) {
    this.#subscriptions = subscriptions
    this.#store = store
    this.#log = log
    this.#everyMs = everyMs
  }

  start(): void {
    if (this.#closed || this.#timer !== undefined) return
    this.#timer = setInterval(() => {
      if (!this.#asking) this.ask()
    }, this.#everyMs)
    this.#timer.unref()
  }

  /** Asks immediately. */
  ask(): void {
    this.#again = true
    if (!this.#asking && !this.#closed) void this.#ask()
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
  }

  async #ask(): Promise<void> {
    this.#asking = true
    try {
      while (this.#again && !this.#closed) {
        this.#again = false
        await this.#askAll()
      }
      this.#failing = false
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (!this.#failing) this.#log.warn({ reason }, 'missed session events cannot be searched for')
      this.#failing = true
    } finally {
      this.#asking = false
    }
  }

  async #askAll(): Promise<void> {
    // If a session has several readers, events after the lowest position of these readers are wanted.
    const waiting = new Map<string, Subscription[]>()
    for (const subscription of this.#subscriptions.all()) {
      if (!subscription.waits) continue
      const others = waiting.get(subscription.sessionId)
      if (others === undefined) waiting.set(subscription.sessionId, [subscription])
      else others.push(subscription)
    }
    const wanted = [...waiting].map(
      ([sessionId, readers]): EventsWanted => ({
        sessionId,
        after: Math.min(...readers.map(({ position }) => position)),
      }),
    )
    for (let at = 0; at < wanted.length && !this.#closed; at += MAX_BATCH) {
      for (const id of await this.#store.moved(wanted.slice(at, at + MAX_BATCH))) {
        for (const subscription of waiting.get(id) ?? []) if (subscription.waits) subscription.stir()
      }
    }
  }
}

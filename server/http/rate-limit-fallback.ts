import { type ClientRateLimitInfo, MemoryStore, type Options, type Store } from 'express-rate-limit'

/** After this time the shared counter is tried again; until then no request waits for it. */
const RETRY_MS = 1_000

/**
 * Counts in a shared store, and also in this process. While the shared store is unavailable, the count of this process
 * applies. So there is always a limit for each client, at worst one for each process.
 */
export class FallbackStore implements Store {
  readonly localKeys = false
  readonly #shared: Store
  readonly #own = new MemoryStore()
  readonly #onTurn: (away: boolean, reason: unknown) => void
  #away = false
  #retryAt = 0

  /** @param onTurn told when the shared store has gone, and why, and when it is back. */
  constructor(shared: Store, onTurn: (away: boolean, reason: unknown) => void) {
    this.#shared = shared
    this.#onTurn = onTurn
  }

  /** Whether this process counts for itself. */
  get isAway(): boolean {
    return this.#away
  }

  init(options: Options): void {
    this.#own.init(options)
    this.#shared.init?.(options)
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    // A copy: the store hands out the count itself, which the next request changes.
    const own = { ...(await this.#own.increment(key)) }
    const shared = await this.#ask(() => this.#shared.increment(key))
    return shared ?? own
  }

  async decrement(key: string): Promise<void> {
    await this.#own.decrement(key)
    await this.#ask(() => this.#shared.decrement(key))
  }

  async resetKey(key: string): Promise<void> {
    await this.#own.resetKey(key)
    await this.#ask(() => this.#shared.resetKey(key))
  }

  shutdown(): void {
    this.#own.shutdown()
  }

  /** The count of the shared store; undefined while it is unavailable, which one request in each second checks. */
  async #ask<T>(question: () => T | Promise<T>): Promise<T | undefined> {
    const now = performance.now()
    if (this.#away) {
      if (now < this.#retryAt) return undefined
      this.#retryAt = now + RETRY_MS
    }
    try {
      const answer = await question()
      this.#turn(false)
      return answer
    } catch (reason) {
      this.#retryAt = performance.now() + RETRY_MS
      this.#turn(true, reason)
      return undefined
    }
  }

  #turn(away: boolean, reason?: unknown): void {
    if (this.#away === away) return
    this.#away = away
    this.#onTurn(away, reason)
  }
}

import { type ClientRateLimitInfo, MemoryStore, type Options, type Store } from 'express-rate-limit'

/**
 * Time after which the shared store is tried again when it is unavailable. Until then, no request waits for the shared
 * store.
 */
const RETRY_MS = 1_000

/**
 * Counts in a shared store, and also in this process. While the shared store is unavailable, the count of this process
 * applies. So each client always has a limit, in the worst case a separate limit in each process.
 */
export class FallbackStore implements Store {
  readonly localKeys = false
  readonly #shared: Store
  readonly #own = new MemoryStore()
  readonly #onTurn: (away: boolean, reason: unknown) => void
  #away = false
  #retryAt = 0

  /** @param onTurn called when the shared store becomes unavailable, with the reason, and when it is available again. */
  constructor(shared: Store, onTurn: (away: boolean, reason: unknown) => void) {
    this.#shared = shared
    this.#onTurn = onTurn
  }

  /** True while the shared store is unavailable and the counts of this process apply. */
  get isAway(): boolean {
    return this.#away
  }

  init(options: Options): void {
    this.#own.init(options)
    this.#shared.init?.(options)
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    // The result is copied, because the store returns an object that the next request changes.
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

  /**
   * Asks the shared store. Returns undefined while the store is unavailable. During this time, one request per second
   * checks whether the store is available again.
   */
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

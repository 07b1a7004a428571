import { type ClientRateLimitInfo, MemoryStore, type Options, type Store } from 'express-rate-limit'

/** Beyond it the shared counter is asked again; meanwhile no request waits for one that does not answer. */
const RETRY_MS = 1_000

/**
 * Counts in a shared store, and beside it in this process: while the shared one is away, what this process has seen is what
 * counts. So a client is never without a limit, and at worst has one for each process.
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

  /** What the shared store says; undefined where it is away. Of all requests one in a second finds out whether it is back. */
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

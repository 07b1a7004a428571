import { errors } from '../api/errors.js'

/** Limits of the number of streams that are open at the same time. */
export interface StreamLimits {
  /**
   * Limit for one caller. With 0, only the limit for the process applies. 0 is for a backend that relays streams to
   * many users, since all its streams use one token.
   */
  readonly perCaller: number
  /** Limit for this process. */
  readonly process: number
}

/** Counts open streams, both of REST and of RPC. An open stream occupies one place. */
export class StreamPlaces {
  readonly #limits: StreamLimits
  readonly #byCaller = new Map<string, number>()
  #taken = 0

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  /**
   * Takes a place for a caller (`sub`).
   *
   * @param most maximum of this caller's streams, if it is lower than the limit for all callers
   * @returns a function that releases the place; only its first call counts.
   * @throws 429 if the caller has no place left, 503 if the process has no place left.
   */
  take(sub: string, most = Number.POSITIVE_INFINITY): () => void {
    const { perCaller, process } = this.#limits
    const own = this.#byCaller.get(sub) ?? 0
    if (own >= Math.min(most, perCaller === 0 ? most : perCaller)) throw errors.tooManyStreams()
    if (this.#taken >= process) throw errors.noStreamLeft()
    this.#taken += 1
    this.#byCaller.set(sub, own + 1)
    let given = false
    return () => {
      if (given) return
      given = true
      this.#giveBack(sub)
    }
  }

  /** Number of occupied places. */
  get taken(): number {
    return this.#taken
  }

  #giveBack(sub: string): void {
    this.#taken -= 1
    const left = (this.#byCaller.get(sub) ?? 0) - 1
    if (left > 0) this.#byCaller.set(sub, left)
    else this.#byCaller.delete(sub)
  }
}

import { Recorder } from '../verify/recorder.js'
import type { JudgedWithTransactions } from './transactions.js'

/** Notes how an answer is judged, for evidence. It changes no outcome. */
export class Recording {
  readonly recorder: Recorder
  #now: Date | undefined
  #judged: readonly JudgedWithTransactions[] = []
  #judgedAt: Date | undefined
  readonly #clock: () => Date

  constructor(clock: () => Date) {
    this.#clock = clock
    this.recorder = new Recorder(clock)
  }

  /** The time of the verification; undefined if none began. */
  get now(): Date | undefined {
    return this.#now
  }

  /** All presentations with their outcomes. Empty if the answer as a whole was refused before. */
  get judged(): readonly JudgedWithTransactions[] {
    return this.#judged
  }

  /** When all presentations were compared with the query. */
  get judgedAt(): Date | undefined {
    return this.#judgedAt
  }

  /** @param now the moment that times are compared with */
  begins(now: Date): void {
    this.#now = now
  }

  judges(judged: readonly JudgedWithTransactions[]): void {
    this.#judged = judged
    this.#judgedAt = this.#clock()
  }
}

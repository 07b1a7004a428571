/** Thrown when a check would cost more than it may. */
export class WorkExceededError extends Error {
  override readonly name = 'WorkExceededError'
}

/**
 * A purse of work. Whatever a stranger's schema, pattern or path can make expensive is paid for here before it is done, so
 * that the cost of a check has a bound that no input can move. A unit is some nanoseconds.
 */
export class Work {
  #left = 0

  /** Fills the purse for one check. */
  allow(units: number): void {
    this.#left = units
  }

  /** What is left in the purse. */
  get left(): number {
    return Math.max(this.#left, 0)
  }

  /** @throws WorkExceededError when there is not enough left */
  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw new WorkExceededError('Too much work.')
  }
}

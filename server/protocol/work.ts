/** Thrown when a check would cost more than the rest of a budget. */
export class WorkExceededError extends Error {
  override readonly name = 'WorkExceededError'
}

/**
 * A budget of work. Schemas, patterns, paths and documents that strangers send can be expensive to process. Each step
 * spends units of the budget before it runs, so that no input can exceed the limit of the total work. A unit is about
 * 20 nanoseconds.
 */
export class Work {
  #left: number
  readonly #whole: Work | undefined

  constructor(units: number, whole?: Work) {
    this.#left = units
    this.#whole = whole
  }

  /** The remaining units. */
  get left(): number {
    return Math.max(this.#left, 0)
  }

  /** @throws WorkExceededError if the remaining units are not enough. */
  spend(units: number): void {
    this.#whole?.spend(units)
    this.#left -= units
    if (this.#left < 0) throw new WorkExceededError('Too much work.')
  }

  /**
   * Returns a budget for one task that is limited to a part of this budget. Units that the task spends are also
   * subtracted from this budget.
   */
  part(units: number): Work {
    return new Work(Math.min(units, this.left), this)
  }
}

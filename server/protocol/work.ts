/** Thrown when a check would cost more than the rest of a budget. */
export class WorkExceededError extends Error {
  override readonly name = 'WorkExceededError'
}

/**
 * A budget of work. Schemas, patterns, paths and documents of strangers can be expensive. Each step spends units of the
 * budget before it runs, so that no input can exceed the limit of the total work. A unit is about 20 nanoseconds.
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

  /** Takes a part of this budget as the limit of one task. Units that the task spends are spent here too. */
  part(units: number): Work {
    return new Work(Math.min(units, this.left), this)
  }
}

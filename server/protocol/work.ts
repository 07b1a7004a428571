/** Thrown when a check would cost more than is left of a budget. */
export class WorkExceededError extends Error {
  override readonly name = 'WorkExceededError'
}

/**
 * A budget of work. Whatever a stranger's schema, pattern, path or document can make expensive is paid for here before it
 * is done, so that all of it together has a bound that no input can move. A unit is about 20 nanoseconds.
 */
export class Work {
  #left: number
  readonly #whole: Work | undefined

  constructor(units: number, whole?: Work) {
    this.#left = units
    this.#whole = whole
  }

  /** Units that are left. */
  get left(): number {
    return Math.max(this.#left, 0)
  }

  /** @throws WorkExceededError when there are not enough left. */
  spend(units: number): void {
    this.#whole?.spend(units)
    this.#left -= units
    if (this.#left < 0) throw new WorkExceededError('Too much work.')
  }

  /** A part of this budget, for what may not use all of it: what is spent there is spent here. */
  part(units: number): Work {
    return new Work(Math.min(units, this.left), this)
  }
}

import type { Work } from '../work.js'

const UNITS_OF_A_KEY = 5

/**
 * The members and elements of one value that keywords have evaluated (JSON Schema Core 2020-12 §11).
 * `unevaluatedProperties` and `unevaluatedItems` do not apply to them.
 */
export class Evaluated {
  readonly #work: Work
  readonly #keys = new Set<string | number>()
  /** Whether all members and all elements are evaluated. */
  #all = false

  /** @param work the budget for the records */
  constructor(work: Work) {
    this.#work = work
  }

  has(key: string | number): boolean {
    return this.#all || this.#keys.has(key)
  }

  add(key: string | number): void {
    this.#work.spend(UNITS_OF_A_KEY)
    this.#keys.add(key)
  }

  addAll(): void {
    this.#all = true
  }

  /** Adds the records of a schema that the value satisfies. */
  addFrom(other: Evaluated): void {
    if (other.#all) this.#all = true
    for (const key of other.#keys) this.add(key)
  }
}

import type { Work } from '../work.js'

const UNITS_OF_A_KEY = 5

/**
 * The members and elements of one value that keywords have looked at (JSON Schema Core 2020-12 §11): what
 * `unevaluatedProperties` and `unevaluatedItems` leave alone.
 */
export class Evaluated {
  readonly #work: Work
  readonly #keys = new Set<string | number>()
  /** Whether all members are, and all elements. */
  #all = false

  /** @param work pays for what is taken down */
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

  /** Adds what was looked at by a schema that the value satisfies. */
  addFrom(other: Evaluated): void {
    if (other.#all) this.#all = true
    for (const key of other.#keys) this.add(key)
  }
}

interface Entry<Value> {
  readonly value: Value
  readonly weight: number
}

/** A map that removes the least recently used entries when there are too many, or their total weight is too large. */
export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Entry<Value>>()
  #weight = 0

  /** @param maxWeight limit of the sum of all weights; no limit by default */
  constructor(
    readonly maxEntries: number,
    readonly maxWeight = Number.POSITIVE_INFINITY,
  ) {}

  /** How many entries there are. */
  get size(): number {
    return this.#entries.size
  }

  /** The sum of the weights of all entries. */
  get weight(): number {
    return this.#weight
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    // A Map keeps insertion order: inserting the entry again makes it the youngest.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** @param weight share of the entry in `maxWeight`; an entry heavier than `maxWeight` is not stored. */
  set(key: Key, value: Value, weight = 0): void {
    this.delete(key)
    if (weight > this.maxWeight) return
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.maxEntries && this.#weight <= this.maxWeight) return
      this.delete(oldest)
    }
  }

  delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }

  /** All values, the least recently used first. */
  values(): Value[] {
    return [...this.#entries.values()].map(({ value }) => value)
  }

  /** Removes every entry whose value passes the test. */
  deleteWhere(test: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#entries) if (test(value)) this.delete(key)
  }
}

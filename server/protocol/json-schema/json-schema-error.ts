/**
 * Thrown if a JSON Schema is not accepted. `place` is the dotted path of the faulty part, empty for the root of the
 * schema. `reason` completes the sentence that begins with the path. `message` is path and reason together.
 */
export class JsonSchemaError extends Error {
  override readonly name = 'JsonSchemaError'

  constructor(
    readonly place: string,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(place === '' ? reason : `${place} ${reason}`, options)
  }
}

/** One violation of a schema by a value. */
export interface Violation {
  /** Dotted path in the value, empty for its root. */
  readonly path: string
  /** Completes the sentence that begins with the path ("must be >= 18"). Names keywords and members, never a value. */
  readonly message: string
  /** The keyword that failed, `false` for a boolean schema, `bounds` if the value is too large to be checked. */
  readonly keyword: string
}

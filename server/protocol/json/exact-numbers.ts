/**
 * The dotted paths of numbers in a value that JSON does not carry from one party to the next as they are: integers beyond ±(2^53 − 1),
 * which readers round to another one (RFC 8259 §6, RFC 7493 §2.2), as reading this one may have done, and numbers that are not finite,
 * which `1e400` is read as.
 *
 * @param value JSON that nests within bounds
 */
export function* inexactNumbers(value: unknown, path: readonly (string | number)[] = []): Generator<string> {
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) yield path.join('.')
    return
  }
  if (typeof value !== 'object' || value === null) return
  const members = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, member] of members) yield* inexactNumbers(member, [...path, key])
}

/** What is wrong with such a number, to be read after its path. */
export const INEXACT = 'must be an integer up to 9007199254740991, or a text'

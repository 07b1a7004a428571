/**
 * Returns the paths of all numbers that JSON readers change, within a value. Readers round integers beyond ±(2^53 − 1)
 * (RFC 8259 §6, RFC 7493 §2.2), and read `1e400` as infinite.
 *
 * @param value JSON whose depth is within the limits
 */
export function* inexactNumbers(
  value: unknown,
  path: readonly (string | number)[] = [],
): Generator<readonly (string | number)[]> {
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) yield path
    return
  }
  if (typeof value !== 'object' || value === null) return
  const members = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, member] of members) yield* inexactNumbers(member, [...path, key])
}

/** The fault of a number that readers change; completes the sentence that begins with the number's path. */
export const INEXACT = 'must be an integer up to 9007199254740991, or a text'

/** A JSON object as it came off the wire: nothing about its members is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What is no object has no members. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

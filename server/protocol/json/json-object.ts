/** A JSON object from outside: its members are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is an object, and not null or an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value, or an object without members if the value is no object. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

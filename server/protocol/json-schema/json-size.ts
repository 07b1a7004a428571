/**
 * Limits on a JSON value. `depth` counts nested objects and arrays, the outermost included; `nodes` counts every value
 * in it.
 */
export interface JsonBounds {
  readonly depth: number
  readonly nodes: number
}

/** Thrown for a value that is no JSON value or exceeds the limits. `path` is the dotted path of the place. */
export class JsonBoundsError extends Error {
  override readonly name = 'JsonBoundsError'

  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${path} ${reason}`)
  }
}

/**
 * Walks a JSON value and returns the number of values in it, itself included.
 *
 * @throws JsonBoundsError if the value exceeds the limits or holds a value that JSON cannot express
 */
export function measureJson(value: unknown, bounds: JsonBounds): number {
  let nodes = 0
  const path: (string | number)[] = []

  const measure = (part: unknown, depth: number): void => {
    nodes += 1
    if (nodes > bounds.nodes) throw new JsonBoundsError('', `must not hold more than ${bounds.nodes} values`)
    if (part === null || typeof part === 'string' || typeof part === 'boolean' || Number.isFinite(part)) return
    if (!isContainer(part)) throw new JsonBoundsError(path.join('.'), 'must be a JSON value')
    if (depth > bounds.depth) throw new JsonBoundsError('', `must not be nested deeper than ${bounds.depth} levels`)
    const members = Array.isArray(part) ? part.entries() : Object.entries(part)
    for (const [key, member] of members) {
      path.push(key)
      measure(member, depth + 1)
      path.pop()
    }
  }

  measure(value, 1)
  return nodes
}

function isContainer(value: unknown): value is object {
  if (Array.isArray(value)) return true
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

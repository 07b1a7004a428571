/** Limits on a JSON value. `depth` counts nested objects and arrays, the outermost included; `nodes` every value in it. */
export interface JsonBounds {
  readonly depth: number
  readonly nodes: number
}

/** A value that is no JSON value or exceeds its bounds. `path` is the dotted path of the place. */
export class JsonBoundsError extends Error {
  override readonly name = 'JsonBoundsError'

  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(`${path} ${reason}`)
  }
}

/** Characters of a string that cost as much to look at as one node. */
const CHARACTERS_PER_NODE = 32

/**
 * Walks a JSON value and returns its size: one for every value in it, and one more for every 32 characters of a string.
 * Enters the size of each object and array in `sizes`, where that is given.
 *
 * @throws JsonBoundsError when the value exceeds the bounds or holds anything that JSON cannot
 */
export function measureJson(value: unknown, bounds: JsonBounds, sizes?: Map<object, number>): number {
  let nodes = 0
  const path: (string | number)[] = []

  const measure = (part: unknown, depth: number): number => {
    nodes += 1
    if (nodes > bounds.nodes) throw new JsonBoundsError('', `must not hold more than ${bounds.nodes} values`)
    if (typeof part === 'string') return 1 + Math.floor(part.length / CHARACTERS_PER_NODE)
    if (part === null || typeof part === 'boolean' || Number.isFinite(part)) return 1
    if (!isContainer(part)) throw new JsonBoundsError(path.join('.'), 'must be a JSON value')
    if (depth > bounds.depth) throw new JsonBoundsError('', `must not be nested deeper than ${bounds.depth} levels`)
    const size = sumOfMembers(part, depth)
    sizes?.set(part, size)
    return size
  }

  const sumOfMembers = (container: object, depth: number): number => {
    let size = 1
    const members = Array.isArray(container) ? container.entries() : Object.entries(container)
    for (const [key, member] of members) {
      path.push(key)
      size += measure(member, depth + 1)
      path.pop()
    }
    return size
  }

  return measure(value, 1)
}

function isContainer(value: unknown): value is object {
  if (Array.isArray(value)) return true
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** A text that two JSON values share when, and only when, they are equal: members of objects in one order. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** A single value of a claim, with its path. */
export interface Leaf {
  readonly path: readonly string[]
  readonly value: string
}

/** The maximum number of levels, and the maximum number of values, that a card shows. */
const MAX_DEPTH = 8
export const MAX_LEAVES = 200

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

function textOf(value: unknown): string {
  if (Array.isArray(value) && !value.some(isNested)) return value.map(String).join(', ')
  return isNested(value) ? JSON.stringify(value) : String(value)
}

/** Returns the single values inside claims, in their order. An array of plain values counts as one value. */
export function leavesOf(claims: unknown): Leaf[] {
  const leaves: Leaf[] = []
  const walk = (value: unknown, path: readonly string[]) => {
    if (leaves.length === MAX_LEAVES) return
    const isPlain = !isNested(value) || (Array.isArray(value) && !value.some(isNested))
    if (isPlain || path.length === MAX_DEPTH) leaves.push({ path, value: textOf(value) })
    else for (const [name, member] of Object.entries(value)) walk(member, [...path, name])
  }
  if (isNested(claims)) for (const [name, member] of Object.entries(claims)) walk(member, [name])
  return leaves
}

import type { Work } from '../work.js'

const UNITS_OF_A_MEMBER = 35
const CHARACTERS_PER_UNIT = 16

/**
 * Whether two JSON values are equal (JSON Schema Core §4.2.2). The order of members does not matter. Members named like
 * methods of an object are ordinary members.
 *
 * @param work the budget for reading values
 */
export function isEqual(left: unknown, right: unknown, work: Work): boolean {
  work.spend(1)
  if (typeof left === 'string' && typeof right === 'string') {
    if (left.length !== right.length) return false
    work.spend(left.length / CHARACTERS_PER_UNIT)
    return left === right
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const names = Object.keys(left)
  work.spend(names.length)
  if (names.length !== Object.keys(right).length) return false
  return names.every((name) => Object.hasOwn(right, name) && isEqual(memberOf(left, name), memberOf(right, name), work))
}

function memberOf(holder: object, name: string): unknown {
  return (holder as Readonly<Record<string, unknown>>)[name]
}

/**
 * Writes a JSON value as text. Two values have the same text if and only if they are equal, because the members of
 * objects are sorted by name.
 */
export function canonicalJson(value: unknown, work: Work): string {
  work.spend(UNITS_OF_A_MEMBER + (typeof value === 'string' ? value.length / CHARACTERS_PER_UNIT : 0))
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, work)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, work)}`).join(',')}}`
}

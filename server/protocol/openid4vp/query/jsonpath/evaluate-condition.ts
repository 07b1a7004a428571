import { type Work, WorkExceededError } from '../../../work.js'
import type { Comparable, ComparisonOperator, Condition, PatternCall, Segment } from './ast.js'

/** RFC 9535 §2.3.5.2: the result of a singular query without a match, and of a function without a value. */
const NOTHING = Symbol('Nothing')

/** Maximum depth of compared structures. */
const MAX_DEPTH = 256

/** Cost of a step and of a member, and the number of characters that cost one unit. */
const UNITS_OF_A_STEP = 5
const UNITS_OF_A_MEMBER = 15
const CHARACTERS_PER_UNIT = 8

/** The nodes that a query within a filter finds. */
type Select = (segments: readonly Segment[], from: '$' | '@') => readonly unknown[]

/**
 * Whether a node satisfies a filter's condition (RFC 9535 §2.3.5.2).
 *
 * @throws WorkExceededError
 */
export function holds(condition: Condition, select: Select, work: Work): boolean {
  work.spend(UNITS_OF_A_STEP)
  switch (condition.kind) {
    case 'or':
      return condition.operands.some((operand) => holds(operand, select, work))
    case 'and':
      return condition.operands.every((operand) => holds(operand, select, work))
    case 'not':
      return !holds(condition.operand, select, work)
    case 'exists':
      return select(condition.query.segments, condition.query.from).length > 0
    case 'comparison': {
      const left = valueOfComparable(condition.left, select, work)
      return compare(left, condition.operator, valueOfComparable(condition.right, select, work), work)
    }
    case 'match':
    case 'search':
      return matches(condition, select, work)
  }
}

function matches({ subject, pattern }: PatternCall, select: Select, work: Work): boolean {
  const value = valueOfComparable(subject, select, work)
  if (typeof value !== 'string' || pattern === undefined) return false
  return pattern.test(value, work)
}

function valueOfComparable(comparable: Comparable, select: Select, work: Work): unknown {
  switch (comparable.kind) {
    case 'literal':
      return comparable.value
    case 'query':
      return only(select(comparable.segments, comparable.from))
    case 'count':
      return select(comparable.argument.segments, comparable.argument.from).length
    case 'value':
      return only(select(comparable.argument.segments, comparable.argument.from))
    case 'length':
      return lengthOf(valueOfComparable(comparable.argument, select, work), work)
  }
}

function only(nodes: readonly unknown[]): unknown {
  return nodes.length === 1 ? nodes[0] : NOTHING
}

/** §2.4.4: Unicode scalar values of a string, elements of an array, members of an object. */
function lengthOf(value: unknown, work: Work): unknown {
  if (typeof value === 'string') {
    work.spend(value.length)
    return [...value].length
  }
  if (typeof value !== 'object' || value === null) return NOTHING
  const members = Object.values(value)
  work.spend(members.length * UNITS_OF_A_MEMBER)
  return members.filter((member) => member !== undefined).length
}

/** §2.3.5.2.2 */
function compare(left: unknown, operator: ComparisonOperator, right: unknown, work: Work): boolean {
  switch (operator) {
    case '==':
      return equal(left, right, work)
    case '!=':
      return !equal(left, right, work)
    case '<':
      return less(left, right, work)
    case '>':
      return less(right, left, work)
    case '<=':
      return less(left, right, work) || equal(left, right, work)
    case '>=':
      return less(right, left, work) || equal(left, right, work)
  }
}

function equal(left: unknown, right: unknown, work: Work, depth = 0): boolean {
  work.spend(UNITS_OF_A_STEP)
  if (depth > MAX_DEPTH) throw new WorkExceededError('The document is too deep.')
  if (typeof left === 'string' && typeof right === 'string') {
    work.spend(Math.min(left.length, right.length) / CHARACTERS_PER_UNIT)
    return left === right
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const entries = Object.entries(left)
  work.spend(entries.length)
  if (entries.length !== Object.keys(right).length) return false
  return entries.every(
    ([name, member]) =>
      Object.hasOwn(right, name) && equal(member, (right as Record<string, unknown>)[name], work, depth + 1),
  )
}

/**
 * Compares numbers and strings only. Strings are compared by their Unicode scalar values, because the UTF-16 code units
 * of JavaScript give a different order.
 */
function less(left: unknown, right: unknown, work: Work): boolean {
  work.spend(UNITS_OF_A_STEP)
  if (typeof left === 'number' && typeof right === 'number') return left < right
  if (typeof left !== 'string' || typeof right !== 'string') return false
  work.spend((left.length + right.length) / 2)
  return Buffer.compare(Buffer.from(left), Buffer.from(right)) < 0
}

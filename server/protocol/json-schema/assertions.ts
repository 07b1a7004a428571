import { isObject } from '../json/json-object.js'
import type { Check } from './check.js'
import { canonicalJson, isEqual } from './equality.js'
import { formatCheck } from './formats.js'
import type { LinearRegExp } from './linear-regexp.js'

/** The patterns of a schema, compiled. */
export type Patterns = ReadonlyMap<string, LinearRegExp>

/** Makes the check of a keyword from the keyword's value. */
export type Assertion = (expected: unknown, patterns: Patterns) => Check

const CHARACTERS_PER_UNIT = 3

/** Keywords that apply to numbers (JSON Schema Validation §6.2). */
export const numberAssertions: Readonly<Record<string, Assertion>> = {
  maximum: ofNumber('maximum', (value, limit) => value <= limit, 'must be <='),
  minimum: ofNumber('minimum', (value, limit) => value >= limit, 'must be >='),
  exclusiveMaximum: ofNumber('exclusiveMaximum', (value, limit) => value < limit, 'must be <'),
  exclusiveMinimum: ofNumber('exclusiveMinimum', (value, limit) => value > limit, 'must be >'),
  multipleOf: ofNumber('multipleOf', isMultiple, 'must be multiple of'),
}

/** Keywords that apply to strings (§6.3, §7). */
export const stringAssertions: Readonly<Record<string, Assertion>> = {
  maxLength: (expected) => {
    const limit = Number(expected)
    return (value, place, run) => {
      if (typeof value !== 'string' || value.length <= limit) return true
      run.work.spend(value.length / CHARACTERS_PER_UNIT)
      return codePoints(value) <= limit || run.fail(place, 'maxLength', `must NOT have more than ${limit} characters`)
    }
  },
  minLength: (expected) => {
    const limit = Number(expected)
    return (value, place, run) => {
      if (typeof value !== 'string' || value.length >= 2 * limit) return true
      run.work.spend(value.length / CHARACTERS_PER_UNIT)
      return codePoints(value) >= limit || run.fail(place, 'minLength', `must NOT have fewer than ${limit} characters`)
    }
  },
  pattern: (expected, patterns) => (value, place, run) =>
    typeof value !== 'string' ||
    patterns.get(String(expected))?.test(value, run.work) === true ||
    run.fail(place, 'pattern', `must match pattern "${expected}"`),
}

/** Keywords that apply to every value (§6.1). */
export const valueAssertions: Readonly<Record<string, Assertion>> = {
  format: (expected) => {
    const check = formatCheck(String(expected))
    return (value, place, run) => check(value, run.work) || run.fail(place, 'format', `must match format "${expected}"`)
  },
  const: (expected) => (value, place, run) =>
    isEqual(value, expected, run.work) || run.fail(place, 'const', 'must be equal to constant'),
  enum: (expected) => {
    const allowed = Array.isArray(expected) ? expected : []
    const plain = new Set(allowed.filter((item) => !isContainer(item)))
    const containers = allowed.filter(isContainer)
    return (value, place, run) =>
      (isContainer(value) ? containers.some((item) => isEqual(value, item, run.work)) : plain.has(value)) ||
      run.fail(place, 'enum', 'must be equal to one of the allowed values')
  },
}

/** Keywords that apply to arrays (§6.4). */
export const arrayAssertions: Readonly<Record<string, Assertion>> = {
  maxItems: (expected) => (value, place, run) =>
    !Array.isArray(value) ||
    value.length <= Number(expected) ||
    run.fail(place, 'maxItems', `must NOT have more than ${expected} items`),
  minItems: (expected) => (value, place, run) =>
    !Array.isArray(value) ||
    value.length >= Number(expected) ||
    run.fail(place, 'minItems', `must NOT have fewer than ${expected} items`),
  uniqueItems: (expected) => (value, place, run) =>
    expected !== true ||
    !Array.isArray(value) ||
    new Set(value.map((item) => canonicalJson(item, run.work))).size === value.length ||
    run.fail(place, 'uniqueItems', 'must not have duplicate items'),
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: isObject,
}

/** `type` (§6.1.1). */
export const typeAssertion: Assertion = (expected) => {
  const names = [expected].flat().map(String)
  const tests = names.flatMap((name) => TYPES[name] ?? [])
  return (value, place, run) =>
    tests.some((test) => test(value)) || run.fail(place, 'type', `must be ${names.join(',')}`)
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function ofNumber(keyword: string, holds: (value: number, limit: number) => boolean, words: string): Assertion {
  return (expected) => {
    const limit = Number(expected)
    return (value, place, run) =>
      typeof value !== 'number' || holds(value, limit) || run.fail(place, keyword, `${words} ${limit}`)
  }
}

/** §6.2.1. Rounding of binary fractions does not count: 19.99 is a multiple of 0.01. */
function isMultiple(value: number, divisor: number): boolean {
  const quotient = value / divisor
  return Math.abs(Math.round(quotient) - quotient) <= 1e-9
}

/** §6.3.1: the length of a string is the number of its characters (RFC 8259). */
function codePoints(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const low = text.charCodeAt(at) & 0xfc00
    const pair = low === 0xdc00 && at > 0 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
    if (!pair) count += 1
  }
  return count
}

import { isObject, type JsonObject } from '../json/json-object.js'
import type { Patterns } from './assertions.js'
import { type Check, type CheckOf, every, type Place, UNITS_OF_A_NAME } from './check.js'

/** Makes the check of a keyword, from the schema that contains it. */
export type MemberApplicator = (schema: JsonObject, checkOf: CheckOf, patterns: Patterns) => Check

/**
 * Keywords that apply to the members of an object (JSON Schema Core 2020-12 §10.3.2; Validation §6.5), in the order in
 * which violations are reported.
 */
export const objectApplicators: Readonly<Record<string, MemberApplicator>> = {
  maxProperties: ({ maxProperties }) =>
    sizeCheck(
      'maxProperties',
      (size) => size <= Number(maxProperties),
      `must NOT have more than ${maxProperties} properties`,
    ),
  minProperties: ({ minProperties }) =>
    sizeCheck(
      'minProperties',
      (size) => size >= Number(minProperties),
      `must NOT have fewer than ${minProperties} properties`,
    ),
  required: ({ required }) => {
    const names = Array.isArray(required) ? required.map(String) : []
    return (value, place, run) => {
      if (!isObject(value)) return true
      run.work.spend(names.length * UNITS_OF_A_NAME)
      return every(
        names,
        run,
        (name) => Object.hasOwn(value, name) || run.fail(under(place, name), 'required', 'must be present'),
      )
    }
  },
  propertyNames: ({ propertyNames }, checkOf) => {
    const check = checkOf(propertyNames)
    return (value, place, run) =>
      !isObject(value) ||
      every(
        run.namesOf(value),
        run,
        (name) => check(name, place, run, undefined) || run.fail(place, 'propertyNames', 'property name must be valid'),
      )
  },
  additionalProperties: ({ additionalProperties, properties, patternProperties }, checkOf, patterns) => {
    const check = additionalProperties === false ? undefined : checkOf(additionalProperties)
    const declared = new Set(namesIn(properties))
    const matching = namesIn(patternProperties).flatMap((pattern) => patterns.get(pattern) ?? [])
    return (value, place, run, seen) => {
      if (!isObject(value)) return true
      return every(run.namesOf(value), run, (name) => {
        if (declared.has(name) || matching.some((pattern) => pattern.test(name, run.work))) return true
        seen?.add(name)
        if (check === undefined) return run.fail(under(place, name), 'additionalProperties', 'is not allowed')
        return check(value[name], under(place, name), run, undefined)
      })
    }
  },
  properties: ({ properties }, checkOf) => {
    const members = Object.entries(isObject(properties) ? properties : {}).map(
      ([name, schema]) => [name, checkOf(schema)] as const,
    )
    return (value, place, run, seen) => {
      if (!isObject(value)) return true
      run.work.spend(members.length * UNITS_OF_A_NAME)
      return every(members, run, ([name, check]) => {
        if (!Object.hasOwn(value, name)) return true
        seen?.add(name)
        return check(value[name], under(place, name), run, undefined)
      })
    }
  },
  patternProperties: ({ patternProperties }, checkOf, patterns) => {
    const members = Object.entries(isObject(patternProperties) ? patternProperties : {}).map(
      ([pattern, schema]) => [patterns.get(pattern), checkOf(schema)] as const,
    )
    return (value, place, run, seen) => {
      if (!isObject(value)) return true
      const names = run.namesOf(value)
      return every(members, run, ([pattern, check]) =>
        every(names, run, (name) => {
          if (pattern?.test(name, run.work) !== true) return true
          seen?.add(name)
          return check(value[name], under(place, name), run, undefined)
        }),
      )
    }
  },
}

/** Keywords that apply to the elements of an array (§10.3.1), in draft-07 and in 2020-12. */
export const arrayApplicators: Readonly<Record<'draft-07' | '2020-12', Readonly<Record<string, MemberApplicator>>>> = {
  'draft-07': {
    additionalItems: ({ items, additionalItems }, checkOf) =>
      // Draft-07 §6.4.2: `additionalItems` has no effect unless `items` is an array of schemas.
      Array.isArray(items) ? restCheck('additionalItems', additionalItems, items.length, checkOf) : () => true,
    items: ({ items }, checkOf) =>
      Array.isArray(items) ? tupleCheck(items, checkOf) : restCheck('items', items, 0, checkOf),
    contains: ({ contains }, checkOf) => containsCheck(checkOf(contains), 1, Number.POSITIVE_INFINITY),
  },
  '2020-12': {
    prefixItems: ({ prefixItems }, checkOf) => tupleCheck(Array.isArray(prefixItems) ? prefixItems : [], checkOf),
    items: ({ items, prefixItems }, checkOf) =>
      restCheck('items', items, Array.isArray(prefixItems) ? prefixItems.length : 0, checkOf),
    contains: ({ contains, minContains = 1, maxContains = Number.POSITIVE_INFINITY }, checkOf) =>
      containsCheck(checkOf(contains), Number(minContains), Number(maxContains)),
  },
}

/** Keywords that apply to members and elements that the other keywords have not evaluated (§11). They run last. */
export const unevaluatedApplicators: Readonly<Record<string, MemberApplicator>> = {
  unevaluatedItems: ({ unevaluatedItems }, checkOf) => {
    const check = checkOf(unevaluatedItems)
    return (value, place, run, seen) => {
      if (!Array.isArray(value)) return true
      run.work.spend(value.length)
      const valid = every(value, run, (item, index) => {
        if (seen?.has(index) === true) return true
        if (unevaluatedItems === false)
          return run.fail(place, 'unevaluatedItems', `must NOT have more than ${index} items`)
        return check(item, under(place, index), run, undefined)
      })
      seen?.addAll()
      return valid
    }
  },
  unevaluatedProperties: ({ unevaluatedProperties }, checkOf) => {
    const check = checkOf(unevaluatedProperties)
    return (value, place, run, seen) => {
      if (!isObject(value)) return true
      const valid = every(run.namesOf(value), run, (name) => {
        if (seen?.has(name) === true) return true
        if (unevaluatedProperties === false)
          return run.fail(under(place, name), 'unevaluatedProperties', 'is not allowed')
        return check(value[name], under(place, name), run, undefined)
      })
      seen?.addAll()
      return valid
    }
  },
}

function under(holder: Place, key: string | number): Place {
  return { holder, key }
}

function namesIn(members: unknown): string[] {
  return isObject(members) ? Object.keys(members) : []
}

function sizeCheck(keyword: string, holds: (size: number) => boolean, words: string): Check {
  return (value, place, run) => !isObject(value) || holds(run.namesOf(value).length) || run.fail(place, keyword, words)
}

/** Checks each of the first elements with its own schema. */
function tupleCheck(schemas: readonly unknown[], checkOf: CheckOf): Check {
  const checks = schemas.map(checkOf)
  return (value, place, run, seen) => {
    if (!Array.isArray(value)) return true
    return every(checks.slice(0, value.length), run, (check, index) => {
      seen?.add(index)
      return check(value[index], under(place, index), run, undefined)
    })
  }
}

/** Checks all elements from a position on with one schema. */
function restCheck(keyword: string, schema: unknown, from: number, checkOf: CheckOf): Check {
  const check = checkOf(schema)
  return (value, place, run, seen) => {
    if (!Array.isArray(value) || value.length <= from) return true
    if (schema === false && from > 0) return run.fail(place, keyword, `must NOT have more than ${from} items`)
    run.work.spend(value.length - from)
    return every(value.slice(from), run, (item, index) => {
      seen?.add(from + index)
      return check(item, under(place, from + index), run, undefined)
    })
  }
}

function containsCheck(check: Check, min: number, max: number): Check {
  const most = Number.isFinite(max) ? ` and no more than ${max}` : ''
  const words = `must contain at least ${min}${most} valid item(s)`
  return (value, place, run, seen) => {
    if (!Array.isArray(value)) return true
    const before = run.faults.length
    let count = 0
    for (const [index, item] of value.entries()) {
      if (!check(item, under(place, index), run, undefined)) continue
      count += 1
      seen?.add(index)
      if (count >= min && !Number.isFinite(max) && seen === undefined) break
    }
    if (count < min || count > max) return run.fail(place, 'contains', words)
    run.forget(before)
    return true
  }
}

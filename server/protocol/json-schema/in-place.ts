import { isObject, type JsonObject } from '../json/json-object.js'
import { type Check, type CheckOf, every, type Place, type Run, UNITS_OF_A_NAME } from './check.js'
import { Evaluated } from './evaluated.js'

/** Makes the check of a keyword, from the schema that contains it. */
export type Applicator = (schema: JsonObject, checkOf: CheckOf) => Check

/** Keywords that apply schemas to the value itself (JSON Schema Core 2020-12 §10.2). */
export const inPlaceApplicators: Readonly<Record<string, Applicator>> = {
  not: (schema, checkOf) => {
    const check = checkOf(schema.not)
    return (value, place, run) =>
      !isSatisfied(check, value, place, run, undefined) || run.fail(place, 'not', 'must NOT be valid')
  },
  anyOf: (schema, checkOf) => {
    const checks = listOf(schema.anyOf).map(checkOf)
    return (value, place, run, seen) => {
      const before = run.faults.length
      let valid = false
      for (const check of checks) {
        if (!isTaken(check, value, place, run, seen)) continue
        valid = true
        // If the caller asks for evaluated members, all branches that match count (§11.2).
        if (seen === undefined) break
      }
      if (!valid) return run.fail(place, 'anyOf', 'must match a schema in anyOf')
      run.forget(before)
      return true
    }
  },
  oneOf: (schema, checkOf) => {
    const checks = listOf(schema.oneOf).map(checkOf)
    return (value, place, run, seen) => {
      const before = run.faults.length
      let satisfied = 0
      for (const check of checks) {
        if (isTaken(check, value, place, run, seen)) satisfied += 1
        if (satisfied > 1) break
      }
      if (satisfied !== 1) return run.fail(place, 'oneOf', 'must match exactly one schema in oneOf')
      run.forget(before)
      return true
    }
  },
  allOf: (schema, checkOf) => {
    const checks = listOf(schema.allOf).map(checkOf)
    return (value, place, run, seen) => every(checks, run, (check) => check(value, place, run, seen))
  },
  if: (schema, checkOf) => {
    const condition = checkOf(schema.if)
    const [consequent, alternative] = (['then', 'else'] as const).map((name) =>
      Object.hasOwn(schema, name) ? checkOf(schema[name]) : undefined,
    )
    return (value, place, run, seen) => {
      const satisfied = isSatisfied(condition, value, place, run, seen)
      const check = satisfied ? consequent : alternative
      if (check === undefined || check(value, place, run, seen)) return true
      return run.fail(place, 'if', `must match "${satisfied ? 'then' : 'else'}" schema`)
    }
  },
  dependencies: (schema, checkOf) => dependenciesCheck('dependencies', schema.dependencies, checkOf),
}

/** Further keywords of 2020-12 that apply schemas to the value itself. */
export const inPlaceApplicatorsOf2020: Readonly<Record<string, Applicator>> = {
  dependentRequired: (schema, checkOf) => dependenciesCheck('dependentRequired', schema.dependentRequired, checkOf),
  dependentSchemas: (schema, checkOf) => dependenciesCheck('dependentSchemas', schema.dependentSchemas, checkOf),
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/**
 * Whether a value satisfies a schema. Adds the evaluated members and elements to `seen` only if the value satisfies the
 * schema. The violations stay in `run`.
 */
function isTaken(check: Check, value: unknown, place: Place, run: Run, seen: Evaluated | undefined): boolean {
  if (seen === undefined) return check(value, place, run, undefined)
  const own = new Evaluated(run.work)
  if (!check(value, place, run, own)) return false
  seen.addFrom(own)
  return true
}

/** Like `isTaken`, but removes the violations from `run` again. */
function isSatisfied(check: Check, value: unknown, place: Place, run: Run, seen: Evaluated | undefined): boolean {
  const before = run.faults.length
  const satisfied = isTaken(check, value, place, run, seen)
  run.forget(before)
  return satisfied
}

/** Checks what an object must satisfy if it has a certain member: it must have further members, or satisfy a schema. */
function dependenciesCheck(keyword: string, dependencies: unknown, checkOf: CheckOf): Check {
  const members = Object.entries(isObject(dependencies) ? dependencies : {})
  const checks = members.map(([name, dependency]) =>
    Array.isArray(dependency) ? requiredWith(keyword, name, dependency.map(String)) : checkOf(dependency),
  )
  return (value, place, run, seen) => {
    if (!isObject(value)) return true
    run.work.spend(members.length * UNITS_OF_A_NAME)
    return every(
      members,
      run,
      ([name], index) => !Object.hasOwn(value, name) || checks[index]?.(value, place, run, seen) !== false,
    )
  }
}

function requiredWith(keyword: string, name: string, others: readonly string[]): Check {
  const words = `must have ${others.length === 1 ? 'property' : 'properties'} ${others.join(', ')} when property ${name} is present`
  return (value, place, run) => {
    run.work.spend(others.length * UNITS_OF_A_NAME)
    const complete = isObject(value) && others.every((other) => Object.hasOwn(value, other))
    return complete || run.fail(place, keyword, words)
  }
}

import { shownName } from '../messages.js'
import type { Fault, Place } from './check.js'
import type { Violation } from './json-schema-error.js'

/** Converts violations to the form of the API: dotted paths, no values, no duplicates. */
export function violationsOf(faults: readonly Fault[], max: number): Violation[] {
  const violations = new Map<string, Violation>()
  for (const { place, keyword, message } of faults) {
    const path = pathOf(place)
    violations.set(`${path} ${message}`, { path, message, keyword })
    if (violations.size === max) break
  }
  return [...violations.values()]
}

/** The dotted path of a place, with long names shortened. */
export function pathOf(place: Place): string {
  const keys: string[] = []
  for (let at = place; at !== undefined; at = at.holder) keys.push(shownName(String(at.key)))
  return keys.reverse().join('.')
}

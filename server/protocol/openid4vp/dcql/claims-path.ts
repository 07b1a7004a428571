import { isObject } from '../../json/json-object.js'
import type { Work } from '../../work.js'
import type { ClaimsPath } from './claims-query.js'

/** Cost of reading a claim. */
export const UNITS_OF_A_STEP = 5

/**
 * The claims that a claims path pointer selects in a JSON-based credential (OpenID4VP 1.0 §7.1.1); empty if the
 * standard defines an error. An undefined array element, such as an undisclosed element of an SD-JWT, keeps its
 * position and is not selected.
 *
 * @param work the budget for reading claims
 * @throws WorkExceededError
 */
export function selectByClaimsPath(path: ClaimsPath, credential: unknown, work: Work): readonly unknown[] {
  let selected: readonly unknown[] = [credential]
  for (const component of path) {
    const next: unknown[] = []
    for (const element of selected) {
      work.spend(UNITS_OF_A_STEP)
      const found = typeof component === 'string' ? member(element, component) : elements(element, component)
      if (found === undefined) return []
      work.spend(found.length * UNITS_OF_A_STEP)
      for (const item of found) next.push(item)
    }
    selected = next
  }
  return selected
}

/** The member of an object. Undefined if the element is no object: processing is aborted. */
function member(element: unknown, name: string): readonly unknown[] | undefined {
  if (!isObject(element)) return undefined
  return Object.hasOwn(element, name) ? [element[name]] : []
}

/** The elements of an array. Undefined if the element is no array: processing is aborted. */
function elements(element: unknown, index: number | null): readonly unknown[] | undefined {
  if (!Array.isArray(element)) return undefined
  return (index === null ? element : [element[index]]).filter((item) => item !== undefined)
}

/** A path as it is written in error messages: `degrees.*.type`. */
export function textOfClaimsPath(path: ClaimsPath): string {
  return path.map((component) => component ?? '*').join('.')
}

import { isObject } from '../../credential.js'
import type { ClaimsPath } from './dcql-query.js'

/**
 * The claims that a claims path pointer selects in a JSON-based credential (OpenID4VP 1.0 §7.1.1), none where the standard has
 * an error.
 *
 * @param indicesShift whether elements may be missing from arrays, as from those of an SD-JWT that discloses some of them. An
 *   index then selects every element that is left, since it cannot be told which one it was.
 */
export function selectByClaimsPath(path: ClaimsPath, credential: unknown, indicesShift = false): readonly unknown[] {
  let selected: readonly unknown[] = [credential]
  for (const component of path) {
    const next: unknown[] = []
    for (const element of selected) {
      const found =
        typeof component === 'string' ? member(element, component) : elements(element, indicesShift ? null : component)
      if (found === undefined) return []
      next.push(...found)
    }
    selected = next
  }
  return selected
}

/** Undefined where the element is no object: processing is aborted. */
function member(element: unknown, name: string): readonly unknown[] | undefined {
  if (!isObject(element)) return undefined
  return Object.hasOwn(element, name) ? [element[name]] : []
}

/** Undefined where the element is no array: processing is aborted. */
function elements(element: unknown, index: number | null): readonly unknown[] | undefined {
  if (!Array.isArray(element)) return undefined
  if (index === null) return element
  return index < element.length ? [element[index]] : []
}

/** A path as a sentence may name it: `degrees.*.type`. */
export function textOfClaimsPath(path: ClaimsPath): string {
  return path.map((component) => component ?? '*').join('.')
}

import { pointerKeys, pointerTo } from '../../../../server/protocol/json/json-pointer.js'
import { EACH, type SchemaPlace } from '../../../../server/protocol/json-schema/applicable.js'
import { type ClaimPath, pathKey } from '../../../../server/protocol/json-schema/declared-claims.js'

export { type ClaimPath, pathKey }

/** Stands for every element of a list in a path with dots. */
export const EACH_ELEMENT = EACH

/** A path as `selectivelyDisclosable` has it. */
export const dotted = (path: ClaimPath): string => path.map((step) => step ?? EACH_ELEMENT).join('.')

/**
 * Reads a path of `selectivelyDisclosable`.
 *
 * @param names the names at the top level of the subject, since such a name may contain dots
 */
export const pathOfDotted = (text: string, names: ReadonlySet<string>): ClaimPath =>
  names.has(text) ? [text] : text.split('.').map((step) => (step === EACH_ELEMENT ? null : step))

/** The path that a JSON Pointer names. */
export const pathOfPointer = (pointer: string): ClaimPath => pointerKeys(pointer) ?? [pointer]

/** The JSON Pointer to a claim. It has no form for every element of a list. */
export const pointerOf = (path: ClaimPath): string => pointerTo(path.map((step) => step ?? EACH_ELEMENT))

/** Whether a path begins with another path. */
export const beginsWith = (path: ClaimPath, above: ClaimPath): boolean =>
  above.length <= path.length && above.every((step, at) => step === path[at])

const INDEX = /^(?:0|[1-9]\d{0,5})$/

/** Whether a schema names no member of an object, or describes no element of a list. */
const isOpen = (place: SchemaPlace): boolean =>
  place.names.length === 0 &&
  place
    .said('type')
    .flat()
    .some((type) => type === 'object' || type === 'array')

/** Whether a claim may exist at a path: the schema declares the claim, or leaves open what is there. */
export function mayHold(place: SchemaPlace, [step, ...further]: ClaimPath): boolean {
  if (!place.isDeclared) return false
  if (step === undefined) return true
  const next = step === null ? place.item(EACH) : place.member(step)
  if (mayHold(next, further)) return true
  if (step !== null && INDEX.test(step) && mayHold(place.item(Number(step)), further)) return true
  return isOpen(place) && !next.isDeclared
}

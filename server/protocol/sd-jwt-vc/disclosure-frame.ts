import { CredentialError } from '../credential/verification.js'
import { isObject, type JsonObject } from '../json/json-object.js'
import { NEVER_DISCLOSED } from './registered-claims.js'

/** Input of @sd-jwt/core's `pack` for one object or array: the concealed members, and the frames of members inside. */
export interface DisclosureFrame {
  _sd?: (string | number)[]
  [member: string]: DisclosureFrame | (string | number)[] | undefined
}

/**
 * The claims of a credential that can be disclosed selectively: all claims at the top level, or the claims at the
 * listed paths. A path names a member on each level, joined by dots: `address`, `address.street`; for an array, a
 * position, or `*` for every element. The name of a top-level claim may contain dots. Paths without a claim are
 * ignored, since a list belongs to a type whose claims may be optional.
 */
export type SelectivelyDisclosable = 'all' | readonly string[]

interface Selection {
  concealed: boolean
  readonly members: Map<string, Selection>
}

/**
 * Makes the frame for `pack` that conceals the selected claims.
 *
 * @throws CredentialError for a path to a claim that must not be selectively disclosable (SD-JWT VC, "Registered JWT Claims").
 */
export function disclosureFrame(claims: JsonObject, selected: SelectivelyDisclosable): DisclosureFrame | undefined {
  const root: Selection = { concealed: false, members: new Map() }
  for (const path of selected === 'all' ? Object.keys(claims) : selected) {
    const steps = Object.hasOwn(claims, path) ? [path] : path.split('.')
    const [first] = steps
    if (first !== undefined && NEVER_DISCLOSED.has(first)) {
      throw new CredentialError(`Claim ${first} must not be selectively disclosable.`)
    }
    select(root, steps)
  }
  return frameOf(claims, root)
}

function select(root: Selection, steps: readonly string[]): void {
  let selection = root
  for (const step of steps) {
    const next = selection.members.get(step) ?? { concealed: false, members: new Map() }
    selection.members.set(step, next)
    selection = next
  }
  selection.concealed = true
}

function frameOf(value: unknown, selection: Selection): DisclosureFrame | undefined {
  if (selection.members.size === 0) return undefined
  if (Array.isArray(value)) return arrayFrame(value, selection)
  return isObject(value) ? objectFrame(value, selection) : undefined
}

function objectFrame(value: JsonObject, { members }: Selection): DisclosureFrame {
  const frame: DisclosureFrame = { _sd: [] }
  const concealed: string[] = []
  for (const [name, member] of Object.entries(value)) {
    const selection = members.get(name)
    if (selection?.concealed) concealed.push(name)
    // The name is set even if nothing is concealed. Otherwise, for a claim named like a member of Object.prototype
    // (`constructor`), `pack` would find this member and sign it.
    frame[name] = selection === undefined ? undefined : frameOf(member, selection)
  }
  frame._sd = concealed
  return frame
}

function arrayFrame(value: readonly unknown[], { members }: Selection): DisclosureFrame {
  const frame: DisclosureFrame = {}
  const concealed: number[] = []
  for (const [position, item] of value.entries()) {
    for (const selection of [members.get(String(position)), members.get('*')]) {
      if (selection === undefined) continue
      if (selection.concealed && !concealed.includes(position)) concealed.push(position)
      const inner = frameOf(item, selection)
      if (inner !== undefined) frame[position] = inner
    }
  }
  frame._sd = concealed
  return frame
}

import {
  type PresentationDefinition,
  refusedDefinition,
  type SubmissionRequirement,
} from './presentation-definition.js'

/** Limit for the alternatives of one requirement, and for the steps of the search for alternatives. */
const MAX_ALTERNATIVES = 64

/** Ids of credential queries that are answered together. */
export type Option = readonly string[]

/** A set of alternatives, one of which must be answered (OpenID4VP 1.0 §6.2). */
export interface RequiredSet {
  readonly options: readonly Option[]
  readonly required: boolean
}

/**
 * The input descriptors of a definition that must be answered (DIF Presentation Exchange 2 §4.3, §7): all descriptors,
 * or the descriptors that the submission requirements select.
 *
 * @param optionsOf the credential queries for an input descriptor, by its id, the preferred query first; empty if there
 *   is no query for the descriptor
 * @throws RefusedRequest for requirements that contradict each other, or have too many alternatives.
 */
export function requiredSets(
  { input_descriptors: descriptors, submission_requirements: requirements }: PresentationDefinition,
  optionsOf: (descriptorId: string) => readonly Option[],
): readonly RequiredSet[] {
  if (requirements === undefined) return descriptors.map(({ id }) => ({ options: optionsOf(id), required: true }))
  const members = (requirement: SubmissionRequirement): readonly (readonly Option[])[] => {
    const { from, from_nested: nested } = requirement
    if ((from === undefined) === (nested === undefined)) {
      throw refusedDefinition('has a submission requirement without exactly one of from and from_nested')
    }
    if (nested !== undefined) return nested.map((each) => alternatives(each))
    const group = descriptors.filter((descriptor) => descriptor.group?.includes(from ?? ''))
    if (group.length === 0) throw refusedDefinition('has a submission requirement of a group without descriptors')
    return group.map(({ id }) => optionsOf(id))
  }
  const alternatives = (requirement: SubmissionRequirement): readonly Option[] => {
    const all = members(requirement)
    return picked(all, countOf(requirement, all.length))
  }
  return requirements.map((requirement) => {
    const all = members(requirement)
    const count = countOf(requirement, all.length)
    // An optional requirement: one of its descriptors may be answered.
    return count === 0 ? { options: all.flat(), required: false } : { options: picked(all, count), required: true }
  })
}

/** §7: the number of descriptors to answer. For a range it is the minimum, so that nothing unnecessary is shown. */
function countOf({ rule, count, min, max }: SubmissionRequirement, size: number): number {
  if (rule === 'all') return size
  const wanted = count ?? min ?? (max === undefined ? 1 : 0)
  if (wanted > size || (max !== undefined && wanted > max)) {
    throw refusedDefinition('has a submission requirement that no answer can satisfy')
  }
  return wanted
}

/** Every way to choose this number of members, with one alternative of each chosen member. */
function picked(members: readonly (readonly Option[])[], count: number): readonly Option[] {
  // Indexed by the number of members chosen so far.
  let found: readonly (readonly Option[])[] = [[[]], ...Array.from({ length: count }, () => [])]
  for (const alternatives of members) {
    found = found.map((options, taken) => [
      ...options,
      ...(found[taken - 1] ?? []).flatMap((option) => alternatives.map((more) => [...option, ...more])),
    ])
    if (found.some(({ length }) => length > MAX_ALTERNATIVES)) {
      throw refusedDefinition('has submission requirements with too many alternatives')
    }
  }
  return found[count] ?? []
}

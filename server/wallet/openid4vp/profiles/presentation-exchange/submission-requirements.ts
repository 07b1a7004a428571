import {
  type PresentationDefinition,
  refusedDefinition,
  type SubmissionRequirement,
} from './presentation-definition.js'

/** Alternatives of one requirement, and steps to find them. */
const MAX_ALTERNATIVES = 64

/** Ids of credential queries that answer together. */
export type Option = readonly string[]

/** What one of some alternatives must answer (OpenID4VP 1.0 §6.2). */
export interface RequiredSet {
  readonly options: readonly Option[]
  readonly required: boolean
}

/**
 * What of a definition's input descriptors must be answered (DIF Presentation Exchange 2 §4.3, §7): all of them, or what the submission
 * requirements say.
 *
 * @param optionsOf what answers an input descriptor, by its id, the preferred first; nothing where the wallet cannot.
 * @throws RefusedRequest for requirements that contradict themselves, or have too many alternatives.
 */
export function requiredSets(
  { input_descriptors: descriptors, submission_requirements: requirements }: PresentationDefinition,
  optionsOf: (descriptorId: string) => readonly Option[],
): readonly RequiredSet[] {
  if (requirements === undefined) return descriptors.map(({ id }) => ({ options: optionsOf(id), required: true }))
  const members = (requirement: SubmissionRequirement): readonly (readonly Option[])[] => {
    const { from, from_nested: nested } = requirement
    if ((from === undefined) === (nested === undefined)) {
      throw refusedDefinition('has a submission requirement that has not exactly one of from and from_nested')
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
    // What need not be answered at all: one of it could be.
    return count === 0 ? { options: all.flat(), required: false } : { options: picked(all, count), required: true }
  })
}

/** §7: how many are to be answered; of a range the fewest, so that nothing is shown which need not be. */
function countOf({ rule, count, min, max }: SubmissionRequirement, size: number): number {
  if (rule === 'all') return size
  const wanted = count ?? min ?? (max === undefined ? 1 : 0)
  if (wanted > size || (max !== undefined && wanted > max)) {
    throw refusedDefinition('has a submission requirement that nothing can meet')
  }
  return wanted
}

/** Every way to take so many members, with one alternative of each. */
function picked(members: readonly (readonly Option[])[], count: number): readonly Option[] {
  // By how many were taken so far.
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

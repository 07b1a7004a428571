import type { DcqlFault } from '../dcql/check-references.js'
import type { CredentialQuery, CredentialSetQuery } from '../dcql/credential-query.js'
import type { DcqlQuery } from '../dcql/dcql-query.js'
import type { QueryableFormat } from '../dcql/format.js'
import { formerFault } from '../dcql/former.js'
import {
  descriptorFormats,
  type ExchangeAlgorithms,
  type Field,
  type InputDescriptor,
  oneOf,
  type PresentationDefinition,
  type SubmissionRequirement,
} from './definition.js'

const MAX_DESCRIPTORS = 64
const MAX_FIELDS = 1_024

/**
 * The ids of the input descriptors that represent a credential query. There is one descriptor for each claim set, and
 * one in all if there are no claim sets.
 */
export function descriptorIdsOf({ id, claim_sets: sets = [] }: CredentialQuery): readonly string[] {
  // Such an id is unique, since the id of a credential query contains no dot (OpenID4VP 1.0 §6.1).
  return sets.length > 1 ? sets.map((_, index) => `${id}.${index}`) : [id]
}

/** The part of a query that a presentation definition cannot express; undefined if it can express everything. */
export function exchangeFault(query: DcqlQuery): DcqlFault | undefined {
  const asked = askedOf(query)
  const descriptors = asked.reduce((sum, one) => sum + descriptorIdsOf(one).length, 0)
  const fields = asked.reduce((sum, one) => sum + fieldCountOf(one), 0)
  const whole = (message: string) => ({ path: [], message })
  return (
    formerFault(query) ??
    (descriptors > MAX_DESCRIPTORS
      ? whole(`must not have more than ${MAX_DESCRIPTORS} credentials and claim_sets`)
      : undefined) ??
    (fields > MAX_FIELDS ? whole(`must not name more than ${MAX_FIELDS} claims in all claim_sets`) : undefined)
  )
}

const fieldCountOf = ({ claims = [], claim_sets: sets }: CredentialQuery): number =>
  sets?.reduce((sum, set) => sum + set.length, 0) ?? claims.length

/** §6.4.2: if there are sets, only credentials that a set names are requested. */
function askedOf({ credentials, credential_sets: sets }: DcqlQuery): readonly CredentialQuery[] {
  if (sets === undefined) return credentials
  const named = new Set(sets.flatMap(({ options }) => options.flat()))
  return credentials.filter(({ id }) => named.has(id))
}

/**
 * The presentation definition (DIF Presentation Exchange 2) that asks for the same credentials and claims as a DCQL
 * query (OpenID4VP 1.0 §6). It has an input descriptor for each credential query, or for each of its claim sets if
 * there are several. Submission requirements express optional parts and choices.
 *
 * @param query a query without an `exchangeFault`
 * @param formatNamed returns a format of the query by its name in the definition
 */
export function presentationDefinitionOf(
  id: string,
  query: DcqlQuery,
  formatNamed: (name: string) => QueryableFormat,
  algorithms: ExchangeAlgorithms,
): PresentationDefinition {
  const asked = askedOf(query)
  const groups = new Groups(asked)
  const requirements = requirementsOf(query, asked, groups)
  const descriptors = asked.flatMap((one) => descriptorsOf(one, formatNamed(one.format), algorithms))
  if (requirements === undefined) return { id, input_descriptors: descriptors }
  return {
    id,
    input_descriptors: descriptors.map((descriptor) => ({ ...descriptor, group: groups.of(descriptor.id) })),
    submission_requirements: requirements,
  }
}

function descriptorsOf(
  query: CredentialQuery,
  { querying: { exchange, disclosesAll } }: QueryableFormat,
  algorithms: ExchangeAlgorithms,
): readonly InputDescriptor[] {
  const { claims = [], claim_sets: sets } = query
  const format = descriptorFormats(exchange, algorithms)
  const byId = new Map(claims.map((claim) => [claim.id, claim]))
  const choices = sets?.map((set) => set.flatMap((claimId) => byId.get(claimId) ?? [])) ?? [claims]
  return descriptorIdsOf(query).map((id, index) => {
    const fields = (choices[index] ?? []).map(({ path, values }): Field => {
      const paths = exchange.jsonPathsOf(path)
      return values === undefined ? { path: paths } : { path: paths, filter: oneOf(values) }
    })
    const all = [...exchange.typeFields(query.meta), ...fields]
    return { id, format, constraints: disclosesAll ? { fields: all } : { limit_disclosure: 'required', fields: all } }
  })
}

/** The groups of input descriptors. A group is made when a requirement names it. */
class Groups {
  readonly #descriptors: ReadonlyMap<string, readonly string[]>
  readonly #of = new Map<string, Set<string>>()

  constructor(asked: readonly CredentialQuery[]) {
    this.#descriptors = new Map(asked.map((query) => [query.id, descriptorIdsOf(query)]))
  }

  /** Whether a credential query has several claim sets, so that it has several descriptors. */
  isChoice(queryId: string): boolean {
    return (this.#descriptors.get(queryId)?.length ?? 0) > 1
  }

  /** @returns the name of the group */
  join(group: string, queryIds: readonly string[]): string {
    for (const id of queryIds.flatMap((queryId) => this.#descriptors.get(queryId) ?? [])) {
      this.#of.set(id, (this.#of.get(id) ?? new Set()).add(group))
    }
    return group
  }

  of(descriptorId: string): readonly string[] {
    return [...(this.#of.get(descriptorId) ?? [])]
  }
}

/** The submission requirements of a query; undefined if every descriptor is requested. */
function requirementsOf(
  { credential_sets: sets }: DcqlQuery,
  asked: readonly CredentialQuery[],
  groups: Groups,
): readonly SubmissionRequirement[] | undefined {
  if (sets !== undefined) return sets.map((set, index) => requirementOfSet(set, `set-${index}`, groups))
  if (!asked.some(({ id }) => groups.isChoice(id))) return undefined
  return asked.map(({ id }) => requirementOfQuery(id, groups))
}

function requirementOfQuery(id: string, groups: Groups): SubmissionRequirement {
  const from = groups.join(`credential-${id}`, [id])
  return groups.isChoice(id) ? { rule: 'pick', count: 1, from } : { rule: 'all', from }
}

/**
 * OpenID4VP 1.0 §6.4.2: one of the options, or none if the set is not required. Not every wallet reads nested
 * requirements. So a requirement is nested only if one group cannot express the options.
 */
function requirementOfSet(
  { options, required }: CredentialSetQuery,
  name: string,
  groups: Groups,
): SubmissionRequirement {
  const [only, ...others] = options
  if (required !== false && only !== undefined && others.length === 0) return requirementOfOption(only, name, groups)
  const pick = required === false ? { rule: 'pick' as const, min: 0, max: 1 } : { rule: 'pick' as const, count: 1 }
  if (options.every(({ length }) => length === 1)) return { ...pick, from: groups.join(name, options.flat()) }
  return {
    ...pick,
    from_nested: options.map((option, index) => requirementOfOption(option, `${name}-${index}`, groups)),
  }
}

function requirementOfOption(option: readonly string[], name: string, groups: Groups): SubmissionRequirement {
  const [only, ...others] = option
  if (only !== undefined && others.length === 0) return requirementOfQuery(only, groups)
  if (!option.some((id) => groups.isChoice(id))) return { rule: 'all', from: groups.join(name, option) }
  return { rule: 'all', from_nested: option.map((id) => requirementOfQuery(id, groups)) }
}

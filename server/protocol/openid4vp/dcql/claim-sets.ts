import type { Work } from '../../work.js'
import type { ClaimsPath, ClaimsQuery, ClaimValue } from './claims-query.js'

const MAX_CLAIM_SETS = 16

const UNITS_OF_A_CLAIM = 10

/** Alternative claims, the preferred claim first, and the accepted values for the chosen claim. */
export interface ClaimChoice {
  readonly paths: readonly ClaimsPath[]
  readonly values: readonly ClaimValue[] | undefined
}

interface ClaimsAndSets {
  readonly claims?: ClaimsQuery[]
  readonly claim_sets?: string[][]
}

/**
 * Makes `claims` and, if a choice has several paths, `claim_sets` (OpenID4VP 1.0 §6.4.1). Each claim set has one path
 * of each choice. There are at most 16 claim sets, in order of preference. No claim occurs twice in `claims` (§6.1): if
 * several choices ask for the same claim, one claims query combines their values.
 *
 * @param work the budget for the combinations
 * @throws WorkExceededError
 */
export function claimsAndSets(choices: readonly ClaimChoice[], work: Work): ClaimsAndSets {
  const claims = new Map<string, ClaimsQuery & { id: string }>()
  for (const { paths, values } of choices) {
    work.spend(paths.length * (UNITS_OF_A_CLAIM + (values?.length ?? 0)))
    for (const path of paths) addClaim(claims, path, values)
  }
  if (claims.size === 0) return {}
  if (choices.every(({ paths }) => paths.length === 1)) {
    return { claims: [...claims.values()].map(({ id: _id, ...claim }) => claim) }
  }
  const sets = combinations(
    choices.map(({ paths }) => paths.map((path) => claims.get(keyOf(path))?.id ?? '')),
    work,
  )
  const used = new Set(sets.flat())
  return { claims: [...claims.values()].filter(({ id }) => used.has(id)), claim_sets: sets }
}

function addClaim(
  claims: Map<string, ClaimsQuery & { id: string }>,
  path: ClaimsPath,
  values: ClaimChoice['values'],
): void {
  const known = claims.get(keyOf(path))
  const id = known?.id ?? `claim-${claims.size}`
  const both = values === undefined || known?.values === undefined ? undefined : inBoth(known.values, values)
  // If two choices have no common value, only the values of the first choice are requested. No answer can satisfy both
  // choices.
  const asked = both === undefined || both.length === 0 ? (known?.values ?? values) : both
  claims.set(keyOf(path), { id, path: [...path], ...(asked === undefined ? {} : { values: [...asked] }) })
}

function inBoth(some: readonly ClaimValue[], others: readonly ClaimValue[]): ClaimValue[] {
  const known = new Set(others)
  return some.filter((value) => known.has(value))
}

/**
 * The first combinations that take one member from each list. The last list varies fastest. A member that occurs in
 * several lists is in the combination only once.
 */
function combinations(lists: readonly (readonly string[])[], work: Work): string[][] {
  let found: string[][] = [[]]
  for (const list of lists) found = firstOf(found, list, work)
  return found
}

/** Adds each id of the list to each of the sets, and returns the first of these combinations. */
function firstOf(sets: readonly string[][], list: readonly string[], work: Work): string[][] {
  const found = new Map<string, string[]>()
  for (const set of sets) {
    for (const id of list) {
      work.spend(UNITS_OF_A_CLAIM * (1 + set.length))
      const combination = set.includes(id) ? set : [...set, id]
      const key = [...combination].sort().join(' ')
      if (!found.has(key)) found.set(key, combination)
      if (found.size === MAX_CLAIM_SETS) return [...found.values()]
    }
  }
  return [...found.values()]
}

function keyOf(path: ClaimsPath): string {
  return JSON.stringify(path)
}

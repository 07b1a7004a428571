import type { ClaimsPath, ClaimsQuery, ClaimValue } from './claims-query.js'

const MAX_CLAIM_SETS = 16

/** A choice of claims, the first preferred, and the values that are asked for in whichever is taken. */
export interface ClaimChoice {
  readonly paths: readonly ClaimsPath[]
  readonly values: readonly ClaimValue[] | undefined
}

/**
 * `claims` and, where a choice has several paths, `claim_sets` (OpenID4VP 1.0 §6.4.1): one path of each choice, the combinations
 * in order of preference, 16 at most. No claim stands twice (§6.1): what several choices ask of one is asked of it at once.
 */
export function claimsAndSets(choices: readonly ClaimChoice[]): { claims?: ClaimsQuery[]; claim_sets?: string[][] } {
  const claims = new Map<string, ClaimsQuery & { id: string }>()
  for (const { paths, values } of choices) for (const path of paths) addClaim(claims, path, values)
  if (claims.size === 0) return {}
  if (choices.every(({ paths }) => paths.length === 1)) {
    return { claims: [...claims.values()].map(({ id: _id, ...claim }) => claim) }
  }
  const sets = combinations(choices.map(({ paths }) => paths.map((path) => claims.get(keyOf(path))?.id ?? '')))
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
  const both =
    values === undefined || known?.values === undefined ? undefined : known.values.filter((v) => values.includes(v))
  // Values that exclude each other cannot be asked for; the answer will fail whatever it is.
  const asked = both === undefined || both.length === 0 ? (known?.values ?? values) : both
  claims.set(keyOf(path), { id, path: [...path], ...(asked === undefined ? {} : { values: [...asked] }) })
}

/** The first combinations of one member of each list, the last list turning fastest; what a combination repeats stands once. */
function combinations(lists: readonly (readonly string[])[]): string[][] {
  let found: string[][] = [[]]
  for (const list of lists) found = unique(found.flatMap((start) => list.map((id) => [...new Set([...start, id])])))
  return found
}

function unique(sets: readonly string[][]): string[][] {
  const known = new Set<string>()
  const firsts = sets.filter((set) => {
    const key = [...set].sort().join(' ')
    return known.has(key) ? false : known.add(key)
  })
  return firsts.slice(0, MAX_CLAIM_SETS)
}

function keyOf(path: ClaimsPath): string {
  return JSON.stringify(path)
}

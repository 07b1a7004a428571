import type { JsonObject } from '../../json/json-object.js'
import type { Work } from '../../work.js'
import { selectByClaimsPath } from './claims-path.js'
import type { ClaimsQuery } from './claims-query.js'

/**
 * The reason why a credential does not answer a claims query: the query's path selects nothing, or only claims that do
 * not have one of the `values`.
 */
export type ClaimFault = 'absent' | 'values'

/**
 * Returns the reason why a credential does not answer a claims query (OpenID4VP 1.0 §6.3, §7). A claim with the value
 * null counts as present. A path selects nothing if the standard defines an error for its processing.
 *
 * Beyond the text of §7: `values` is satisfied by any of the claims that a path selects.
 *
 * @param work the budget for reading claims
 * @returns undefined if the credential answers the query.
 * @throws WorkExceededError
 */
export function claimFault(
  { path, values }: Pick<ClaimsQuery, 'path' | 'values'>,
  root: JsonObject,
  work: Work,
): ClaimFault | undefined {
  const selected = selectByClaimsPath(path, root, work)
  if (selected.length === 0) return 'absent'
  work.spend(selected.length * (values?.length ?? 0))
  // §6.3: type and value match exactly.
  return values === undefined || selected.some((claim) => values.some((value) => value === claim))
    ? undefined
    : 'values'
}

/** The members `claims` and `claim_sets` of a credential query. */
export interface AskedClaims {
  readonly claims?: readonly Pick<ClaimsQuery, 'id' | 'path' | 'values'>[] | undefined
  readonly claim_sets?: readonly (readonly string[])[] | undefined
}

/**
 * Selects the paths of the claims that a credential should disclose (OpenID4VP 1.0 §6.4.1). These are all requested
 * claims, or all claims of the first claim set that the credential can answer. Empty if no claims are requested.
 *
 * @param work the budget for reading claims
 * @returns undefined if the credential must not be returned.
 * @throws WorkExceededError
 */
export function selectClaims(
  { claims = [], claim_sets: sets }: AskedClaims,
  root: JsonObject,
  work: Work,
): readonly ClaimsQuery['path'][] | undefined {
  const answered = claims.filter((claim) => claimFault(claim, root, work) === undefined)
  if (sets === undefined) return answered.length === claims.length ? claims.map(({ path }) => path) : undefined
  const paths = new Map(answered.map(({ id, path }) => [id, path]))
  const chosen = sets.find((set) => set.every((id) => paths.has(id)))
  return chosen?.flatMap((id) => [paths.get(id) ?? []])
}

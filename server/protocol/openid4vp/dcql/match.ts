import type { JsonObject } from '../../json/json-object.js'
import { type Work, WorkExceededError } from '../../work.js'
import type { CredentialView } from '../query/credential-view.js'
import { textOfClaimsPath } from './claims-path.js'
import type { ClaimsQuery } from './claims-query.js'
import type { CredentialQuery, TrustedAuthority } from './credential-query.js'
import type { DcqlQuery } from './dcql-query.js'
import { claimFault } from './select-claims.js'

/** One presentation of the vp_token. Its credential has been verified before. */
export interface DcqlPresentation {
  readonly view: CredentialView
  /** Whether the holder's proof (KB-JWT, VP) was present and valid. */
  readonly holderBound: boolean
  /**
   * The authority key identifiers in the certificates of `x5c`, base64url (RFC 5280 §4.2.1.1). Absent if the credential
   * has no `x5c`.
   */
  readonly authorityKeyIdentifiers?: readonly string[]
  /** Whether the issuer is on the trusted list with an address. Absent if no list was looked at. */
  readonly isOnList?: (address: string) => boolean
}

/**
 * A reason why a response does not satisfy its query. `message` is a sentence that names credential, check and path,
 * never a value.
 */
export interface DcqlMismatch {
  readonly credentialId?: string
  /** The unsatisfied member of the query; `format` and `holder_binding` are short names. */
  readonly check: string
  readonly path?: string
  readonly message: string
}

/**
 * Checks the ids of a vp_token and the number of presentations under each id. Each id must be requested. An id without
 * `multiple` must have one presentation (§8.1). All required credentials must be present (§6.4.2). The check does not
 * decode the credentials.
 */
export function checkVpTokenIds(query: DcqlQuery, ids: readonly (readonly [string, number])[]): DcqlMismatch[] {
  const present = new Set(ids.map(([id]) => id))
  return [...ids.flatMap(([id, count]) => checkEntry(query, id, count)), ...checkCompleteness(query, present)]
}

/**
 * The credentials that a query still needs in addition to the present ones (§6.4.2). Without credential sets: every
 * credential that is not present. With credential sets: every credential that an option of the first unsatisfied set
 * lacks. Empty if the query is satisfied.
 */
export function missingCredentials(
  { credentials, credential_sets }: DcqlQuery,
  present: ReadonlySet<string>,
): readonly string[] {
  const lacking = (ids: readonly string[]) => ids.filter((id) => !present.has(id))
  if (credential_sets === undefined) return lacking(credentials.map(({ id }) => id))
  const unsatisfied = credential_sets.find(
    ({ options, required }) => required !== false && options.every((option) => lacking(option).length > 0),
  )
  return unsatisfied === undefined ? [] : lacking(unsatisfied.options.flat())
}

function checkEntry({ credentials }: DcqlQuery, id: string, count: number): DcqlMismatch[] {
  const credential = credentials.find((candidate) => candidate.id === id)
  if (credential === undefined) {
    return [{ check: 'credentials', message: 'vp_token has an entry that the query does not ask for.' }]
  }
  if (count === 0) return [mismatch(id, 'credentials', 'has no presentation.')]
  if (count > 1 && credential.multiple !== true) return [mismatch(id, 'multiple', 'has more than one presentation.')]
  return []
}

function checkCompleteness({ credentials, credential_sets }: DcqlQuery, present: ReadonlySet<string>): DcqlMismatch[] {
  if (credential_sets === undefined) {
    return credentials.flatMap(({ id }) => (present.has(id) ? [] : [mismatch(id, 'credentials', 'is missing.')]))
  }
  return credential_sets.flatMap(({ options, required }, index) => {
    if (required === false || options.some((option) => option.every((id) => present.has(id)))) return []
    const wanted = options.map((option) => option.join(' and ')).join(', or ')
    return [
      { check: 'credential_sets', message: `Credential set ${index} is not satisfied: it needs ${wanted}.` } as const,
    ]
  })
}

/**
 * Checks one presentation against its credential query (OpenID4VP 1.0 §6.4, §8.6, §14.9). The result is empty if the presentation
 * satisfies the query.
 *
 * @param work the budget for the check; if it is too small, the presentation does not satisfy the query
 */
export function matchPresentation(
  credential: CredentialQuery,
  presentation: DcqlPresentation,
  work: Work,
): readonly DcqlMismatch[] {
  try {
    return checkPresentation(credential, presentation, work)
  } catch (error) {
    if (!(error instanceof WorkExceededError)) throw error
    return [mismatch(credential.id, 'claims', 'is too much to compare with the query.')]
  }
}

function checkPresentation(credential: CredentialQuery, presentation: DcqlPresentation, work: Work): DcqlMismatch[] {
  const { id, format } = credential
  const { view } = presentation
  if (view.format !== format) return [mismatch(id, 'format', `is not of format ${format}.`)]
  return [
    ...checkHolderBinding(credential, presentation),
    ...checkAuthorities(credential, presentation),
    ...checkMeta(credential, view),
    ...checkClaims(credential, view.root, work),
  ]
}

/** §6.1, §8.6: holder binding is required unless the query disables it. */
function checkHolderBinding(credential: CredentialQuery, { holderBound }: DcqlPresentation): DcqlMismatch[] {
  if (holderBound || credential.require_cryptographic_holder_binding === false) return []
  return [mismatch(credential.id, 'holder_binding', 'has no proof of holder binding.')]
}

/** §6.1.1: the credential matches one value of one entry. */
function checkAuthorities(credential: CredentialQuery, presentation: DcqlPresentation): DcqlMismatch[] {
  const { trusted_authorities: authorities } = credential
  if (authorities === undefined || authorities.some((authority) => comesFrom(authority, presentation))) return []
  return [mismatch(credential.id, 'trusted_authorities', 'comes from none of the trusted_authorities.')]
}

const comesFrom = (
  { type, values }: TrustedAuthority,
  { authorityKeyIdentifiers = [], isOnList = () => false }: DcqlPresentation,
): boolean =>
  type === 'aki'
    ? authorityKeyIdentifiers.some((identifier) => values.includes(identifier))
    : values.some((address) => isOnList(address))

/** Appendix B */
function checkMeta({ id, meta }: CredentialQuery, view: CredentialView): DcqlMismatch[] {
  const found = view.mismatchWith(meta)
  return found === undefined ? [] : [mismatch(id, found.check, found.verdict, found.path)]
}

/**
 * §6.4.1: all claims, or all claims of one set. The result names the faults of the claim set that has the fewest
 * faults.
 */
function checkClaims({ id, claims, claim_sets }: CredentialQuery, root: JsonObject, work: Work): DcqlMismatch[] {
  if (claims === undefined) return []
  const failed = claims.map((claim) => ({ claim, mismatch: checkClaim(id, claim, root, work) }))
  work.spend(claims.length * (claim_sets?.length ?? 0))
  const sets = claim_sets?.map((set) => {
    const ids: ReadonlySet<string | undefined> = new Set(set)
    return failed.filter(({ claim }) => claim.id !== undefined && ids.has(claim.id))
  }) ?? [failed]
  const mismatches = sets.map((set) => set.flatMap((entry) => entry.mismatch ?? []))
  return mismatches.reduce((best, candidate) => (candidate.length < best.length ? candidate : best))
}

function checkClaim(id: string, claim: ClaimsQuery, root: JsonObject, work: Work): DcqlMismatch | undefined {
  const text = textOfClaimsPath(claim.path)
  const fault = claimFault(claim, root, work)
  if (fault === undefined) return undefined
  return fault === 'absent'
    ? mismatch(id, 'claims', `does not hold the claim ${text}.`, text)
    : mismatch(id, 'values', `holds none of the values asked for in the claim ${text}.`, text)
}

function mismatch(credentialId: string, check: string, verdict: string, path?: string): DcqlMismatch {
  return {
    credentialId,
    check,
    ...(path === undefined ? {} : { path }),
    message: `Credential ${credentialId} ${verdict}`,
  }
}

import type { CredentialQuery, CredentialSetQuery } from './credential-query.js'
import type { QueryableFormat, Querying } from './format.js'

/** A fault in a DCQL query, and its path. */
export interface DcqlFault {
  readonly path: (string | number)[]
  readonly message: string
}

/**
 * Checks the rules of OpenID4VP 1.0 §6 that concern several members of a query, and the rules that a format has for
 * claims paths.
 */
export function checkDcqlReferences(
  {
    credentials,
    credential_sets,
  }: {
    readonly credentials: readonly CredentialQuery[]
    readonly credential_sets?: readonly CredentialSetQuery[] | undefined
  },
  formats: readonly QueryableFormat[],
): DcqlFault[] {
  const ids = credentials.map(({ id }) => id)
  const known = new Set(ids)
  const queryings = new Map(formats.map(({ name, querying }) => [name, querying]))
  return [
    // §6.1: the same id must not be present more than once.
    ...repeated(ids).map((index) => ({ path: ['credentials', index, 'id'], message: 'must be unique' })),
    ...credentials.flatMap((credential, index) =>
      checkCredential(credential, queryings.get(credential.format), ['credentials', index]),
    ),
    // §6.2: options reference elements in credentials.
    ...(credential_sets ?? []).flatMap(({ options }, set) =>
      options.flatMap((option, index) =>
        unknownIn(option, known).map((member) => ({
          path: ['credential_sets', set, 'options', index, member],
          message: 'must be the id of a credential query',
        })),
      ),
    ),
  ]
}

function checkCredential(
  { claims, claim_sets }: CredentialQuery,
  querying: Querying | undefined,
  at: (string | number)[],
): DcqlFault[] {
  const faults: DcqlFault[] = []
  const fault = (path: (string | number)[], message: string) => faults.push({ path: [...at, ...path], message })
  // §6.4.1
  if (claim_sets !== undefined && claims === undefined) fault(['claim_sets'], 'must not be present without claims')
  const ids = (claims ?? []).map(({ id }) => id)
  // §6.3: an id occurs once within the array. Every claim needs an id if there are claim_sets.
  for (const index of repeated(ids)) fault(['claims', index, 'id'], 'must be unique')
  if (claim_sets !== undefined) {
    for (const [index, id] of ids.entries()) {
      if (id === undefined) fault(['claims', index, 'id'], 'must be present where claim_sets is')
    }
  }
  const paths = (claims ?? []).map(({ path }) => path)
  // §6.1: the same claim must not be pointed to more than once.
  for (const index of repeated(paths.map((path) => JSON.stringify(path)))) {
    fault(['claims', index, 'path'], 'must not point to a claim that another one points to')
  }
  for (const [index, path] of paths.entries()) {
    const [first] = path
    // §7.1.1: the root of a credential is an object.
    if (first !== undefined && typeof first !== 'string') fault(['claims', index, 'path', 0], 'must be a string')
    const wrong = querying?.pathFault(path)
    if (wrong !== undefined) fault(['claims', index, 'path', wrong.position], wrong.message)
  }
  for (const [index, { intent_to_retain: retain }] of (claims ?? []).entries()) {
    if (retain !== undefined && querying?.retains === false) {
      fault(['claims', index, 'intent_to_retain'], 'must be left out: the format has no such member')
    }
  }
  const known = new Set(ids)
  for (const [set, members] of (claim_sets ?? []).entries()) {
    for (const member of unknownIn(members, known)) fault(['claim_sets', set, member], 'must be the id of a claim')
  }
  return faults
}

/** The indices of values that also occur at an earlier index. The value undefined is not counted. */
function repeated(values: readonly (string | undefined)[]): number[] {
  const known = new Set<string>()
  return values.flatMap((value, index) => {
    const first = value === undefined || !known.has(value)
    if (value !== undefined) known.add(value)
    return first ? [] : [index]
  })
}

function unknownIn(ids: readonly string[], known: ReadonlySet<string | undefined>): number[] {
  return ids.flatMap((id, index) => (known.has(id) ? [] : [index]))
}

import type { Deps } from '../../deps.js'
import {
  asCheck,
  CredentialError,
  type IssuerKey,
  type ResolveIssuerKey,
  type StatusReference,
} from '../../protocol/credential/verification.js'
import { isSameKey } from '../../protocol/jose/jws.js'
import { type CredentialStatus, checkForeignStatus } from '../../protocol/status-list/foreign-status.js'
import type { Work } from '../../protocol/work.js'
import { type StatusListForm, statusListUri } from '../../status-lists/publication.js'
import type { VerificationFetches } from './issuer-keys.js'

const LIST_ID = /^[0-9a-f-]{36}$/
const MAX_INDEX = 2 ** 31

/** The id of a list that this installation publishes, where a reference points to one. */
function ownListId(deps: Pick<Deps, 'config'>, form: StatusListForm, uri: string): string | undefined {
  const prefix = statusListUri(deps.config, form, '')
  return uri.startsWith(prefix) ? uri.slice(prefix.length) : undefined
}

/** An own list is read from the database at every call: nothing about a status is cached. */
async function ownStatus(
  deps: Pick<Deps, 'stores'>,
  listId: string,
  index: number,
  issuer: IssuerKey,
): Promise<CredentialStatus> {
  if (index >= MAX_INDEX) throw new CredentialError('Status list has no such index.')
  const entry = LIST_ID.test(listId) ? await deps.stores.statusLists.entry(listId, index) : undefined
  if (entry === undefined) throw new CredentialError('Status list does not exist.')
  if (index >= entry.size) throw new CredentialError('Status list has no such index.')
  // A list is valid only for credentials that were signed with its own key.
  if (!isSameKey(entry.publicJwk, issuer.jwk)) {
    throw new CredentialError('Status list belongs to another issuer than the credential.')
  }
  return entry.revoked ? 'revoked' : 'valid'
}

/** What reading a status takes: one moment, and the fetches and the budget of one verification. */
export interface StatusReading {
  readonly fetches: VerificationFetches
  readonly resolveIssuerKey: ResolveIssuerKey
  readonly now: Date
  /** Whether lists must be signed under a chain to one of STATUS_TRUST_ANCHORS; false unless given. */
  readonly certifiedOnly?: boolean
  /** Pays for each list. */
  readonly work?: Work
}

async function statusOf(
  deps: Deps,
  { fetches, resolveIssuerKey, now, certifiedOnly, work }: StatusReading,
  reference: StatusReference,
  issuer: IssuerKey,
): Promise<CredentialStatus> {
  const [form, uri, index] =
    'uri' in reference
      ? (['token', reference.uri, reference.idx] as const)
      : (['bitstring', reference.statusListCredential, reference.statusListIndex] as const)
  const own = ownListId(deps, form, uri)
  if (own !== undefined) return ownStatus(deps, own, index, issuer)
  const source = {
    fetchText: fetches.fetchStatusList,
    fetchBytes: fetches.fetchStatusListBytes,
    resolveIssuerKey,
    trustAnchors: deps.config.statusTrustAnchors,
    certifiedOnly,
    now,
    work,
  }
  return checkForeignStatus(source, reference, issuer)
}

/** What the status entries of a verified credential say: the first that is not `valid`. Throws CredentialError where one cannot be had. */
export async function readStatus(
  deps: Deps,
  reading: StatusReading,
  references: readonly StatusReference[],
  issuer: IssuerKey,
): Promise<CredentialStatus> {
  for (const reference of references) {
    const status = await statusOf(deps, reading, reference, issuer)
    if (status !== 'valid') return status
  }
  return 'valid'
}

/**
 * Checks every status entry of a verified credential.
 *
 * @throws CredentialError `Credential has been revoked.`, `Credential has been suspended.`, or why the status cannot be had.
 */
export async function assertNotRevoked(...args: Parameters<typeof readStatus>): Promise<void> {
  const status = await asCheck('status', () => readStatus(...args))
  if (status !== 'valid') throw new CredentialError(`Credential has been ${status}.`, { check: 'revoked' })
}

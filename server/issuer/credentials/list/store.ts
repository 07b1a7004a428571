import { z } from 'zod'
import type { Database } from '../../../database/connect.js'
import { type Fragment, fragment } from '../../../database/fragment.js'
import { newestOf, type TimedPart, timedPart, where } from '../../../database/list-position.js'
import { listMadeBy } from '../../../database/made-by.js'
import type { ClaimsVault } from '../../../keys/claims/vault.js'
import type { NameHashes, Names } from '../../../names/names.js'
import { hasNames, namesShape, revealedNames, selectedNames } from '../../../names/names-store.js'
import { type CredentialStatus, NOT_REVOKED, STATUS_CONDITIONS, STATUS_REASONS } from '../status.js'

export const zListedRow = z.strictObject({
  id: z.string(),
  schemaId: z.string(),
  schemaName: z.string(),
  schemaVersion: z.number(),
  configurationIds: z.array(z.string()),
  issuerId: z.string(),
  holderDid: z.string().nullable(),
  offeringId: z.string().nullable(),
  owner: z.string().nullable(),
  createdAt: z.date(),
  revokedAt: z.date().nullable(),
  suspendedAt: z.date().nullable(),
  expiresAt: z.date().nullable(),
  expiredAt: z.date().nullable(),
  supersededBy: z.string().nullable(),
  statusReason: z.enum(STATUS_REASONS).nullable(),
  suspendable: z.boolean(),
  claimsErasedAt: z.date().nullable(),
})

const zNamedRow = zListedRow.extend(namesShape)

/** The row of a stored credential in lists, without its claims. */
export type ListedCredential = z.infer<typeof zListedRow> & { readonly names?: Names | null }

export interface CredentialFilters extends NameHashes {
  /** The id of a schema version, or the name of a type for all its versions. */
  readonly schema?: string | undefined
  readonly status?: CredentialStatus | undefined
  readonly holderDid?: string | undefined
  /** The beginning of the id. */
  readonly idPrefix?: string | undefined
  readonly offeringId?: string | undefined
  /** The `sub` of the caller who created, claimed or signed it; null for the client secret, which owns none. */
  readonly owner?: string | null | undefined
}

/**
 * The highest number of instances that are read for the configurations of a credential. One authorization may have thousands of
 * instances.
 */
const INSTANCES = 100

/** The columns of a credential `c` with its schema `s` and, if any, its redemption `r`. */
export const listedColumns = fragment`
  c.id, s.id AS "schemaId", s.name AS "schemaName", s.version AS "schemaVersion", c.issuer_id AS "issuerId",
  c.holder_did AS "holderDid", r.offering_id AS "offeringId", c.owner, c.created_at AS "createdAt", c.revoked_at AS "revokedAt",
  c.suspended_at AS "suspendedAt", c.expires_at AS "expiresAt", c.expired_at AS "expiredAt", c.superseded_by AS "supersededBy", c.status_reason AS "statusReason", s.suspendable,
  c.claims_erased_at AS "claimsErasedAt",
  ARRAY(SELECT DISTINCT configuration_id FROM (
    SELECT configuration_id FROM credential_instances i WHERE i.credential_id = c.id LIMIT ${INSTANCES}) AS taken ORDER BY 1)
    AS "configurationIds"`

/** The schema versions that a filter selects. */
const versionsOf = (schema: string) => fragment`SELECT id FROM schemas v WHERE v.id = ${schema} OR v.name = ${schema}`

/**
 * The conditions of all filters except the offering. An id has only digits, the letters a to f, and hyphens. So all ids with a
 * prefix sort before the prefix followed by `g`.
 */
const conditions = ({ schema, status, holderDid, idPrefix, owner, ...names }: CredentialFilters): Fragment => fragment`
  ${hasNames(fragment`c`, names)}
  ${where(schema, (is) => fragment`c.schema_id = ANY(ARRAY(${versionsOf(is)}))`)}
  ${where(status, (is) => STATUS_CONDITIONS[is])}
  ${where(holderDid, (is) => fragment`hashtextextended(c.holder_did, 0) = hashtextextended(${is}, 0) AND c.holder_did = ${is}`)}
  ${owner === null ? fragment`AND false` : listMadeBy(fragment`c.owner`, owner)}
  ${where(idPrefix, (is) => fragment`c.id >= ${is} AND c.id < ${`${is}g`} AND starts_with(c.id, ${is})`)}`

const end = (part: TimedPart) => timedPart(fragment`c.created_at`, fragment`c.id`, part)

/** The ids and times of a page. The statement uses the index that fits the filters. */
function keysOf(filters: CredentialFilters, part: TimedPart): Fragment {
  const { schema, status, holderDid, idPrefix, offeringId, owner, referenceHash } = filters
  const found = (condition: Fragment, { except }: { except?: 'schema' | 'status' } = {}) => fragment`
    SELECT c.id, c.created_at FROM credentials c
    WHERE ${condition} ${conditions(except === undefined ? filters : { ...filters, [except]: undefined })} ${end(part)}`
  if (referenceHash !== undefined || idPrefix !== undefined || holderDid !== undefined || owner !== undefined) {
    const offered = where(
      offeringId,
      (is) => fragment`c.id IN (SELECT credential_id FROM redemptions WHERE offering_id = ${is})`,
    )
    return found(fragment`true ${offered}`)
  }
  // A redemption and its credential are stored with the same time.
  if (offeringId !== undefined) {
    return fragment`
      SELECT r.credential_id AS id, r.redeemed_at AS created_at FROM redemptions r JOIN credentials c ON c.id = r.credential_id
      WHERE r.offering_id = ${offeringId} ${conditions(filters)}
        ${timedPart(fragment`r.redeemed_at`, fragment`r.credential_id`, part)}`
  }
  // The index sorts the credentials of each version separately.
  if (schema !== undefined) {
    const ofVersion = found(fragment`c.schema_id = versions.id`, { except: 'schema' })
    return newestOf(
      [fragment`SELECT newest.* FROM (${versionsOf(schema)}) versions CROSS JOIN LATERAL (${ofVersion}) newest`],
      part,
    )
  }
  if (status !== undefined) return found(fragment`true`)
  // A rare label is found by its index, and a frequent label in the order of time.
  return newestOf([found(NOT_REVOKED), found(STATUS_CONDITIONS.revoked)], part)
}

export type CredentialListStore = ReturnType<typeof createCredentialListStore>

export function createCredentialListStore({ bounded }: Database, claims: ClaimsVault) {
  return {
    /** Reads one page of credentials, the newest first. */
    async page(filters: CredentialFilters, part: TimedPart): Promise<ListedCredential[]> {
      const rows = await bounded(zNamedRow)`
        SELECT ${listedColumns}, ${selectedNames(claims, 'credentials.names', fragment`c`)}
        FROM (${keysOf(filters, part)}) AS k
        JOIN credentials c ON c.id = k.id
        JOIN schemas s ON s.id = c.schema_id
        LEFT JOIN redemptions r ON r.credential_id = c.id
        ORDER BY k.created_at DESC, k.id DESC`
      return rows.map((row) => revealedNames(claims, { column: 'credentials.names', id: row.id }, row))
    },
  }
}

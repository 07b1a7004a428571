import { z } from 'zod'
import type { Database } from '../../../database/connect.js'
import { type Fragment, fragment } from '../../../database/fragment.js'
import { json } from '../../../database/row-shapes.js'
import type { ClaimsVault } from '../../../keys/claims/vault.js'
import type { Names } from '../../../names/names.js'
import { namesShape, revealedNames, selectedNames } from '../../../names/names-store.js'
import { listedColumns, zListedRow } from '../list/store.js'

/** An instance of a credential: one signed copy. */
export interface IssuedInstance {
  readonly configurationId: string
  readonly format: string
  readonly statusListId: string
  readonly statusListIndex: number
  /** ISO 8601; null while it is not revoked. */
  readonly revokedAt: string | null
  /** ISO 8601; null if it was not suspended. */
  readonly suspendedAt: string | null
}

/** A position in a status list of a wallet provider on which a credential depends. Times are ISO 8601. */
export interface StoredAttestation {
  readonly kind: 'wallet' | 'key'
  readonly statusList: string
  readonly statusListIndex: number
  readonly readAt: string
  readonly failedAt: string | null
  readonly failure: string | null
  readonly endsAt: string | null
  readonly invalidAt: string | null
}

const zCredential = zListedRow.extend({
  instances: json<IssuedInstance[]>().nullable(),
  attestations: json<StoredAttestation[]>().nullable(),
  instanceCount: z.int(),
  ...namesShape,
})

export type CredentialWithInstances = Omit<z.infer<typeof zCredential>, 'names' | 'namesKey'> & {
  readonly names: Names | null
}

/** The highest number of instances in the answer. An authorization may give several thousand. */
const SHOWN = 200

const isoTime = (column: Fragment) => fragment`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** A query for the watched attestations of a credential `c`, as JSON; null if there are none. */
export const watchedAttestations = (limit: number): Fragment => fragment`
  (SELECT jsonb_agg(jsonb_build_object('kind', kind, 'statusList', uri, 'statusListIndex', idx, 'readAt', ${isoTime(fragment`read_at`)},
      'failedAt', ${isoTime(fragment`failed_at`)}, 'failure', failure, 'endsAt', ${isoTime(fragment`ends_at`)},
      'invalidAt', ${isoTime(fragment`invalid_at`)}))
    FROM (
      SELECT w.kind, w.idx, w.ends_at, w.invalid_at, l.uri, l.read_at, l.failed_at, l.failure
      FROM watched_attestations w JOIN attestation_lists l ON l.id = w.list_id WHERE w.credential_id = c.id
      ORDER BY w.kind DESC, l.uri, w.idx LIMIT ${limit}) watched)`

export type CredentialHistoryStore = ReturnType<typeof createCredentialHistoryStore>

export function createCredentialHistoryStore({ sql }: Database, claims: ClaimsVault) {
  return {
    async find(id: string): Promise<CredentialWithInstances | undefined> {
      const [row] = await sql(zCredential)`
        SELECT ${listedColumns}, ${selectedNames(claims, 'credentials.names', fragment`c`)},
          (SELECT count(*)::int FROM credential_instances i WHERE i.credential_id = c.id) AS "instanceCount",
          (SELECT jsonb_agg(jsonb_build_object('configurationId', configuration_id, 'format', format, 'statusListId', status_list_id,
              'statusListIndex', status_index, 'revokedAt', ${isoTime(fragment`revoked_at`)}, 'suspendedAt', ${isoTime(fragment`suspended_at`)}))
            FROM (
              SELECT * FROM credential_instances i WHERE i.credential_id = c.id
              ORDER BY configuration_id, status_list_id, status_index LIMIT ${SHOWN}) shown) AS instances,
          ${watchedAttestations(SHOWN)} AS attestations
        FROM credentials c
        JOIN schemas s ON s.id = c.schema_id
        LEFT JOIN redemptions r ON r.credential_id = c.id
        WHERE c.id = ${id}`
      return row && revealedNames(claims, { column: 'credentials.names', id }, row)
    },
  }
}

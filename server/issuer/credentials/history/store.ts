import { z } from 'zod'
import type { Database } from '../../../database/connect.js'
import { type Fragment, fragment } from '../../../database/fragment.js'
import { json } from '../../../database/row-shapes.js'
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

const zCredential = zListedRow.extend({
  instances: json<IssuedInstance[]>().nullable(),
  instanceCount: z.int(),
})

export type CredentialWithInstances = z.infer<typeof zCredential>

/** The highest number of instances in the answer. An authorization may give several thousand. */
const SHOWN = 200

const isoTime = (column: Fragment) => fragment`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export type CredentialHistoryStore = ReturnType<typeof createCredentialHistoryStore>

export function createCredentialHistoryStore({ sql }: Database) {
  return {
    async find(id: string): Promise<CredentialWithInstances | undefined> {
      const [row] = await sql(zCredential)`
        SELECT ${listedColumns},
          (SELECT count(*)::int FROM credential_instances i WHERE i.credential_id = c.id) AS "instanceCount",
          (SELECT jsonb_agg(jsonb_build_object('configurationId', configuration_id, 'format', format, 'statusListId', status_list_id,
              'statusListIndex', status_index, 'revokedAt', ${isoTime(fragment`revoked_at`)}, 'suspendedAt', ${isoTime(fragment`suspended_at`)}))
            FROM (
              SELECT * FROM credential_instances i WHERE i.credential_id = c.id
              ORDER BY configuration_id, status_list_id, status_index LIMIT ${SHOWN}) shown) AS instances
        FROM credentials c
        JOIN schemas s ON s.id = c.schema_id
        LEFT JOIN redemptions r ON r.credential_id = c.id
        WHERE c.id = ${id}`
      return row
    },
  }
}

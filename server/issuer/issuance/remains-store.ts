import { fragment } from '../../database/fragment.js'
import { json } from '../../database/row-shapes.js'

/** Columns of a credential's record that stay after the erasure of its claims. */
export interface Remains {
  readonly erasedAt: string
  readonly schemaId: string
  readonly schemaName: string
  readonly expiresInDays: number | null
  /** ISO 8601; null if the credential was valid when it was issued. */
  readonly validFrom: string | null
  /** ISO 8601; null without an expiry, and in records of earlier versions. */
  readonly expiresAt: string | null
  readonly issuerDid: string
  readonly createdAt: string
  readonly suspendable: boolean
  /** The status entry of its first instance; null if it has none. */
  readonly listId: string | null
  readonly index: number | null
}

/** The column with the remains of a credential `c` of a schema `s`; null unless its claims were erased. */
export const remainsColumn = fragment`
  CASE WHEN c.claims_erased_at IS NOT NULL THEN (
    SELECT jsonb_build_object('erasedAt', to_char(c.claims_erased_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'schemaId', s.id, 'schemaName', s.name, 'expiresInDays', s.expires_in_days, 'issuerDid', i.did,
      'validFrom', to_char(c.valid_from AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'expiresAt', to_char(c.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'createdAt', to_char(c.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'suspendable', s.suspendable, 'listId', n.status_list_id, 'index', n.status_index)
    FROM issuers i LEFT JOIN LATERAL (
      SELECT n.status_list_id, n.status_index FROM credential_instances n WHERE n.credential_id = c.id LIMIT 1) n ON true
    WHERE i.id = c.issuer_id) END AS remains`

/** The column of {@link remainsColumn}. */
export const remainsShape = json<Remains>().nullable()

SELECT
  c.id,
  c.vc,
  NULL::text AS "vcKey",
  CASE
    WHEN c.claims_erased_at IS NOT NULL THEN (
      SELECT
        jsonb_build_object(
          'erasedAt',
          to_char(
            c.claims_erased_at AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
          ),
          'schemaId',
          s.id,
          'schemaName',
          s.name,
          'expiresInDays',
          s.expires_in_days,
          'issuerDid',
          i.did,
          'validFrom',
          to_char(
            c.valid_from AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
          ),
          'expiresAt',
          to_char(
            c.expires_at AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
          ),
          'createdAt',
          to_char(
            c.created_at AT TIME ZONE 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
          ),
          'suspendable',
          s.suspendable,
          'listId',
          n.status_list_id,
          'index',
          n.status_index
        )
      FROM
        issuers i
        LEFT JOIN LATERAL (
          SELECT
            n.status_list_id,
            n.status_index
          FROM
            credential_instances n
          WHERE
            n.credential_id = c.id
          LIMIT
            1
        ) n ON TRUE
      WHERE
        i.id = c.issuer_id
    )
  END AS remains,
  c.names,
  NULL::text AS "namesKey"
FROM
  credentials c
  JOIN schemas s ON s.id = c.schema_id
WHERE
  c.id = $1
  AND (
    c.owner = $2
    OR c.holder_did = ANY ($3::TEXT[])
    OR EXISTS (
      SELECT
        1
      FROM
        dids d
        JOIN holders h ON h.id = d.holder_id
      WHERE
        d.did = c.holder_did
        AND h.created_by = $4
    )
  )

SELECT
  r.id,
  r.offering_id AS "offeringId",
  r.credential_id AS "credentialId",
  r.recipient_did AS "recipientDid",
  r.redeemed_at AS "redeemedAt",
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
  c.revoked_at IS NOT NULL AS revoked,
  s.id AS "schemaId",
  s.name AS "schemaName",
  s.title AS "schemaTitle",
  s.version AS "schemaVersion",
  CASE
    WHEN row_number() OVER (
      PARTITION BY
        s.id
      ORDER BY
        r.redeemed_at DESC,
        r.id
    ) = 1 THEN s.body
  END AS "schemaBody",
  (
    SELECT
      i.configuration_id
    FROM
      credential_instances i
    WHERE
      i.credential_id = c.id
    ORDER BY
      i.configuration_id = s.name DESC,
      i.configuration_id
    LIMIT
      1
  ) AS "configurationId"
FROM
  unnest($1::TEXT[]) AS o (id)
  JOIN LATERAL (
    SELECT
      *
    FROM
      redemptions n
    WHERE
      n.offering_id = o.id
    ORDER BY
      n.redeemed_at DESC
    LIMIT
      $2
  ) r ON TRUE
  JOIN credentials c ON c.id = r.credential_id
  JOIN schemas s ON s.id = c.schema_id
ORDER BY
  r.redeemed_at DESC,
  r.id

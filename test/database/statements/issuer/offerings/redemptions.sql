SELECT
  r.id,
  r.offering_id AS "offeringId",
  r.credential_id AS "credentialId",
  r.recipient_did AS "recipientDid",
  r.redeemed_at AS "redeemedAt",
  c.vc,
  NULL::text AS "vcKey",
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

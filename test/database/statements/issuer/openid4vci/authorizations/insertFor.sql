WITH
  "chosen" AS (
    SELECT
      o.id
    FROM
      (
        SELECT
          $1::text AS id
      ) wanted
      JOIN offerings o ON o.id = wanted.id
      JOIN schemas s ON s.id = o.schema_id
      LEFT JOIN credential_offer_sessions x ON x.id = o.id
      JOIN LATERAL (
        SELECT
          1
        WHERE
          o.is_session = (x.id IS NOT NULL)
      ) kept ON TRUE
  ),
  "once" AS (
    INSERT INTO
      used_nonces (hash, expires_at)
    SELECT
      u.hash,
      u.expires_at
    FROM
      unnest($2::TEXT[], $3::TIMESTAMPTZ[]) AS u (hash, expires_at)
    WHERE
      EXISTS (
        SELECT
          1
        FROM
          "chosen"
      )
    ON CONFLICT DO NOTHING
    RETURNING
      hash
  ),
  "inserted" AS (
    INSERT INTO
      authorizations (
        id,
        client_id,
        parameters,
        dpop_jkt,
        instance_jkt,
        request_uri_hash,
        offering_id,
        state,
        browser_hash,
        user_sub,
        expires_at,
        created_at
      )
    SELECT
      $4,
      $5,
      $6,
      $7,
      $8,
      $9,
      offer.id,
      $10,
      $11,
      $12,
      $13,
      $14
    FROM
      (
        SELECT
          id
        FROM
          "chosen"
      ) offer
    WHERE
      (
        SELECT
          count(*)
        FROM
          "once"
      ) = $15
    RETURNING
      id
  )
SELECT
  EXISTS (
    SELECT
      1
    FROM
      "inserted"
  ) AS stored,
  o.id AS "offeringId",
  s.name AS "schemaName",
  (
    s.mdoc IS NOT NULL
    AND EXISTS (
      SELECT
        1
      FROM
        issuers d
        JOIN LATERAL (
          SELECT
            *
          FROM
            keys
          WHERE
            keys.key_set_id = d.key_set_id
            AND keys.retired_at IS NULL
          ORDER BY
            keys.created_at DESC,
            keys.id DESC
          LIMIT
            1
        ) k ON TRUE
      WHERE
        k.x5c IS NOT NULL
        AND d.id = o.issuer_id
    )
  ) AS "asMdoc",
  o.configuration_ids AS offered,
  o.recipient,
  o."grant",
  o.for_subject AS "forSubject",
  o.profile,
  o.deferred,
  o.claims_at_issuance AS "claimsAtIssuance",
  o.redemption_limit AS "redemptionLimit",
  o.redemption_count AS "redemptionCount",
  o.expires_at AS "expiresAt",
  o.claims_erased_at IS NOT NULL AS "claimsErased",
  CASE
    WHEN x.id IS NULL THEN NULL
    ELSE jsonb_build_object(
      'id',
      x.id,
      'createdBy',
      x.created_by,
      'state',
      x.state,
      'seq',
      x.seq,
      'errorMessage',
      x.error_message,
      'deferred',
      x.deferred,
      'txCode',
      x.tx_code,
      'txCodeHash',
      x.tx_code_hash,
      'txCodeAttempts',
      x.tx_code_attempts,
      'linkNumber',
      x.link_number,
      'configurationIds',
      o.configuration_ids,
      'issuerId',
      o.issuer_id,
      'expiresAt',
      x.expires_at,
      'createdAt',
      x.created_at
    )
  END AS session
FROM
  "chosen"
  JOIN offerings o ON o.id = "chosen"."id"
  JOIN schemas s ON s.id = o.schema_id
  LEFT JOIN credential_offer_sessions x ON x.id = o.id
  JOIN LATERAL (
    SELECT
      1
    WHERE
      o.is_session = (x.id IS NOT NULL)
  ) kept ON TRUE

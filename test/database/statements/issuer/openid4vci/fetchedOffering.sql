WITH
  "open" AS (
    SELECT
      1
    FROM
      offerings o
      LEFT JOIN credential_offer_sessions x ON x.id = o.id
    WHERE
      o.id = $1
      AND o.claims_erased_at IS NULL
      AND (
        o.redemption_limit IS NULL
        OR o.redemption_count < o.redemption_limit
      )
      AND (
        o.expires_at IS NULL
        OR o.expires_at > $2
      )
      AND (
        $3::boolean
        OR o."grant" = 'authorization_code'
      )
      AND COALESCE(x.link_number, 0) = $4::int
  ),
  "moved" AS (
    UPDATE credential_offer_sessions
    SET
      state = $5,
      seq = seq + 1,
      error_message = $6,
      ended_at = $7
    WHERE
      id = $8
      AND state = ANY ($9::TEXT[])
      AND EXISTS (
        SELECT
          1
        FROM
          "open"
      )
    RETURNING
      id,
      seq,
      state,
      error_message,
      deferred,
      expires_at,
      link_number,
      first_view
  ),
  "transitions" AS (
    SELECT
      id,
      seq,
      changes,
      first_view || changes AS data
    FROM
      (
        SELECT
          id,
          seq,
          first_view,
          jsonb_strip_nulls(
            jsonb_build_object(
              'state',
              state,
              'errorMessage',
              error_message,
              'deferred',
              deferred,
              'expiresAt',
              CASE
                WHEN deferred IS NOT NULL
                OR link_number > 0 THEN to_char(
                  expires_at AT TIME ZONE 'UTC',
                  'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
                )
              END
            )
          ) AS changes
        FROM
          "moved"
        WHERE
          TRUE
      ) AS moved_on
  ),
  "recorded_events" AS (
    INSERT INTO
      session_events (session_id, seq, changes, at)
    SELECT
      id,
      seq,
      changes,
      $10
    FROM
      "transitions"
  )
SELECT
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
  END AS session,
  (
    SELECT
      jsonb_agg(
        jsonb_build_object('id', id, 'seq', seq, 'data', data)
      )
    FROM
      "transitions"
  ) AS recorded
FROM
  offerings o
  JOIN schemas s ON s.id = o.schema_id
  LEFT JOIN credential_offer_sessions x ON x.id = o.id
WHERE
  o.id = $11
  AND o.is_session = (x.id IS NOT NULL)

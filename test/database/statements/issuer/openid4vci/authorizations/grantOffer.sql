WITH
  "offer" AS (
    SELECT
      o.id,
      o.for_subject,
      o.recipient,
      o.profile,
      o.claims_at_issuance
    FROM
      offerings o
      LEFT JOIN credential_offer_sessions x ON x.id = o.id
    WHERE
      o.id = $1
      AND o.is_session = (x.id IS NOT NULL)
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
        x.id IS NULL
        OR (
          x.state <> 'Error'
          AND x.tx_code_attempts < $3::int
        )
      )
  ),
  "granted" AS (
    UPDATE authorizations a
    SET
      state = 'Granted',
      code_hash = $4,
      code_expires_at = $5,
      offering_id = "offer"."id",
      user_claims = CASE
        WHEN "offer"."claims_at_issuance" THEN a.user_claims
      END
    FROM
      "offer"
    WHERE
      a.id = $6
      AND a.browser_hash = $7
      AND a.expires_at > $8
      AND state = ANY ($9::TEXT[])
      AND (
        a.instance_jkt IS NOT NULL
        OR NOT (
          $10
          OR "offer"."profile" = 'haip'
        )
      )
      AND (
        "offer"."for_subject" IS NULL
        OR "offer"."for_subject" = a.user_sub
      )
      AND (
        "offer"."recipient" IS NULL
        OR NOT $11
        OR "offer"."recipient" = ANY (a.user_dids)
      )
    RETURNING
      a.user_sub,
      a.parameters
  ),
  "moved" AS (
    UPDATE credential_offer_sessions
    SET
      state = $12,
      seq = seq + 1,
      error_message = $13,
      ended_at = $14
    WHERE
      id = $15
      AND state = ANY ($16::TEXT[])
      AND EXISTS (
        SELECT
          1
        FROM
          "granted"
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
      $17
    FROM
      "transitions"
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      "granted"."user_sub",
      $18,
      $19,
      $20
    FROM
      "granted"
  )
SELECT
  parameters,
  (
    SELECT
      jsonb_agg(
        jsonb_build_object('id', id, 'seq', seq, 'data', data)
      )
    FROM
      "transitions"
  ) AS recorded
FROM
  "granted"

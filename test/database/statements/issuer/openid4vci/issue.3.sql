WITH
  "session" AS (
    SELECT
      id
    FROM
      credential_offer_sessions
    WHERE
      id = $1
      AND state <> 'Error'
      AND tx_code_attempts < $2::int
      AND link_number = $3::int
    FOR UPDATE
  ),
  "token" AS (
    SELECT
      credential_id,
      credential_id IS NOT NULL AS counted,
      generation
    FROM
      issuance_tokens
    WHERE
      token_hash = $4
      AND expires_at > $5
      AND expires_at <= $6
      AND issued_count + $7 <= $8
      AND (
        SELECT
          count(*)
        FROM
          "session"
      ) >= 0
    FOR UPDATE
  ),
  "waiting" AS (
    SELECT
      1 AS waits
  ),
  "current" AS (
    SELECT
      "session"."id"
    FROM
      "token",
      "session"
    WHERE
      "token"."credential_id" IS NOT DISTINCT FROM $9::text
      AND "token"."counted" = $10
  ),
  "nonces" AS (
    INSERT INTO
      used_nonces (hash, expires_at)
    SELECT
      n.hash,
      n.expires_at
    FROM
      "current",
      unnest($11::TEXT[], $12::TIMESTAMPTZ[]) AS n (hash, expires_at)
    ON CONFLICT DO NOTHING
    RETURNING
      hash
  ),
  "fresh" AS (
    SELECT
      id
    FROM
      "current"
    WHERE
      (
        SELECT
          count(*)
        FROM
          "nonces"
      ) = $13
      AND EXISTS (
        SELECT
          1
        FROM
          "waiting"
      )
  ),
  "admitted" AS (
    SELECT
      id
    FROM
      credentials
    WHERE
      id = $14
      AND revoked_at IS NULL
      AND suspended_at IS NULL
      AND claims_erased_at IS NULL
      AND EXISTS (
        SELECT
          1
        FROM
          "fresh"
      )
    FOR NO KEY UPDATE
  ),
  "target" AS (
    SELECT
      c.id
    FROM
      credentials c
      JOIN "admitted" ON c.id = "admitted"."id"
  ),
  "shown" AS (
    UPDATE credentials c
    SET
      vc = $15::json,
      signed = TRUE,
      record_due_at = $16::timestamptz,
      expires_at = GREATEST(c.expires_at, $17::timestamptz),
      expired_at = CASE
        WHEN $18::timestamptz > c.expires_at THEN NULL
        ELSE c.expired_at
      END
    FROM
      "target"
    WHERE
      c.id = "target"."id"
      AND NOT COALESCE(c.signed, c.vc -> 'proof' IS NOT NULL)
      AND c.claims_erased_at IS NULL
    RETURNING
      c.id
  ),
  "moved" AS (
    UPDATE credential_offer_sessions
    SET
      state = $19,
      seq = seq + 1,
      error_message = $20,
      ended_at = $21,
      deferred = CASE
        WHEN deferred = 'pending' THEN 'approved'
        ELSE deferred
      END
    WHERE
      id = $22
      AND state = ANY ($23::TEXT[])
      AND EXISTS (
        SELECT
          1
        FROM
          "target"
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
      $24
    FROM
      "transitions"
  ),
  "spent" AS (
    UPDATE issuance_tokens
    SET
      credential_id = "target"."id",
      issued_count = issued_count + $25
    FROM
      "target"
    WHERE
      token_hash = $26
      AND expires_at > $27
      AND expires_at <= $28
  ),
  "instances" AS (
    INSERT INTO
      credential_instances (
        status_list_id,
        status_index,
        credential_id,
        configuration_id,
        format,
        generation
      )
    SELECT
      n.value ->> 0,
      (n.value ->> 1)::int,
      "target"."id",
      n.value ->> 2,
      n.value ->> 3,
      $29::int
    FROM
      "target",
      jsonb_array_elements($30::jsonb) AS n (value)
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $31,
      $32,
      $33,
      "target"."id"
    FROM
      "target"
  )
SELECT
  EXISTS (
    SELECT
      1
    FROM
      "token"
  ) AS takeable,
  (
    SELECT
      credential_id
    FROM
      "token"
  ) AS "earlierId",
  (
    SELECT
      counted
    FROM
      "token"
  ) AS counted,
  (
    SELECT
      generation
    FROM
      "token"
  ) AS generation,
  EXISTS (
    SELECT
      1
    FROM
      "session"
  ) AS open,
  EXISTS (
    SELECT
      1
    FROM
      "waiting"
  ) AS waiting,
  (
    SELECT
      count(*)
    FROM
      "nonces"
  )::int AS nonces,
  EXISTS (
    SELECT
      1
    FROM
      "admitted"
  ) AS admitted,
  (
    SELECT
      jsonb_agg(
        jsonb_build_object('id', id, 'seq', seq, 'data', data)
      )
    FROM
      "transitions"
  ) AS recorded

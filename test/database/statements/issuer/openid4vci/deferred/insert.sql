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
      a.credential_id,
      a.redemption_counted AS counted,
      a.generation
    FROM
      authorizations a
    WHERE
      a.id = $4
      AND a.expires_at > $5
      AND CASE
        WHEN a.issued_on >= $6::date THEN a.issued_count
        ELSE 0
      END + $7 <= $8
      AND EXISTS (
        SELECT
          1
        FROM
          issuance_tokens
        WHERE
          token_hash = $9
          AND expires_at > $10
          AND expires_at <= $11
      )
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
      "token"."credential_id" IS NOT DISTINCT FROM $12::text
      AND "token"."counted" = $13
  ),
  "nonces" AS (
    INSERT INTO
      used_nonces (hash, expires_at)
    SELECT
      n.hash,
      n.expires_at
    FROM
      "current",
      unnest($14::TEXT[], $15::TIMESTAMPTZ[]) AS n (hash, expires_at)
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
      ) = $16
      AND EXISTS (
        SELECT
          1
        FROM
          "waiting"
      )
  ),
  "counted" AS (
    UPDATE offerings
    SET
      redemption_count = redemption_count + 1,
      claims_due_at = CASE
        WHEN redemption_count + 1 < redemption_limit THEN claims_due_at
        ELSE $17::timestamptz
      END
    WHERE
      redemption_count < redemption_limit
      AND id = $18
      AND claims_erased_at IS NULL
      AND (
        expires_at IS NULL
        OR expires_at > $19
      )
      AND EXISTS (
        SELECT
          1
        FROM
          "fresh"
      )
    RETURNING
      id
  ),
  "unlimited" AS (
    SELECT
      id
    FROM
      offerings
    WHERE
      redemption_limit IS NULL
      AND id = $20
      AND claims_erased_at IS NULL
      AND (
        expires_at IS NULL
        OR expires_at > $21
      )
      AND EXISTS (
        SELECT
          1
        FROM
          "fresh"
      )
    FOR SHARE
  ),
  "admitted" AS (
    SELECT
      "counted"."id"
    FROM
      "counted"
    UNION ALL
    SELECT
      "unlimited"."id"
    FROM
      "unlimited"
  ),
  "deferred" AS (
    INSERT INTO
      deferred_issuances (
        transaction_hash,
        authorization_id,
        configuration_id,
        keys,
        statuses,
        created_at
      )
    SELECT
      $22,
      $23,
      $24,
      $25,
      $26::json,
      $27::timestamptz
    FROM
      "admitted"
    ON CONFLICT (authorization_id, configuration_id) DO UPDATE
    SET
      transaction_hash = EXCLUDED.transaction_hash,
      keys = EXCLUDED.keys,
      statuses = EXCLUDED.statuses,
      created_at = EXCLUDED.created_at,
      asked_at = NULL
    RETURNING
      authorization_id
  ),
  "moved" AS (
    UPDATE credential_offer_sessions x
    SET
      deferred = COALESCE(x.deferred, $28),
      seq = x.seq + 1,
      expires_at = $29
    FROM
      "deferred"
    WHERE
      x.id = $30
      AND x.deferred IS DISTINCT FROM $31
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
      $32
    FROM
      "transitions"
  ),
  "counted_instances" AS (
    UPDATE authorizations a
    SET
      redemption_counted = TRUE,
      issued_on = GREATEST(a.issued_on, $33::date),
      issued_count = CASE
        WHEN a.issued_on >= $34::date THEN a.issued_count
        ELSE 0
      END + $35
    FROM
      "deferred"
    WHERE
      a.id = "deferred"."authorization_id"
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $36,
      $37,
      $38,
      $39
    FROM
      "deferred"
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
  EXISTS (
    SELECT
      1
    FROM
      "moved"
  ) AS "isFirst",
  (
    SELECT
      jsonb_agg(
        jsonb_build_object('id', id, 'seq', seq, 'data', data)
      )
    FROM
      "transitions"
  ) AS recorded

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
  "open" AS (
    SELECT
      o.id
    FROM
      offerings o
      JOIN "session" ON "session"."id" = o.id
    WHERE
      (
        o.claims_erased_at IS NULL
        AND (
          o.redemption_limit IS NULL
          OR o.redemption_count < o.redemption_limit
        )
        AND (
          o.expires_at IS NULL
          OR o.expires_at > $4
        )
      )
      OR o.claims_erased_at IS NULL
      AND EXISTS (
        SELECT
          1
        FROM
          authorizations a
        WHERE
          a.id = $5
          AND a.redemption_counted
      )
  ),
  "once" AS (
    INSERT INTO
      used_nonces (hash, expires_at)
    SELECT
      u.hash,
      u.expires_at
    FROM
      unnest($6::TEXT[], $7::TIMESTAMPTZ[]) AS u (hash, expires_at)
    WHERE
      EXISTS (
        SELECT
          1
        FROM
          "open"
      )
    ON CONFLICT DO NOTHING
    RETURNING
      hash
  ),
  "ready" AS (
    SELECT
      id
    FROM
      "open"
    WHERE
      (
        SELECT
          count(*)
        FROM
          "once"
      ) = $8
  ),
  "claimed" AS (
    SELECT
      $9::text AS id
    WHERE
      EXISTS (
        SELECT
          1
        FROM
          "ready"
      )
  ),
  "code" AS (
    INSERT INTO
      used_nonces (hash, expires_at)
    SELECT
      $10,
      $11
    FROM
      "ready"
    ON CONFLICT DO NOTHING
    RETURNING
      1 AS used
  ),
  "token" AS (
    INSERT INTO
      issuance_tokens (
        token_hash,
        offering_id,
        configuration_ids,
        scope,
        dpop_jkt,
        expires_at,
        link_number,
        generation,
        authorization_id,
        wallet_statuses
      )
    SELECT
      $12,
      "ready"."id",
      $13::TEXT[],
      $14::TEXT[],
      $15,
      $16,
      $17::int,
      0,
      "claimed"."id",
      $18::json
    FROM
      "ready",
      "claimed",
      "code"
    RETURNING
      authorization_id
  ),
  "moved" AS (
    UPDATE credential_offer_sessions
    SET
      state = $19,
      seq = seq + 1,
      error_message = $20,
      ended_at = $21
    WHERE
      id = $22
      AND state = ANY ($23::TEXT[])
      AND EXISTS (
        SELECT
          1
        FROM
          "token"
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
  "begun" AS (
    INSERT INTO
      authorizations (id, client_id, offering_id, state, expires_at)
    SELECT
      "token"."authorization_id",
      $25,
      $26,
      'Redeemed',
      $27
    FROM
      "token"
  ),
  "refreshed" AS (
    INSERT INTO
      refresh_tokens (
        token_hash,
        authorization_id,
        configuration_ids,
        scope,
        dpop_jkt,
        instance_jkt,
        expires_at
      )
    SELECT
      $28,
      "token"."authorization_id",
      $29::TEXT[],
      $30::TEXT[],
      $31,
      $32,
      $33
    FROM
      "token"
  )
SELECT
  EXISTS (
    SELECT
      1
    FROM
      "token"
  ) AS stored,
  EXISTS (
    SELECT
      1
    FROM
      "open"
  ) AS open,
  (
    SELECT
      count(*)
    FROM
      "once"
  ) = $34 AS fresh,
  (
    SELECT
      jsonb_agg(
        jsonb_build_object('id', id, 'seq', seq, 'data', data)
      )
    FROM
      "transitions"
  ) AS recorded

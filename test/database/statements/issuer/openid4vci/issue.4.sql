WITH
  "token" AS (
    SELECT
      credential_id,
      credential_id IS NOT NULL AS counted
    FROM
      issuance_tokens
    WHERE
      token_hash = $1
      AND expires_at > $2
      AND expires_at <= $3
      AND issued_count + $4 <= $5
    FOR UPDATE
  ),
  "session" AS (
    SELECT
      id
    FROM
      credential_offer_sessions
    WHERE
      id = $6
      AND state <> 'Error'
      AND tx_code_attempts < $7::int
      AND link_number = $8::int
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
  "counted" AS (
    UPDATE offerings
    SET
      redemption_count = redemption_count + 1
    WHERE
      redemption_count < redemption_limit
      AND id = $14
      AND (
        expires_at IS NULL
        OR expires_at > $15
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
  "admitted" AS (
    SELECT
      "counted"."id"
    FROM
      "counted"
    UNION ALL
    SELECT
      id
    FROM
      offerings
    WHERE
      redemption_limit IS NULL
      AND id = $16
      AND (
        expires_at IS NULL
        OR expires_at > $17
      )
      AND EXISTS (
        SELECT
          1
        FROM
          "fresh"
      )
  ),
  "target" AS (
    INSERT INTO
      credentials (
        id,
        schema_id,
        issuer_id,
        owner,
        holder_did,
        vc,
        signed,
        created_at
      )
    SELECT
      $18,
      $19,
      $20,
      $21,
      $22,
      $23::json,
      $24::boolean,
      $25
    FROM
      "admitted"
    RETURNING
      id
  ),
  "redeemed" AS (
    INSERT INTO
      redemptions (
        id,
        offering_id,
        credential_id,
        recipient_did,
        redeemed_by,
        redeemed_at
      )
    SELECT
      $26,
      $27,
      "target"."id",
      $28,
      $29,
      $30
    FROM
      "target"
  ),
  "moved" AS (
    UPDATE credential_offer_sessions
    SET
      state = $31,
      seq = seq + 1,
      error_message = $32,
      ended_at = $33
    WHERE
      id = $34
      AND state = ANY ($35::TEXT[])
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
      $36
    FROM
      "transitions"
  ),
  "spent" AS (
    UPDATE issuance_tokens
    SET
      credential_id = "target"."id",
      issued_count = issued_count + $37
    FROM
      "target"
    WHERE
      token_hash = $38
      AND expires_at > $39
      AND expires_at <= $40
  ),
  "instances" AS (
    INSERT INTO
      credential_instances (
        status_list_id,
        status_index,
        credential_id,
        configuration_id,
        format
      )
    SELECT
      n.value ->> 0,
      (n.value ->> 1)::int,
      "target"."id",
      n.value ->> 2,
      n.value ->> 3
    FROM
      "target",
      jsonb_array_elements($41::jsonb) AS n (value)
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $42,
      $43,
      $44,
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

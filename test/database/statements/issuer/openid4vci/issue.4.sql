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
  "counted" AS (
    UPDATE offerings
    SET
      redemption_count = redemption_count + 1,
      claims_due_at = CASE
        WHEN redemption_count + 1 < redemption_limit THEN claims_due_at
        ELSE $14::timestamptz
      END
    WHERE
      redemption_count < redemption_limit
      AND id = $15
      AND claims_erased_at IS NULL
      AND (
        expires_at IS NULL
        OR expires_at > $16
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
      AND id = $17
      AND claims_erased_at IS NULL
      AND (
        expires_at IS NULL
        OR expires_at > $18
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
  "target" AS (
    INSERT INTO
      credentials (
        id,
        schema_id,
        issuer_id,
        owner,
        offered_by,
        holder_did,
        vc,
        signed,
        created_at,
        claims_due_at,
        record_due_at,
        subject_hash,
        valid_from,
        expires_at,
        names,
        reference_hash,
        label_hashes
      )
    SELECT
      $19,
      $20,
      $21,
      $22,
      $23::text,
      $24,
      $25::json,
      $26::boolean,
      $27,
      $28::timestamptz,
      $29::timestamptz,
      $30,
      $31::timestamptz,
      $32::timestamptz,
      $33::json,
      $34::text,
      $35::TEXT[]
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
      $36,
      $37,
      "target"."id",
      $38,
      $39,
      $40
    FROM
      "target"
  ),
  "moved" AS (
    UPDATE credential_offer_sessions
    SET
      state = $41,
      seq = seq + 1,
      error_message = $42,
      ended_at = $43,
      deferred = CASE
        WHEN deferred = 'pending' THEN 'approved'
        ELSE deferred
      END
    WHERE
      id = $44
      AND state = ANY ($45::TEXT[])
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
      $46
    FROM
      "transitions"
  ),
  "spent" AS (
    UPDATE issuance_tokens
    SET
      credential_id = "target"."id",
      issued_count = issued_count + $47
    FROM
      "target"
    WHERE
      token_hash = $48
      AND expires_at > $49
      AND expires_at <= $50
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
      $51::int
    FROM
      "target",
      jsonb_array_elements($52::jsonb) AS n (value)
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $53,
      $54,
      $55,
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

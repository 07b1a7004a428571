WITH
  "moved" AS (
    UPDATE credential_offer_sessions
    SET
      state = 'Created',
      seq = seq + 1,
      link_number = link_number + 1,
      error_message = NULL,
      ended_at = NULL,
      expires_at = $1::timestamptz,
      tx_code = $2::jsonb,
      tx_code_hash = $3,
      tx_code_attempts = 0,
      confidential = $4::json
    WHERE
      id = $5
      AND seq = $6::int
      AND state = ANY ($7::TEXT[])
      AND expires_at > $8
      AND tx_code_attempts < $9::int
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
  ),
  "renewed" AS (
    UPDATE offerings o
    SET
      expires_at = $11::timestamptz,
      claims_due_at = o.claims_due_at + ($12::timestamptz - o.expires_at)
    FROM
      "moved"
    WHERE
      o.id = "moved"."id"
  ),
  "ended" AS (
    UPDATE authorizations a
    SET
      state = CASE
        WHEN a.state = 'Redeemed' THEN a.state
        ELSE 'Denied'
      END,
      user_claims = NULL,
      code_expires_at = LEAST(a.code_expires_at, $13::timestamptz),
      expires_at = LEAST(a.expires_at, $14::timestamptz)
    FROM
      "moved"
    WHERE
      a.offering_id = "moved"."id"
  ),
  "page_removed" AS (
    DELETE FROM pages p USING "moved"
    WHERE
      p.offering_id = "moved"."id"
    RETURNING
      p.offering_id,
      p.made_by
  ),
  "page_made" AS (
    INSERT INTO
      pages (
        id,
        kind,
        offering_id,
        made_by,
        texts,
        type_names,
        in_qr_code,
        created_at,
        expires_at
      )
    SELECT
      $15,
      'receive',
      offering_id,
      made_by,
      $16::json,
      $17::TEXT[],
      $18::boolean,
      $19::timestamptz,
      $20::timestamptz
    FROM
      "page_removed"
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $21,
      $22,
      $23,
      "moved"."id"
    FROM
      "moved"
  )
SELECT
  id,
  seq,
  data
FROM
  "transitions"

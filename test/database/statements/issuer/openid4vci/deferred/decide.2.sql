WITH
  "moved" AS (
    UPDATE credential_offer_sessions
    SET
      deferred = $1,
      state = $2,
      seq = $3,
      error_message = $4,
      ended_at = $5
    WHERE
      id = $6
      AND seq = $7::int
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
      $8
    FROM
      "transitions"
  ),
  "corrected" AS (
    UPDATE offerings o
    SET
      credential_subject = $9::json,
      claims_at_issuance = FALSE
    FROM
      "moved"
    WHERE
      o.id = "moved"."id"
      AND o.claims_erased_at IS NULL
    RETURNING
      o.id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $10,
      $11,
      $12,
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

WITH
  "batch" AS (
    SELECT
      cancelled_at AS at,
      cancelled_by AS actor
    FROM
      offer_batches
    WHERE
      id = $1
      AND cancelled_at IS NOT NULL
  ),
  "open" AS (
    SELECT
      id AS key
    FROM
      credential_offer_sessions
    WHERE
      id IN (
        SELECT
          o.id
        FROM
          offerings o
        WHERE
          o.batch_id = $2
      )
      AND state = ANY ($3::TEXT[])
      AND expires_at > $4
      AND tx_code_attempts < $5::int
    ORDER BY
      id
    LIMIT
      $6
    FOR UPDATE
  ),
  "moved" AS (
    UPDATE credential_offer_sessions x
    SET
      state = 'Error',
      seq = x.seq + 1,
      error_message = $7,
      ended_at = "batch"."at",
      confidential = NULL
    FROM
      "batch",
      "open"
    WHERE
      x.id = "open"."key"
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
  "content_keys_forgotten" AS (
    DELETE FROM content_keys k USING "moved"
    WHERE
      k.row_id = "moved"."id"
      AND k.column_name = $9
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      (
        SELECT
          actor
        FROM
          "batch"
      ),
      $10,
      $11,
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

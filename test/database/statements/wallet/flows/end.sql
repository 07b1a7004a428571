WITH
  "ended" AS (
    UPDATE flows
    SET
      state = $1,
      error_message = NULL
    WHERE
      id = $2
      AND state = 'initialized'
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $3,
      $4,
      $5,
      "ended"."id"
    FROM
      "ended"
  )
SELECT
  id
FROM
  "ended"

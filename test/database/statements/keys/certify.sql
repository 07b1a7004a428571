WITH
  "certified" AS (
    UPDATE keys
    SET
      x5c = $1::json
    WHERE
      id = $2
      AND retired_at IS NULL
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
      "certified"."id"
    FROM
      "certified"
  )
SELECT
  id
FROM
  "certified"

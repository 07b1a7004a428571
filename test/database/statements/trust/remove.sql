WITH
  "removed" AS (
    DELETE FROM trust_lists
    WHERE
      id = $1
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $2,
      $3,
      $4,
      "removed"."id"
    FROM
      "removed"
  )
SELECT
  id
FROM
  "removed"

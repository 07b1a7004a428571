WITH
  "removed" AS (
    DELETE FROM webhooks w
    WHERE
      w.id = $1
      AND TRUE
    RETURNING
      w.id
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

WITH
  "shown" AS (
    SELECT
      id
    FROM
      schemas
    WHERE
      id = $1
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $2,
      $3,
      $4,
      "shown"."id"
    FROM
      "shown"
  )
SELECT
FROM
  "shown"
WHERE
  FALSE

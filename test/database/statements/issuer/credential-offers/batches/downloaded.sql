WITH
  "batch" AS (
    SELECT
      id
    FROM
      offer_batches
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
      "batch"."id"
    FROM
      "batch"
  )
SELECT
  id
FROM
  "batch"

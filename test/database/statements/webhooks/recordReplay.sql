WITH
  "replayed" AS (
    SELECT
      id
    FROM
      webhooks
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
      "replayed"."id"
    FROM
      "replayed"
  )
SELECT
FROM
  "replayed"
WHERE
  FALSE

WITH
  "replaced" AS (
    UPDATE webhooks
    SET
      secret = $1,
      public_key = $2::text
    WHERE
      id = $3
      AND secret = $4
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $5,
      $6,
      $7,
      "replaced"."id"
    FROM
      "replaced"
  )
SELECT
  id
FROM
  "replaced"

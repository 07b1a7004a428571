WITH
  "cancelled" AS (
    UPDATE offer_batches
    SET
      cancelled_at = $1,
      cancelled_by = $2,
      confidential = $3::json
    WHERE
      id = $4
      AND cancelled_at IS NULL
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
      "cancelled"."id"
    FROM
      "cancelled"
  )
SELECT
  id
FROM
  "cancelled"

WITH
  "held" AS (
    SELECT
      id
    FROM
      keys
    WHERE
      id = $1
      AND retired_at IS NULL
      AND x5c::jsonb IS NOT DISTINCT FROM $2::jsonb
    FOR UPDATE
  ),
  "changed" AS (
    UPDATE issuers
    SET
      signing = $3
    WHERE
      id = $4
      AND signing <> $5
      AND EXISTS (
        SELECT
          1
        FROM
          "held"
      )
    RETURNING
      id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $6,
      $7,
      $8,
      "changed"."id"
    FROM
      "changed"
  )
SELECT
  id
FROM
  "held"

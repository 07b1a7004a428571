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
  ),
  "changed" AS (
    UPDATE issuers
    SET
      signing = $6
    WHERE
      id = $7
      AND signing <> $8
      AND EXISTS (
        SELECT
          1
        FROM
          "certified"
      )
    RETURNING
      id
  ),
  "signing_audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $9,
      $10,
      $11,
      "changed"."id"
    FROM
      "changed"
  )
SELECT
  id
FROM
  "certified"

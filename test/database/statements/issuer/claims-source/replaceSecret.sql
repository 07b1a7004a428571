WITH
  "replaced" AS (
    UPDATE claims_sources
    SET
      secret = $1
    WHERE
      schema_id = $2
      AND EXISTS (
        SELECT
          1
        FROM
          schemas s
          JOIN credential_types t ON t.name = s.name
        WHERE
          s.id = $3
          AND (
            t.created_by = $4
            OR $5::boolean
          )
      )
    RETURNING
      schema_id AS id
  ),
  "audited" AS (
    INSERT INTO
      audit_events (actor, action, subject, subject_id)
    SELECT
      $6,
      $7,
      $8,
      "replaced"."id"
    FROM
      "replaced"
  )
SELECT
FROM
  "replaced"
WHERE
  FALSE
